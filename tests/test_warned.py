import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from protopick import SwapSelector, describe, pick, qdc, transformed

X = np.arange(40.0).reshape(20, 2) % 7  # no flags, of which metrics of flags warn
y = np.arange(20) % 2
swap = SwapSelector(2, metric="yule", random_state=0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: swap.fit(X),
        lambda: swap.fit_transform(X, y),
        lambda: make_pipeline(swap, qdc()).fit(X, y),
        lambda: SwapSelector(2, metric=transformed("yule", "sqrt")).fit(X),
        lambda: pick(X, k=2, method="swap", metric="yule"),
        lambda: describe(X, "yule"),
    ],
    ids=["fit", "fit_transform", "pipeline", "composition", "pick", "describe"],
)
def test_a_warning_points_to_the_line_of_the_user(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    assert [warning.filename for warning in told if "looks only at" in str(warning.message)] == [__file__]
