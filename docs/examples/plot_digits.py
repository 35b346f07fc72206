"""
Twenty digits that stand for 1,797
==================================

Pick 20 handwritten digits, look at them, and classify all others by their distances to
these 20.
"""

# %%
# The digits of scikit-learn are images of 8 x 8 pixels. We pick out of three quarters
# of them and keep the rest for the test. Labels are passed, so the swaps look for
# prototypes whose neighbours have their label.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances_argmin
from sklearn.model_selection import train_test_split

from protopick import RandomSelector, SwapSelector, qdc

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)

selector = SwapSelector(20, random_state=0).fit(X, y)
matches = selector.criterion_value_
print(f"{matches:.0f} of {len(X)} digits have the label of their nearest prototype")

# %%
# Here they are, by their class. Above each one: how many digits are nearer to it than
# to the others, and how many of these have its label.
nearest = pairwise_distances_argmin(X, selector.prototypes_)
figure, axes = plt.subplots(2, 10, figsize=(10, 2.9))
by_class = np.argsort(selector.prototype_labels_, kind="stable")
for ax, j in zip(axes.ravel(), by_class, strict=True):
    near = y[nearest == j]
    purity = np.mean(near == selector.prototype_labels_[j])
    ax.imshow(
        selector.prototypes_[j].reshape(8, 8), cmap="gray_r", interpolation="bilinear"
    )
    ax.set_title(f"{len(near)}, {purity:.0%}", fontsize=10)
    ax.set(xticks=[], yticks=[])
figure.tight_layout()
plt.show()

# %%
# ``transform`` describes every digit by its 20 distances. Any classifier for vectors
# works there. How many prototypes does it take? Random ones are the baseline that any
# method has to beat; here they are averaged over five seeds.
numbers = [3, 5, 10, 20, 40]


def error(selector):
    space = selector.fit(X, y)
    return 1 - qdc().fit(space.transform(X), y).score(space.transform(X_test), y_test)


swaps = [error(SwapSelector(k, random_state=0)) for k in numbers]
random = [
    [error(RandomSelector(k, random_state=seed)) for seed in range(5)] for k in numbers
]

figure, ax = plt.subplots(figsize=(6.4, 3.8))
middle, spread = np.mean(random, axis=1), np.std(random, axis=1)
ax.fill_between(
    numbers,
    100 * (middle - spread),
    100 * (middle + spread),
    color="#8a8a8a",
    alpha=0.25,
)
ax.plot(
    numbers,
    100 * middle,
    color="#8a8a8a",
    marker="o",
    label="random (mean and spread of 5)",
)
ax.plot(numbers, 100 * np.array(swaps), color="#d9730d", marker="o", label="swaps")
ax.set(
    xscale="log", xlabel="prototypes", ylabel="test error of QDC in %", ylim=(0, None)
)
ax.set_xticks(numbers, numbers)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
