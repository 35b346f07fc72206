"""What holds for every selector: scikit-learn's contract and ours."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    batch_metric,
    ldc,
    nearest_neighbor,
    qdc,
)
from protopick.selectors import METHODS

SELECTORS = [
    RandomSelector(5, random_state=0),
    RandomSelector(5, stratified=True, random_state=0),
    FarthestFirstSelector(5, random_state=0),
    FarthestFirstSelector(5, subsample="auto", random_state=0),
    KCentersSelector(5, random_state=0),
    ForwardSelector(5, random_state=0),
    GeneticSelector(5, random_state=0),
    GeneticSelector(5, clustered=False, random_state=0),
    GeneticSelector(5, criterion="label-match", random_state=0),
    GeneticSelector(5, criterion="label-match", clustered=False, random_state=0),
    GeneticSelector(5, criterion="label-match", n_pivots=16, random_state=0),
    GeneticSelector(5, n_pivots=16, pivot_code="binary", random_state=0),
    FarthestFirstSelector(5, n_pivots=16, random_state=0),
]
EXPECTED_FAILED = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "What is drawn at random depends on the number of objects, so weights are not repetitions.",
)
every_selector = pytest.mark.parametrize("selector", SELECTORS, ids=repr)


@parametrize_with_checks(
    [selector(random_state=0) for selector in METHODS.values()]  # n_prototypes="auto"
    + [selector(2, random_state=0) for selector in METHODS.values()]
    + [GeneticSelector(2, criterion="label-match", random_state=0), RandomSelector(2, stratified=True)]
    + [ldc(), qdc()],
    expected_failed_checks=lambda estimator: (
        EXPECTED_FAILED if has_fit_parameter(estimator, "sample_weight") else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


def assert_valid(selector, n, k=5):
    indices = selector.prototype_indices_
    assert indices.shape == (k,)
    assert np.issubdtype(indices.dtype, np.integer)
    assert len(set(indices.tolist())) == k
    assert indices.min() >= 0
    assert indices.max() < n


@pytest.mark.parametrize("fixed", [[7], [350, 3, 60]])
@every_selector
def test_naming_all_others_as_candidates_changes_nothing(selector, fixed, digits):
    X, y = digits
    others = np.delete(np.arange(len(X)), fixed)
    found = clone(selector).set_params(fixed=fixed).fit(X, y)
    named = clone(selector).set_params(fixed=fixed, candidates=others).fit(X, y)
    np.testing.assert_array_equal(found.prototype_indices_, named.prototype_indices_)
    assert found.n_dissimilarities_ == named.n_dissimilarities_


@every_selector
def test_picks_k_distinct_objects_and_maps_to_them(selector, digits):
    X, y = digits
    selector = clone(selector).fit(X, y)
    assert_valid(selector, len(X))
    np.testing.assert_array_equal(selector.prototypes_, X[selector.prototype_indices_])
    np.testing.assert_array_equal(selector.prototype_labels_, y[selector.prototype_indices_])
    space = selector.transform(X)
    expected = np.linalg.norm(X[:, None] - selector.prototypes_[None], axis=2)
    np.testing.assert_allclose(space, expected, rtol=1e-9, atol=1e-9)
    assert (space[selector.prototype_indices_, np.arange(5)] == 0).all()


@every_selector
def test_same_seed_same_prototypes(selector, digits):
    first = clone(selector).fit(*digits).prototype_indices_
    second = clone(selector).set_params(n_jobs=2).fit(*digits).prototype_indices_
    np.testing.assert_array_equal(first, second)


@every_selector
def test_fixed_and_candidates_are_kept(selector, digits):
    X, y = digits
    fixed, candidates = [7, 300], np.arange(50, 120)
    selector = clone(selector).set_params(fixed=fixed, candidates=candidates).fit(X, y)
    assert_valid(selector, len(X))
    assert selector.prototype_indices_[:2].tolist() == fixed
    assert set(selector.prototype_indices_[2:].tolist()) <= set(candidates.tolist())


@every_selector
def test_all_objects_can_be_picked(selector):
    X = np.arange(40.0).reshape(20, 2)
    n_pivots = 4 if selector.get_params().get("n_pivots") else None
    selector = clone(selector).set_params(n_prototypes=20)
    if n_pivots:
        selector.set_params(n_pivots=n_pivots)
        if selector.get_params()["pivot_code"] == "binary":
            pytest.skip("16 codes of 4 bits are fewer than 20 objects")
    assert_valid(selector.fit(X, np.arange(20) % 2), 20, k=20)


@every_selector
def test_float32_stays_float32(selector, digits):
    X, y = digits
    assert clone(selector).fit_transform(X.astype(np.float32), y).dtype == np.float32
    assert clone(selector).fit_transform(X, y).dtype == np.float64


@every_selector
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, bool, np.float32])
def test_any_numeric_type_and_layout(selector, digits, dtype):
    X, y = digits
    X = X.astype(dtype)
    reference = clone(selector).fit(np.ascontiguousarray(X), y).prototype_indices_
    padded = np.zeros((len(X), 128), dtype)
    padded[:, ::2] = X
    for layout in (np.asfortranarray(X), padded[:, ::2]):
        np.testing.assert_array_equal(clone(selector).fit(layout, y).prototype_indices_, reference)


@every_selector
def test_sparse_gives_the_same_as_dense(selector, digits):
    X, y = digits
    dense = clone(selector).fit(X, y)
    csr = clone(selector).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(csr.prototype_indices_, dense.prototype_indices_)
    np.testing.assert_allclose(csr.transform(sparse.csr_array(X)), dense.transform(X), atol=1e-6)


@every_selector
def test_strings_with_a_function_of_a_pair(selector):
    words = ["".join(chr(97 + (i * j) % 7) for j in range(1, 2 + i % 6)) for i in range(60)]
    selector = clone(selector).set_params(metric=different_letters, n_prototypes=4)
    if selector.get_params().get("n_pivots"):
        selector.set_params(n_pivots=8, pivot_code="dissimilarity")
    if selector.get_params().get("clustered"):
        selector.set_params(n_prototypes=3)
    selector.fit(words, [len(w) % 2 for w in words])
    assert selector.prototypes_ == [words[i] for i in selector.prototype_indices_]
    assert selector.transform(words[:7]).shape == (7, len(selector.prototypes_))


def different_letters(a, b):
    return len(set(a) ^ set(b)) + abs(len(a) - len(b))


@batch_metric(symmetric=True)
def cityblock_of_batches(A, B):
    return np.abs(A[:, None] - B[None]).sum(axis=2)


@every_selector
def test_function_of_batches_equals_the_named_metric(selector, digits):
    X, y = digits
    by_name = clone(selector).set_params(metric="cityblock").fit(X, y)
    by_function = clone(selector).set_params(metric=cityblock_of_batches).fit(X, y)
    np.testing.assert_array_equal(by_function.prototype_indices_, by_name.prototype_indices_)
    assert by_function.n_dissimilarities_ == by_name.n_dissimilarities_


@every_selector
def test_precomputed_equals_the_named_metric(selector, digits, tmp_path):
    X, y = digits
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    by_name = clone(selector).set_params(metric="cityblock").fit(X, y)
    np.save(tmp_path / "D.npy", D)
    for matrix in (D, np.load(tmp_path / "D.npy", mmap_mode="r")):
        given = clone(selector).set_params(metric="precomputed").fit(matrix, y)
        np.testing.assert_array_equal(given.prototype_indices_, by_name.prototype_indices_)
        np.testing.assert_array_equal(given.transform(matrix[:9]), D[:9, given.prototype_indices_])


@every_selector
def test_pipeline_grid_search_clone_and_pickle(selector, digits):
    X, y = digits
    pipeline = make_pipeline(clone(selector), nearest_neighbor())
    name = pipeline.steps[0][0]
    grid = GridSearchCV(pipeline, {f"{name}__n_prototypes": [2, 12]}, cv=2).fit(X, y)
    assert grid.best_params_[f"{name}__n_prototypes"] == 12
    copy = pickle.loads(pickle.dumps(grid.best_estimator_))
    np.testing.assert_array_equal(copy.predict(X), grid.predict(X))


def test_grid_search_slices_a_precomputed_matrix_on_both_sides(digits):
    X, y = digits
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    pipeline = make_pipeline(
        GeneticSelector(criterion="label-match", metric="precomputed", random_state=0), qdc()
    )
    grid = GridSearchCV(pipeline, {"geneticselector__n_prototypes": [3, 10]}, cv=3).fit(D, y)
    assert grid.best_params_ == {"geneticselector__n_prototypes": 10}


@every_selector
def test_data_frames_in_and_out(selector, digits):
    X, y = digits
    frame = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])], index=np.arange(400) + 1000)
    selector = clone(selector).set_output(transform="pandas").fit(frame, pd.Series(y, index=frame.index))
    space = selector.transform(frame)
    assert isinstance(space, pd.DataFrame)
    assert space.shape == (400, 5)
    assert space.index.equals(frame.index)
    assert list(selector.feature_names_in_) == list(frame.columns)
    pd.testing.assert_frame_equal(selector.prototypes_, frame.iloc[selector.prototype_indices_])


@every_selector
def test_labels_may_be_strings(selector, digits):
    X, y = digits
    numbers = clone(selector).fit(X, y)
    names = clone(selector).fit(X, np.array([f"digit {c}" for c in y]))
    np.testing.assert_array_equal(names.prototype_indices_, numbers.prototype_indices_)
    assert names.prototype_labels_[0] == f"digit {y[names.prototype_indices_[0]]}"


@every_selector
def test_progress_bar(selector, digits, capsys):
    clone(selector).set_params(verbose=1).fit(*digits)
    shown = capsys.readouterr()
    is_random = isinstance(selector, RandomSelector)
    assert bool(shown.out + shown.err) != is_random


def test_the_number_of_dissimilarities_is_the_number_of_calls():
    calls = []

    def distance(a, b):
        calls.append((a, b))
        return abs(a - b)

    numbers = np.random.default_rng(0).integers(0, 1000, 80).tolist()
    for selector in SELECTORS:
        calls.clear()
        selector = clone(selector).set_params(metric=distance)
        selector.fit(numbers, [n % 3 for n in numbers])
        assert selector.n_dissimilarities_ == len(calls)


def test_auto_takes_the_intrinsic_dimension():
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(600, 3)) @ rng.normal(size=(3, 20))
    assert len(GeneticSelector(random_state=0).fit(plane).prototype_indices_) in (3, 4)


def test_fitting_again_forgets_the_labels(digits):
    X, y = digits
    selector = GeneticSelector(3, random_state=0).fit(X, y).fit(X)
    assert not hasattr(selector, "prototype_labels_")


def test_a_fit_that_fails_leaves_the_earlier_one(digits):
    X, y = digits
    selector = GeneticSelector(3, random_state=0).fit(X, y)
    before = selector.transform(X)
    with pytest.raises(ValueError, match="n_prototypes"):
        selector.set_params(n_prototypes=500).fit(X)
    np.testing.assert_array_equal(selector.transform(X), before)


def test_a_failed_first_fit_leaves_an_unfitted_selector(digits):
    X, _ = digits
    selector = GeneticSelector(500)
    with pytest.raises(ValueError, match="n_prototypes"):
        selector.fit(X)
    with pytest.raises(NotFittedError):
        selector.transform(X)
    fitted = GeneticSelector(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_prototypes"):
        fitted.set_params(n_prototypes=500).fit(X[:, :2])
    assert fitted.transform(X).shape == (len(X), 3)


class Unreadable(np.ndarray):
    """Rows that can be compared, but are not given back."""

    def __getitem__(self, which):
        if isinstance(which, np.ndarray):
            raise OSError("the prototypes cannot be read")
        return super().__getitem__(which)


@pytest.mark.parametrize("first", [True, False])
def test_a_fit_that_fails_when_all_is_found_leaves_nothing(first, digits):
    X, y = digits
    selector = AutoSelector(3, metric="gower", time_limit=1e-9, random_state=0)
    if not first:
        selector.fit(X[:60], y[:60])
    before = dict(vars(selector))
    with pytest.raises(OSError, match="the prototypes cannot be read"):
        selector.fit(X[60:120].view(Unreadable))
    assert vars(selector).keys() == before.keys()
    assert all(vars(selector)[name] is value for name, value in before.items())


def test_fitting_objects_forgets_the_features(digits):
    selector = FarthestFirstSelector(3, random_state=0).fit(digits[0])
    selector.set_params(metric=different_letters).fit(["abc", "b", "cd", "e"])
    assert not hasattr(selector, "n_features_in_")


def test_batch_metrics_pickle_and_stay_functions():
    assert pickle.loads(pickle.dumps(cityblock_of_batches)) is cityblock_of_batches
    assert cityblock_of_batches.__name__ == "cityblock_of_batches"
    marked = batch_metric(np.subtract.outer)
    assert not hasattr(np.subtract, "symmetric")
    assert not batch_metric(marked.function).symmetric


def test_far_apart_objects_are_picked_once_each():
    X = np.repeat([[1.0], [-1.0]], 3, axis=0)
    selector = FarthestFirstSelector(4, metric="braycurtis", random_state=0).fit(X)
    picked = selector.prototype_indices_
    assert selector.transform(X).max() == np.inf
    assert len(set(picked.tolist())) == 4


def test_python_without_docstrings():
    code = "import protopick; protopick.GeneticSelector(3)"
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)
