"""
Heartbeats of unequal length
============================

Pick the beats that stand for an ECG recording. Beats differ in length, so they are
compared by dynamic time warping, and no beat is cut or stretched beforehand.
"""

# %%
# We make beats of four kinds out of bumps: the P wave, the QRS complex and the T wave.
# A premature ventricular beat is wide and has no P wave, after a lack of oxygen the T
# wave points down, and in the last kind there is a second R wave. Every beat has its
# own length, and its own shifts, heights and noise.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from protopick import SwapSelector, ldc

# of each wave: when (share of the beat), how wide, how high
KINDS = {
    "normal": [
        (0.2, 0.025, 0.15),
        (0.37, 0.01, -0.15),
        (0.4, 0.012, 1.1),
        (0.43, 0.01, -0.25),
        (0.68, 0.05, 0.3),
    ],
    "premature": [(0.37, 0.05, 0.9), (0.5, 0.06, -0.55), (0.7, 0.06, -0.25)],
    "inverted T": [
        (0.2, 0.025, 0.15),
        (0.37, 0.01, -0.1),
        (0.4, 0.012, 1.0),
        (0.43, 0.01, -0.2),
        (0.68, 0.06, -0.3),
    ],
    "second R": [
        (0.2, 0.025, 0.15),
        (0.37, 0.012, 0.55),
        (0.41, 0.01, -0.3),
        (0.45, 0.018, 0.85),
        (0.7, 0.05, 0.2),
    ],
}


def beat(waves, rng):
    length = rng.integers(80, 140)
    t = np.linspace(0, 1, length) + rng.normal(0, 0.03)
    signal = rng.normal(0, 0.02, length)
    for when, width, height in waves:
        middle, height = when + rng.normal(0, 0.008), height * rng.normal(1, 0.12)
        signal += height * np.exp(-(((t - middle) / width) ** 2) / 2)
    return signal


rng = np.random.default_rng(0)
names = np.array(list(KINDS))
y = rng.choice(names, 400, p=[0.55, 0.15, 0.2, 0.1])
beats = [beat(KINDS[kind], rng) for kind in y]
print(f"{len(beats)} beats of {min(map(len, beats))} to {max(map(len, beats))} samples")

# %%
# Eight prototypes, at least one of each kind, out of 60 random candidates.
# ``window=0.1`` lets the alignment stray by a tenth of the length.
train, test, y_train, y_test = train_test_split(beats, y, stratify=y, random_state=0)
params = {"metric": "dtw", "metric_params": {"window": 0.1}}
selector = SwapSelector(8, **params, per_class=1, max_candidates=60, random_state=0)
model = make_pipeline(selector, ldc()).fit(train, y_train)
print(f"{model.score(test, y_test):.0%} right, from eight numbers a beat")
print(f"{selector.n_dissimilarities_:,} alignments; all pairs: {len(train) ** 2:,}")

# %%
# The beats of each kind, and on top of them those that were picked.
figure, axes = plt.subplots(2, 2, figsize=(9, 5.4), sharey=True)
for ax, kind in zip(axes.ravel(), names, strict=True):
    for series, label in zip(train, y_train, strict=True):
        if label == kind:
            ax.plot(series, color="#3b82c4", alpha=0.12, linewidth=0.8)
    for series, label in zip(
        selector.prototypes_, selector.prototype_labels_, strict=True
    ):
        if label == kind:
            ax.plot(series, color="#d9730d", linewidth=2)
    ax.set_title(kind)
    ax.spines[["top", "right"]].set_visible(False)
for ax in axes[1]:
    ax.set_xlabel("sample")
figure.tight_layout()
plt.show()
