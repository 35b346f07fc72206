"""
What each method picks
======================

The same points, nine ways to pick eight of them. None is best for everything.
"""

# %%
# Three classes in the plane: an arc, a disc inside it, a small group beside it, and
# three outliers.
import matplotlib.pyplot as plt
import numpy as np

from protopick import (
    FarthestFirstSelector,
    ForwardSelector,
    GeneticSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
)

rng = np.random.default_rng(3)
angle = rng.uniform(0, np.pi, 220)
arc = np.column_stack([3 * np.cos(angle), 3 * np.sin(angle)]) + rng.normal(
    0, 0.25, (220, 2)
)
disc = rng.normal([0, 0], [0.75, 0.6], (260, 2))
small = rng.normal([3.4, -1.0], 0.28, (50, 2))
outliers = np.array([[-4.6, -1.3], [4.9, 3.6], [-4.2, 4.0]])
X = np.vstack([arc, disc, small, outliers])
y = np.repeat([0, 1, 2, 0], [220, 260, 50, 3])

# %%
# Farthest-first traversal and the spanning tree spread the prototypes, so they take the
# outliers. Coverage puts them where most objects are. Methods that see the labels put
# them where classes meet. Under each name: how many dissimilarities it took.
selectors = {
    "random": RandomSelector(8, random_state=0),
    "farthest first": FarthestFirstSelector(8, random_state=0),
    "k-centres": KCentersSelector(8, random_state=0),
    "genetic, spanning tree": GeneticSelector(8, random_state=0),
    "swaps, coverage": SwapSelector(8, criterion="coverage", random_state=0),
    "swaps, radius": SwapSelector(8, criterion="radius", random_state=0),
    "genetic, label match": GeneticSelector(8, criterion="label-match", random_state=0),
    "forward selection": ForwardSelector(8),
    "swaps, label match": SwapSelector(8, criterion="label-match", random_state=0),
}
colours = np.array(["#3b82c4", "#2a9455", "#9467bd"])[y]
figure, axes = plt.subplots(3, 3, figsize=(9.6, 6.9))
for ax, (name, selector) in zip(axes.ravel(), selectors.items(), strict=True):
    picked = selector.fit(X, y).prototype_indices_
    ax.scatter(*X.T, c=colours, s=8, alpha=0.45, linewidths=0)
    ax.scatter(*X[picked].T, c="#d9730d", s=70, edgecolors="white", linewidths=1.2)
    ax.set_title(
        f"{name}\n{selector.n_dissimilarities_:,} dissimilarities", fontsize=10
    )
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
figure.tight_layout()
plt.show()
