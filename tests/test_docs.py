"""The documentation tells the truth: its code runs and prints what is shown, and its pages build."""

import doctest
import importlib.util
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from protopick.cli import app
from protopick.criteria import CRITERIA
from protopick.dissimilarity import METRICS
from protopick.report.colors import class_styles
from protopick.selectors import METHODS

REPOSITORY = Path(__file__).parent.parent
DOCS = REPOSITORY / "docs"
PAGES = [DOCS / "index.md", DOCS / "start.md", DOCS / "paper.md", *sorted(DOCS.glob("guide/*.md"))]
PAGES += sorted(DOCS.glob("extend/*.md"))
EXAMPLES = sorted(DOCS.glob("examples/plot_*.py"))

# A block of Python, and right below it what it prints, if it is shown.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", flags=re.M | re.S)
COMMANDS = re.compile(r"^```console\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", flags=re.M | re.S)
HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(autouse=True)
def _own_registries():
    """Undo what the pages on extending register."""
    registries = METRICS, CRITERIA, METHODS
    before = [dict(registry) for registry in registries]
    yield
    for registry, names in zip(registries, before, strict=True):
        registry.clear()
        registry.update(names)


def name_of(path):
    return str(path.relative_to(DOCS))


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=name_of)
def test_the_code_of_a_page_prints_what_is_shown(page, capsys, tmp_path, monkeypatch):
    for library in ("networkx", "pandas", "rapidfuzz", "narwhals"):
        pytest.importorskip(library)
    if "import torch" in page.read_text():
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)  # where a page writes a file
    names = {"__name__": "__main__"}
    for code, shown in BLOCK.findall(page.read_text()):
        exec(compile(code, str(page), "exec"), names)
        printed = capsys.readouterr().out
        assert not shown or doctest.OutputChecker().check_output(shown, printed, HOW), printed


@pytest.mark.parametrize("page", [page for page in PAGES if COMMANDS.search(page.read_text())], ids=name_of)
def test_the_commands_of_a_page_print_what_is_shown(page, tmp_path, monkeypatch):
    for library in ("pandas", "rapidfuzz", "plotly"):
        pytest.importorskip(library)
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for lines, shown in COMMANDS.findall(page.read_text()):
        commands = re.findall(r"^\$ protopick (.*)$", lines, flags=re.M)
        results = [CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "100"}) for line in commands]
        printed = "".join(result.output for result in results)
        fails = shown.startswith("Error: ")
        assert [result.exit_code for result in results] == [int(fails)] * len(results), printed
        assert not shown or doctest.OutputChecker().check_output(shown, printed, HOW), printed


def test_the_start_page_makes_the_file_that_its_command_reads(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((DOCS / "start.md").read_text())
    (code,) = (code for code, _ in blocks if "flowers.csv" in code)
    exec(code, {})
    made = Path("flowers.csv").read_text()
    write_files(tmp_path)
    assert made == Path("flowers.csv").read_text()


def test_the_extras_that_all_brings_are_listed():
    (brought,) = re.findall(
        r"^all = \[\"protopick\[(.*)\]\"\]$", (REPOSITORY / "pyproject.toml").read_text(), flags=re.M
    )
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "start.md").read_text(), flags=re.M)
    assert set(brought.split(",")) | {"all"} <= set(listed)


def test_the_help_on_the_pages_is_whole_and_in_one_order(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    from command_line import command_line

    listed, *sections = command_line().split("\n## ")
    commands = re.findall(r"^  (\w+)  ", listed.split("Commands:")[1], flags=re.M)
    assert [section.split("`")[1] for section in sections] == [f"protopick {name}" for name in commands]
    assert "..." not in listed.split("Commands:")[1]


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_the_map_of_surnames_has_the_colours_of_their_gallery():
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("rapidfuzz")
    from matplotlib import pyplot

    try:
        found = runpy.run_path(str(DOCS / "examples/plot_strings.py"))
    finally:
        pyplot.close("all")
    gallery = class_styles({"classes": sorted(found["NAMES"]), "coverage": None})
    assert [style.color for style in gallery] == [found["colours"][name] for name in sorted(found["NAMES"])]


def write_files(folder):
    """Write the files that the commands on the pages read."""
    iris = load_iris(as_frame=True)
    flowers = iris.data.assign(species=iris.target_names[iris.target])
    flowers.to_csv(folder / "flowers.csv", index=False)
    iris.data[::10].to_csv(folder / "new.csv", index=False)
    words = "colour color colors house houses mouse night light lights"
    (folder / "words.txt").write_text(words.replace(" ", "\n"))


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_an_example_of_the_gallery_runs_and_draws(example):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    try:
        runpy.run_path(str(example), run_name="__main__")
        assert pyplot.get_fignums()
    finally:
        pyplot.close("all")


def test_the_source_files_that_pages_name_exist():
    named = [
        (page, path)
        for page in [*PAGES, *DOCS.glob("decisions/*.md")]
        for path in re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text())
        if path.split("/")[0] not in ("benchmarks", "tests")
    ]
    examples = {"dissimilarity/aitchison.py", "criteria/dispersion.py", "selectors/seeding.py"}
    missing = [
        (name_of(page), path)
        for page, path in named
        if path not in examples and not (REPOSITORY / "src/protopick" / path).exists()
    ]
    assert named
    assert missing == []


def test_every_public_name_has_an_entry_in_the_reference():
    import protopick

    listed = re.findall(r"^   (\w+)$", (DOCS / "reference/index.md").read_text(), flags=re.M)
    assert sorted(listed) == sorted(protopick.__all__)


def test_the_pages_build_without_a_warning(tmp_path):
    for library in ("sphinx", "sphinx_gallery", "pydata_sphinx_theme", "myst_parser", "numpydoc"):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    made_elsewhere = shutil.ignore_patterns("_build", "gallery", "made")
    shutil.copytree(DOCS, tmp_path / "docs", ignore=made_elsewhere)  # with pictures, where they are drawn
    for name in ("src", "benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    options = ["-q", "-W", "--keep-going", "-D", "plot_gallery=0"]  # the examples run in a test of their own
    build = [sys.executable, "-m", "sphinx", *options, str(tmp_path / "docs"), str(tmp_path / "html")]
    result = subprocess.run(build, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "html/index.html").exists()
