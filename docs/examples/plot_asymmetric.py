"""
Travel times are not symmetric
==============================

Uphill takes longer than downhill. With a matrix that is not symmetric, the direction
matters: rows are objects, columns are candidates, so entry (i, j) is the way *from
object i to candidate j*.
"""

# %%
# A hilly country and 400 villages. A walker's speed depends on the slope: it falls as
# the way gets steeper, and faster uphill. The time between two villages is summed along
# the straight line.
import matplotlib.pyplot as plt
import numpy as np

from protopick import SwapSelector, describe


def height(x, y):
    return 900 * np.exp(-((x - 6) ** 2 + (y - 6) ** 2) / 5) + 500 * np.exp(
        -((x - 2) ** 2 + (y - 2.5) ** 2) / 2
    )


def hours(start, end, steps=24):
    t = np.linspace(0, 1, steps + 1)
    way = (
        start[..., None, :] + t[:, None] * (end - start)[..., None, :]
    )  # (..., steps + 1, 2) in km
    rise = np.diff(height(way[..., 0], way[..., 1]), axis=-1) / 1000
    step = np.linalg.norm(end - start, axis=-1)[..., None] / steps
    slope = np.divide(rise, step, out=np.zeros_like(rise), where=step > 0)
    speed = 6 * np.exp(-3.5 * np.abs(slope + 0.05))  # km/h; fastest slightly downhill
    return (step / speed).sum(axis=-1)


villages = np.random.default_rng(4).uniform(0, 8, (400, 2))
T = hours(villages[:, None], villages[None])  # (from, to)
print(describe(T, "precomputed"))

# %%
# Where should five schools be, to which everyone walks in the morning? And five
# bakeries, from which bread is carried to everyone? For the second question the matrix
# is turned over.
schools = SwapSelector(
    5, metric="precomputed", criterion="coverage", random_state=0
).fit(T)
bakeries = SwapSelector(
    5, metric="precomputed", criterion="coverage", random_state=0
).fit(T.T)

for name, selector in (("schools", schools), ("bakeries", bakeries)):
    there, back = T[:, selector.prototype_indices_], T[selector.prototype_indices_].T
    to, back_from = there.min(axis=1).mean(), back.min(axis=1).mean()
    print(f"{name}: {to:.2f} h to the nearest, {back_from:.2f} h from it")

# %%
# Schools lie lower than bakeries.
grid = np.meshgrid(np.linspace(0, 8, 200), np.linspace(0, 8, 200))
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.6), sharey=True)
for ax, title, selector in zip(
    axes, ("to schools", "from bakeries"), (schools, bakeries), strict=True
):
    ax.contourf(*grid, height(*grid), levels=14, cmap="Greens_r", alpha=0.75)
    picked = villages[selector.prototype_indices_]
    times = T if selector is schools else T.T
    nearest = times[:, selector.prototype_indices_].argmin(axis=1)
    ax.plot(
        *np.stack([villages, picked[nearest]]).transpose(2, 0, 1),
        color="white",
        alpha=0.35,
        linewidth=0.7,
    )
    ax.scatter(*villages.T, c="#24292f", s=6)
    ax.scatter(
        *picked.T,
        c="#d9730d",
        s=130,
        marker="s",
        edgecolors="white",
        linewidths=1.5,
        zorder=3,
    )
    mean_height = height(*picked.T).mean()
    ax.set(
        title=f"{title}: {mean_height:.0f} m high on average",
        aspect="equal",
        xlabel="km",
    )
axes[0].set_ylabel("km")
figure.tight_layout()
plt.show()
