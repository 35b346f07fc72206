import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from protopick import FarthestFirstSelector, KCentersSelector, Ragged, SwapSelector, qdc
from tests.report.hostile import hostile


def test_the_page_is_written_and_its_path_returned(tmp_path):
    X, y = load_iris(return_X_y=True)
    selector = SwapSelector(3, random_state=0).fit(X, y)
    path = selector.report(X, y, tmp_path / "iris.html", title="Three flowers")
    assert path == tmp_path / "iris.html"
    assert "<bdi>Three flowers</bdi>" in path.read_text("utf-8")


@pytest.mark.parametrize("image_shape", [None, (2, 2)])
@pytest.mark.parametrize("kind", ["dask", "tensor", "file"])
def test_the_page_does_not_depend_on_where_the_rows_are(kind, image_shape, tmp_path):
    X, y = load_iris(return_X_y=True)
    elsewhere = {"dask": _in_chunks, "tensor": _in_a_tensor, "file": _in_a_file}[kind](X, tmp_path)
    pages = []
    for rows in (X, elsewhere):
        selector = SwapSelector(3, random_state=0).fit(X, y)
        with sklearn.config_context(working_memory=1e-3 if kind == "file" else 1024):
            page = selector.report(rows, y, tmp_path / "page.html", image_shape=image_shape)
        pages.append(page.read_text("utf-8"))
    assert pages[0] == pages[1]


def _in_chunks(X, folder):
    return pytest.importorskip("dask.array").from_array(X, chunks=(60, 4))


def _in_a_tensor(X, folder):
    return pytest.importorskip("torch").from_numpy(X)


def _in_a_file(X, folder):
    file = pytest.importorskip("h5py").File(folder / "rows.h5", "w")
    file["rows"] = X
    return file["rows"]


def test_text_that_no_file_can_hold_is_written_all_the_same(tmp_path):
    selector, X, y, how = hostile()
    assert selector.report(X, y, tmp_path / "page.html", **how).read_text("utf-8")


def test_a_place_that_cannot_be_written_is_told_before_any_work(tmp_path):
    X = np.eye(4)
    selector = SwapSelector(2, metric=_fails_later, random_state=0)
    with pytest.raises(FileNotFoundError, match=r"path=.*the folder"):
        selector.report(X, path=tmp_path / "none" / "page.html")


def _fails_later(a, b):
    raise AssertionError("work was begun")


def test_a_report_needs_a_fit(tmp_path):
    with pytest.raises(NotFittedError):
        SwapSelector(2).report(np.eye(4), path=tmp_path / "page.html")


def test_without_plotly_nothing_is_begun_and_the_old_page_stays(tmp_path, monkeypatch):
    X = np.eye(4)
    selector = KCentersSelector(2, random_state=0).fit(X)
    (tmp_path / "page.html").write_text("before")
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ImportError, match=r"protopick\[report\]"):
        selector.report("no objects at all", path=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "before"


def test_wrong_objects_leave_the_old_page(tmp_path):
    selector = KCentersSelector(2, random_state=0).fit(np.eye(4))
    (tmp_path / "page.html").write_text("before")
    with pytest.raises(ValueError, match="was fitted to"):
        selector.report(np.ones((5, 4)), path=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "before"


def shown(selector):
    return selector._repr_mimebundle_()["text/html"]


def test_a_page_of_a_table_with_large_numbers_and_gaps(tmp_path):
    X = pd.DataFrame({"id": pd.array([5, None, 2**60 + 1, 2**60], dtype="Int64"), "x": range(4)})
    selector = FarthestFirstSelector(2, metric="gower", metric_params={"categorical": ["id"]}, fixed=[0, 1])
    assert "1,152,921,504,606,846,977" in selector.fit(X).report(X, path=tmp_path / "page.html").read_text()


def test_before_a_fit_a_notebook_shows_scikit_learns_diagram():
    assert "sk-container" in shown(SwapSelector(3))
    assert "sk-container" in SwapSelector(3)._repr_html_()


def test_after_a_fit_a_notebook_shows_the_prototypes_without_scripts():
    X, y = load_iris(return_X_y=True)
    selector = SwapSelector(3, random_state=0).fit(X, y)
    html = shown(selector)
    assert html == selector._repr_html_()
    assert html.count('class="pp-card"') == 3
    assert "SwapSelector: 3 prototypes" in html
    assert "<script" not in html
    assert "http" not in html


def test_a_pipeline_still_shows_scikit_learns_diagram():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(SwapSelector(3, random_state=0), qdc()).fit(X, y)
    assert "sk-container" in model._repr_mimebundle_()["text/html"]


def test_a_notebook_that_asks_for_text_gets_text():
    selector = KCentersSelector(1, random_state=0).fit(np.eye(3))
    with sklearn.config_context(display="text"):
        assert set(selector._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(selector, "_repr_html_")


def test_a_notebook_shows_data_as_text():
    selector = hostile()[0]
    html = shown(selector)
    assert "<script" not in html
    assert 'onerror="' not in html
    assert "<bdi>&lt;b&gt;bold&lt;/b&gt;</bdi>" in html


@pytest.mark.parametrize("k", [1, 60])
def test_a_notebook_shows_one_and_the_first_of_many(k):
    html = shown(FarthestFirstSelector(k, random_state=0).fit(np.random.default_rng(0).normal(size=(99, 30))))
    assert html.count('class="pp-card"') == min(k, 40)
    assert ("and 20 more" in html) == (k == 60)


def test_a_notebook_shows_what_is_no_vector():
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    assert "object " in shown(KCentersSelector(2, metric="precomputed", random_state=0).fit(D))
    lines = Ragged(np.random.default_rng(0).normal(size=(40, 3)), [0, 10, 20, 30, 40])
    assert "<svg" in shown(KCentersSelector(2, metric="mdf", random_state=0).fit(lines))
