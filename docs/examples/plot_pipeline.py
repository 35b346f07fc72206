"""
Pipelines and grid search
=========================

Selectors are scikit-learn transformers. So everything of scikit-learn works on them:
pipelines, cross- validation, grid search, feature unions.
"""

# %%
# A pipeline from images to classes. The selector is fitted on the training part of
# every fold only, so no test object takes part in picking.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline, make_union
from sklearn.preprocessing import StandardScaler

from protopick import SwapSelector, ldc, nearest_neighbor, qdc

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
pipeline = Pipeline([("select", SwapSelector(random_state=0)), ("classify", qdc())])

# %%
# Which metric, how many prototypes, which classifier? One grid for all three.
grid = {
    "select__metric": ["euclidean", "cosine"],
    "select__n_prototypes": [5, 10, 20],
    "classify": [nearest_neighbor(), ldc(), qdc()],
}
search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
best = search.best_params_
print(*best.values(), sep=", ")
print(f"cross-validated: {search.best_score_:.3f}")
print(f"on the test part: {search.score(X_test, y_test):.3f}")

# %%
# All of them at a glance. The results come in the order of the names in the grid:
# classifier, metric, number.
scores = search.cv_results_["mean_test_score"].reshape(3, 2, 3)
figure, axes = plt.subplots(1, 3, figsize=(9.6, 2.6), sharey=True)
for ax, name, table in zip(axes, ("1-NN", "LDC", "QDC"), scores, strict=True):
    ax.imshow(table, cmap="Blues", vmin=0.75, vmax=1, aspect="auto")
    for (i, j), score in np.ndenumerate(table):
        ink = "white" if score > 0.9 else "black"
        ax.text(j, i, f"{score:.3f}", ha="center", va="center", color=ink)
    ax.set_xticks(range(3), grid["select__n_prototypes"])
    ax.set_yticks(range(2), grid["select__metric"])
    ax.set(title=name, xlabel="prototypes")
    ax.tick_params(length=0)
figure.tight_layout()
plt.show()

# %%
# Two dissimilarities of the same objects side by side: a union of two selectors. In the
# second one the rows are shifted by one pixel before they are compared, which says more
# of the shape.


def shifted(A, B):
    """Return the smallest distance of A to B moved left, right or not at all."""
    images = B.reshape(-1, 8, 8)
    moves = [np.roll(images, step, axis=2).reshape(len(B), 64) for step in (-1, 0, 1)]
    return np.min([np.sqrt(((A[:, None] - M) ** 2).sum(axis=2)) for M in moves], axis=0)


from protopick import batch_metric

both = make_union(
    SwapSelector(10, metric="cosine", random_state=0),
    SwapSelector(10, metric=batch_metric(shifted), max_candidates=60, random_state=0),
)
model = Pipeline(
    [
        ("space", both),
        ("scale", StandardScaler()),
        ("classify", LogisticRegression(max_iter=1000)),
    ]
)
print(f"20 numbers a digit of two kinds: {model.fit(X, y).score(X_test, y_test):.3f}")
print(list(both.get_feature_names_out()[[0, 10]]))
