"""
Streamlines of a brain-like bundle
==================================

A streamline is a curve in space, with any number of points, and without a beginning:
read from the other end it is the same curve. The metric ``"mdf"`` compares such curves.
Here the picked ones summarise four bundles.
"""

# %%
# We make 600 streamlines of four bundles, each with its own number of points, every
# second one from its other end. They lie in one array of points, as tractography files
# have them: `protopick.Ragged` says where each one begins.
import matplotlib.pyplot as plt
import numpy as np

from protopick import FarthestFirstSelector, Ragged, SwapSelector


def bundle(curve, spread, n, rng):
    lines = []
    for _ in range(n):
        t = np.linspace(0, 1, rng.integers(20, 60))
        offset, fan = rng.normal(0, spread, 3), rng.normal(0, spread, 3)
        line = curve(t) + offset + np.outer((2 * t - 1) ** 2, fan)  # wider at both ends
        lines.append(line[::-1] if rng.random() < 0.5 else line)
    return lines


def arch(t):
    return np.column_stack([40 * (2 * t - 1), np.zeros_like(t), 25 * np.sin(np.pi * t)])


def tract(t):
    return np.column_stack([12 - 6 * t, 4 * np.sin(3 * t), 60 * t - 35])


def hook(t):
    return np.column_stack(
        [-30 + 14 * np.cos(3.6 * t), 28 * t - 10, 14 * np.sin(3.6 * t)]
    )


def belt(t):
    return np.column_stack(
        [4 * np.sin(2 * t), 50 * (2 * t - 1), -12 + 10 * np.sin(np.pi * t)]
    )


rng = np.random.default_rng(0)
parts = [
    bundle(curve, spread, n, rng)
    for curve, spread, n in (
        (arch, 3, 250),
        (tract, 2, 150),
        (hook, 2, 120),
        (belt, 2, 80),
    )
]
lines = [line for part in parts for line in part]
streamlines = Ragged(np.vstack(lines), np.cumsum([0, *map(len, lines)]))
print(f"{len(streamlines)} streamlines, {len(streamlines.points):,} points")

# %%
# Two ways to pick twelve. Swaps by coverage leave no streamline far from a prototype on
# average, so large bundles get more of them. Farthest-first traversal takes the
# outermost ones.
coverage = SwapSelector(12, criterion="coverage", metric="mdf", random_state=0).fit(
    streamlines
)
outermost = FarthestFirstSelector(12, metric="mdf", random_state=0).fit(streamlines)
for name, selector in (("coverage", coverage), ("farthest first", outermost)):
    distance = selector.transform(streamlines).min(axis=1)
    mean, most = distance.mean(), distance.max()
    print(f"{name}: {mean:.1f} mm to the nearest on average, {most:.1f} at most")

# %%
# All streamlines in grey, the prototypes in the colour of their bundle.
colours = np.repeat(
    ["#3b82c4", "#2a9455", "#d9730d", "#9467bd"], [len(part) for part in parts]
)
figure, axes = plt.subplots(1, 2, figsize=(10, 5), subplot_kw={"projection": "3d"})
for ax, title, selector in zip(
    axes, ("coverage", "farthest first"), (coverage, outermost), strict=True
):
    for line in lines[::3]:
        ax.plot(*line.T, color="#8a8a8a", alpha=0.13, linewidth=0.7)
    for i in selector.prototype_indices_:
        ax.plot(*streamlines[i].T, color=colours[i], linewidth=2.6)
    ax.set_title(title, y=1.0)
    ax.set_axis_off()
    ax.set_box_aspect((80, 100, 65), zoom=1.85)
    ax.view_init(16, -62)
figure.subplots_adjust(0, 0, 1, 0.92, 0)
plt.show()
