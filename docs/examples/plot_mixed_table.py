"""
Customers in a mixed table with gaps
====================================

Numbers, categories and missing values in one table. Gower's dissimilarity compares rows
column by column, and the rows that are picked can be read as they are.
"""

# %%
# A table of 1,500 customers of a gym. Three groups are hidden in it, and about a tenth
# of the values are missing.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from protopick import SwapSelector

rng = np.random.default_rng(0)
groups = {
    "student": {
        "age": (22, 2.5),
        "visits": (9, 3),
        "months": (8, 5),
        "plan": "day pass",
        "hour": "evening",
    },
    "worker": {
        "age": (38, 7),
        "visits": (5, 2),
        "months": (30, 14),
        "plan": "yearly",
        "hour": "morning",
    },
    "retired": {
        "age": (68, 5),
        "visits": (12, 3),
        "months": (60, 25),
        "plan": "monthly",
        "hour": "noon",
    },
}
kinds = rng.choice(list(groups), 1500, p=[0.45, 0.4, 0.15])


def column(name, others=None):
    usual = [groups[kind][name] for kind in kinds]
    if others is None:
        return np.maximum(1, [rng.normal(*value) for value in usual]).round()
    return np.where(rng.random(1500) < 0.8, usual, rng.choice(others, 1500))


customers = pd.DataFrame(
    {
        "age": column("age"),
        "visits a month": column("visits"),
        "member for": column("months"),
        "plan": pd.Categorical(column("plan", ["day pass", "monthly", "yearly"])),
        "comes in the": pd.Categorical(column("hour", ["morning", "noon", "evening"])),
    }
)
customers = customers.mask(rng.random(customers.shape) < 0.1)
customers.head()

# %%
# Six customers that stand for all, without labels. A column in which one of two rows
# has a gap is left out, so rows with gaps would look close to many others; only
# complete ones may be picked. Age counts twice. ``prototypes_`` is a frame, as what
# went in. ``order_`` sorts them by their worth, so the first rows are a good set of so
# few.
complete = customers.notna().all(axis=1)
selector = SwapSelector(
    6,
    metric="gower",
    metric_params={"weights": {"age": 2}},
    candidates=complete,
    random_state=0,
).fit(customers)
nearest = selector.transform(customers).argmin(axis=1)
shown = selector.prototypes_.assign(stands_for=np.bincount(nearest)).iloc[
    selector.order_
]
shown

# %%
# The groups that were hidden are found again, though no label was passed.
found = pd.crosstab(nearest, kinds).iloc[selector.order_]
figure, ax = plt.subplots(figsize=(8, 3.4))
left = np.zeros(6)
for kind, colour in zip(groups, ("#3b82c4", "#2a9455", "#d9730d"), strict=True):
    ax.barh(range(6), found[kind], left=left, color=colour, label=kind, height=0.65)
    left += found[kind].to_numpy()
ax.set_yticks(
    range(6), [f"{row.plan}, {row.age:.0f} years" for row in shown.itertuples()]
)
ax.invert_yaxis()
ax.set_xlabel("customers for whom this one stands")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
figure.tight_layout()
plt.show()
