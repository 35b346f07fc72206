"""
A million objects
=================

Nothing changes for the user: above 100,000 objects the search looks at random samples,
as large as it takes to tell which set is better. The time hardly depends on the number
of objects.
"""

# %%
# A million points of nine groups in eight dimensions: 32 MB as float32. The matrix of
# all pairs would take 4 TB.
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from protopick import FarthestFirstSelector, GeneticSelector, SwapSelector, forecast

rng = np.random.default_rng(0)
n = 1_000_000
centres = rng.normal(0, 3, (9, 8)).astype(np.float32)
y = rng.integers(0, 9, n)
X = centres[y]
X += rng.standard_normal((n, 8), dtype=np.float32)

# %%
# What will it cost? ``forecast`` tells before anything runs.
for evaluation in ("exact", "racing"):
    selector = GeneticSelector(
        20, criterion="label-match", evaluation=evaluation, random_state=0
    )
    print(f"{evaluation}: {forecast(selector, n, X[:1000])}")

# %%
# Three methods with their defaults.
selectors = {
    "genetic, label match": GeneticSelector(
        20, criterion="label-match", random_state=0
    ),
    "swaps, label match": SwapSelector(20, criterion="label-match", random_state=0),
    "farthest first": FarthestFirstSelector(20, random_state=0),
}
for name, selector in selectors.items():
    start = perf_counter()
    selector.fit(X, y)
    took = perf_counter() - start
    print(f"{name}: {took:.1f} s, {selector.n_dissimilarities_:,} dissimilarities")

# %%
# ``transform`` goes through the objects in blocks. Here a map of every hundredth one:
# the first two axes of the dissimilarity space of the swaps, found by principal
# components.
from sklearn.decomposition import PCA

selector = selectors["swaps, label match"]
space = PCA(2).fit(selector.transform(X[::100]))
points, picked = (
    space.transform(selector.transform(X[::100])),
    space.transform(selector.transform(selector.prototypes_)),
)
figure, ax = plt.subplots(figsize=(7, 5))
ax.scatter(
    *points.T, c=y[::100], cmap="tab10", s=3, alpha=0.35, linewidths=0, rasterized=True
)
ax.scatter(*picked.T, c="#24292f", s=70, edgecolors="white", linewidths=1.4)
ax.set_axis_off()
figure.tight_layout()
plt.show()
