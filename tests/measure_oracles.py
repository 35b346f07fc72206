"""Slow, obvious versions of the figures of ``describe``: loops over a full matrix."""

import math

import numpy as np


def violations(D, triples):
    """Return the share of triples that break the triangle inequality, and the excess of each."""
    excess = []
    for a, b, c in triples:
        detour = D[a][b] + D[b][c]
        if D[a][c] > detour + 1e-5 * np.max(D):
            excess.append((D[a][c] - detour) / D[a][c])
    return len(excess) / len(triples), excess


def negative_eigenfraction(D):
    n = len(D)
    J = np.eye(n) - np.ones((n, n)) / n
    S = (D + D.T) / 2
    values = np.linalg.eig(-J @ (S * S) @ J / 2)[0].real
    return sum(-v for v in values if v < 0) / sum(abs(v) for v in values)


def nearest_neighbor_error(D, y):
    wrong = 0
    for i in range(len(D)):
        nearest = min((j for j in range(len(D)) if j != i), key=lambda j: (D[i][j], j))
        wrong += y[nearest] != y[i]
    return wrong / len(D)


def occurrences(D, k):
    """Let each object give k places to its nearest; those that tie for the last ones share them."""
    n = len(D)
    places = [0.0] * n
    for i in range(n):
        others = sorted(D[i][j] for j in range(n) if j != i)
        last = others[k - 1]
        left = k - sum(d < last for d in others)
        for j in range(n):
            if j != i and D[i][j] < last:
                places[j] += 1
            elif j != i and D[i][j] == last:
                places[j] += left / sum(d == last for d in others)
    return places


def skewness(values):
    mean = sum(values) / len(values)
    second = sum((v - mean) ** 2 for v in values) / len(values)
    third = sum((v - mean) ** 3 for v in values) / len(values)
    return third / second**1.5


def duplicates(D):
    return sum(any(D[i][j] == 0 and D[j][i] == 0 for j in range(i)) for i in range(len(D)))


def two_nn(D):
    """Facco et al., steps 1 to 5, on distinct objects."""
    n = len(D)
    log_ratios = []
    for i in range(n):
        first, second = sorted(D[i][j] for j in range(n) if j != i)[:2]
        log_ratios.append(math.log(second / first))
    log_ratios.sort()
    points = [(x, -math.log(1 - (i + 1) / n)) for i, x in enumerate(log_ratios[: int(0.9 * n)])]
    return sum(x * y for x, y in points) / sum(x * x for x, _ in points)


def landmark_place(to_landmarks, L, n_dimensions):
    """De Silva and Tenenbaum: the point of one object from its dissimilarities to the landmarks."""
    squares = L * L
    means = squares.mean(axis=0)
    m = len(L)
    J = np.eye(m) - np.ones((m, m)) / m
    values, vectors = np.linalg.eigh(-J @ squares @ J / 2)
    point = []
    for axis in range(n_dimensions):
        value, vector = values[-1 - axis], vectors[:, -1 - axis]
        product = sum(v * (d * d - s) for v, d, s in zip(vector, to_landmarks, means, strict=True))
        point.append(-product / (2 * math.sqrt(value)))
    return point
