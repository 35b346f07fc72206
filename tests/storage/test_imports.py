"""A file holds no code, and imports none unless it is allowed."""

import json
import sys
from zipfile import ZipFile

import numpy as np
import pytest

from protopick import AutoSelector, RandomSelector, load, save, symmetrized, transformed, weighted_sum
from protopick.storage import DamagedFileError, ImportNotAllowedError
from tests.storage import measures
from tests.storage.same import same

WORDS = ["colour", "color", "houses", "mouse", "", "a"]
PLACE = "tests.storage.measures"
METRICS = {
    "pairs": (measures.length_difference, ["length_difference"]),
    "batches": (measures.decorated, ["decorated"]),
    "batches under another name": (measures.marked, ["lengths_apart"]),
    "a class of dissimilarities": (measures.Scaled(3.0), ["Scaled"]),
    "both directions": (symmetrized(measures.length_difference, "max"), ["length_difference"]),
    "two functions": (
        transformed(measures.length_difference, measures.Squares.plus_one),
        ["Squares.plus_one", "length_difference"],
    ),
}


def saved(tmp_path, metric, **params):
    selector = RandomSelector(3, metric=metric, random_state=0, **params).fit(WORDS)
    return selector, save(selector, tmp_path / "model")


@pytest.mark.parametrize("name", METRICS)
def test_functions_are_imported_where_all_of_them_are_allowed(name, tmp_path):
    metric, needed = METRICS[name]
    needed = [f"{PLACE}.{one}" for one in needed]
    selector, path = saved(tmp_path, metric)
    with pytest.raises(ImportNotAllowedError, match=r"allow_imports=\[") as caught:
        load(path)
    assert repr(needed) in str(caught.value)
    with pytest.raises(ImportNotAllowedError, match=needed[-1]):
        load(path, allow_imports=[*needed[:-1], PLACE])
    for allowed in (needed, True):
        loaded = load(path, allow_imports=allowed)
        assert same(loaded.transform(WORDS), selector.transform(WORDS))
        assert loaded.get_params()["metric"] == metric or name == "batches under another name"


def test_parameters_go_with_the_function(tmp_path):
    selector, path = saved(tmp_path, measures.length_difference, metric_params={"scale": 2.5})
    loaded = load(path, allow_imports=True)
    assert same(loaded.transform(WORDS), selector.transform(WORDS))
    assert loaded.metric_params == {"scale": 2.5}


def test_a_function_of_numpy_needs_to_be_allowed_too(tmp_path):
    X = np.random.default_rng(0).random((9, 2))
    path = save(
        RandomSelector(2, metric=transformed("euclidean", np.cbrt), random_state=0).fit(X), tmp_path / "m"
    )
    with pytest.raises(ImportNotAllowedError, match=r"numpy\.cbrt"):
        load(path)
    load(path, allow_imports=["numpy.cbrt"])


def test_classes_of_others_go_by_their_import_path(tmp_path):
    X = np.random.default_rng(0).random((40, 2))
    selector = measures.FirstSelector(3, random_state=0).fit(X)
    path = save(selector, tmp_path / "model")
    with pytest.raises(ImportNotAllowedError, match="FirstSelector"):
        load(path)
    loaded = load(path, allow_imports=[f"{PLACE}.FirstSelector"])
    assert type(loaded) is measures.FirstSelector
    assert same(loaded, selector)
    auto = AutoSelector(3, estimator=measures.MostCommon(2.0), random_state=0).fit(X, np.arange(40) % 2)
    path = save(auto, path)
    with pytest.raises(ImportNotAllowedError, match="MostCommon"):
        load(path)
    assert load(path, allow_imports=True).estimator.weight == 2.0


def test_objects_of_a_dataclass_go_by_their_fields(tmp_path):
    molecules = [measures.Molecule("CCO", ((0, 1), (1, 2))), measures.Molecule("C"), measures.Molecule("CC")]
    selector = RandomSelector(2, metric=measures.length_difference, random_state=0).fit(molecules)
    path = save(selector, tmp_path / "model")
    needed = [f"{PLACE}.Molecule", f"{PLACE}.length_difference"]
    loaded = load(path, allow_imports=needed)
    assert loaded.prototypes_ == selector.prototypes_


def test_a_function_that_is_gone_is_named(tmp_path, monkeypatch):
    _, path = saved(tmp_path, measures.length_difference)
    monkeypatch.delattr(measures, "length_difference")
    with pytest.raises(ImportError, match=r"needs length_difference of tests\.storage\.measures"):
        load(path, allow_imports=True)


def test_a_module_that_fails_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    path = hostile(tmp_path, {"function": "broken:f"})
    with pytest.raises(ImportError, match=r"needs f of broken.*division by zero"):
        load(path, allow_imports=["broken.f"])


@pytest.mark.parametrize("allowed", ["os.system", 1, [1], None, {"a": 1}])
def test_what_is_allowed_is_a_list_of_paths(allowed, tmp_path):
    with pytest.raises(ValueError, match=r"allow_imports=.* is not allowed. Pass True, False or a list"):
        load(tmp_path / "model", allow_imports=allowed)


def test_a_nested_function_is_refused_before_anything_is_written(tmp_path):
    def nested(a, b):
        return 0.0

    metric = weighted_sum({0: (nested, 1.0)})
    selector = RandomSelector(2, metric=metric, random_state=0).fit([["a"], ["b"], ["c"]])
    with pytest.raises(TypeError, match=r"metric\.metrics\[0\]\.function is <function.*nested"):
        save(selector, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def hostile(tmp_path, node, imports=()):
    """Return a file whose header puts ``node`` where a parameter is."""
    path = save(RandomSelector(2, random_state=0).fit(np.eye(4)), tmp_path / "model")
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    header["model"]["estimator"]["parameters"]["metric_params"] = node
    header["imports"] = list(imports)
    with ZipFile(path, "w") as archive:
        for name, content in {**members, "header.json": json.dumps(header)}.items():
            archive.writestr(name, content)
    return path


HOSTILE = [
    {"function": "os:system"},
    {"function": "antigravity:fly"},
    {"function": "sklearn.antigravity:fly"},
    {"batch_metric": {"path": "os:system"}},
    {"batch_metric": {"function": "os:system", "symmetric": True}},
    {"record": {"class": "antigravity:fly", "fields": {}}},
    {"record": {"class": "subprocess:CompletedProcess", "fields": {"args": "x", "returncode": 0}}},
    {"record": {"class": "RandomSelector", "fields": {}}},
    {"estimator": {"class": "antigravity:fly", "parameters": {}, "learned": {}}},
    {"estimator": {"class": "subprocess:Popen", "parameters": {"args": "false"}, "learned": {}}},
    {"estimator": {"class": "sklearn.base:os.system", "parameters": {}, "learned": {}}},
    {"estimator": {"class": "sklearn.base:clone", "parameters": {}, "learned": {}}},
    {"estimator": {"class": "sklearn.conftest:pytest", "parameters": {}, "learned": {}}},
    {"estimator": {"class": "sklearn.svm:SVC", "parameters": {}, "learned": {"coef_": 1}}},
    {"estimator": {"class": "Euclidean", "parameters": {}, "learned": {}}},
    {"random numbers": {"class": "Generator", "state": {"dict": [["bit_generator", "seed"]]}}},
    {"frame": {"library": "antigravity", "form": "DataFrame", "objects": [], "name": None, "content": 1}},
    {"scalar": {"dtype": "O", "bytes": "1000000000000000"}},
    {"dtype": "O"},
]


@pytest.mark.parametrize("node", HOSTILE, ids=json.dumps)
def test_a_hostile_file_runs_and_imports_nothing(node, tmp_path):
    path = hostile(tmp_path, node)
    before = {name for name in sys.modules if not name.startswith("sklearn")}
    with pytest.raises((DamagedFileError, ImportNotAllowedError, ImportError)):
        load(path)
    new = {name for name in sys.modules if not name.startswith("sklearn")} - before
    assert "antigravity" not in sys.modules
    assert not new


def test_a_hostile_file_cannot_widen_what_is_allowed(tmp_path):
    path = hostile(tmp_path, {"function": "os:system"}, imports=["math:dist"])
    with pytest.raises(ImportNotAllowedError, match=r"os\.system"):
        load(path, allow_imports=["math.dist"])
