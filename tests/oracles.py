"""Slow, obvious versions of everything: the paper's pseudo-code, line by line, on a full matrix.

``D[x, r]`` is the dissimilarity of object x to object r. Random numbers are drawn in the order that
the library promises, so that the same seed must give the same prototypes.
"""

from fractions import Fraction

import numpy as np


def euclidean(X):
    D = np.empty((len(X), len(X)), np.result_type(X.dtype, np.float32))
    for i, a in enumerate(X):
        for j, b in enumerate(X):
            D[i, j] = np.sqrt(sum((p - q) ** 2 for p, q in zip(a.tolist(), b.tolist(), strict=True)))
    return D


def tree_weight(D, w):
    """Algorithm 2: the sum of the edges of the minimum spanning tree, by Prim's algorithm."""
    tree = [0]
    total = 0.0
    while len(tree) < len(w):
        edges = [
            ((D[w[u], w[v]] + D[w[v], w[u]]) / 2, v) for v in range(len(w)) if v not in tree for u in tree
        ]
        weight, node = min(edges)
        total += weight
        tree.append(node)
    return total


def label_matches(D, y, w):
    """Algorithm 3: how many objects have the label of their nearest prototype."""
    fitness = 0
    for x in range(len(D)):
        nearest = min(range(len(w)), key=lambda j: (D[x, w[j]], j))
        if y[x] == y[w[nearest]]:
            fitness += 1
    return fitness


def weighted_label_matches(D, y, w, weights):
    """What the objects weigh that have the label of their nearest prototype."""
    return sum(
        weight
        for x, weight in enumerate(weights)
        if y[x] == y[w[min(range(len(w)), key=lambda j: (D[x, w[j]], j))]]
    )


def coverage(D, w, weights):
    """Minus the mean dissimilarity of an object to its nearest prototype."""
    total = sum(weight * min(D[x, p] for p in w) for x, weight in enumerate(weights))
    return -total / sum(weights)


def radius(D, w):
    """Minus the largest dissimilarity of an object to its nearest prototype."""
    return -max(min(D[x, p] for p in w) for x in range(len(D)))


def nearest_of_own_and_others(D, y, w, x):
    """The distances, in the dissimilarity space, to the nearest object of the own class and of another."""
    apart = {z: np.sqrt(sum((D[x, p] - D[z, p]) ** 2 for p in w)) for z in range(len(D)) if z != x}
    own = min((a for z, a in apart.items() if y[z] == y[x]), default=np.inf)
    return own, min((a for z, a in apart.items() if y[z] != y[x]), default=np.inf)


def neighbor_agreement(D, y, w, weights):
    """The share of objects with a neighbour of their class nearer than any of another class.

    Objects are compared by their dissimilarities to the prototypes. The weight of an object says how
    much its own neighbour counts; it makes no difference to the neighbours that others have.
    """
    agreeing = 0
    for x in range(len(D)):
        own, other = nearest_of_own_and_others(D, y, w, x)
        if own < other:
            agreeing += weights[x]
    return agreeing / sum(weights)


def neighbor_margin(D, y, w, weights):
    """How much nearer the neighbour of the same class is than any of another class."""
    total = 0.0
    for x in range(len(D)):
        own, other = nearest_of_own_and_others(D, y, w, x)
        if own == other:  # also where there is neither
            t = 0.0
        elif np.isinf(own) or np.isinf(other):
            t = -10.0 if np.isinf(own) else 10.0
        else:
            t = 10 * (other - own) / (other + own)
        total += weights[x] * (1 + t / (1 + abs(t))) / 2
    return total / sum(weights)


def discriminant(D, y, w, weights):
    """The trace of the scatter between classes over that within classes, in exact fractions.

    A millionth of the whole variance is added to that within, and a column without any counts one there.
    The largest weight counts one.
    """
    n, k = len(D), len(w)
    weights = [Fraction(int(weight), int(max(weights))) for weight in weights]
    features = [[Fraction(float(D[x, p])) for p in w] for x in range(n)]
    groups = [[x for x in range(n) if y[x] == c and weights[x]] for c in sorted(set(y))]
    groups = [group for group in groups if group]

    def mean(group, j):
        return sum(weights[x] * features[x][j] for x in group) / sum(weights[x] for x in group)

    means = [[mean(group, j) for j in range(k)] for group in groups]
    middle = [mean([x for group in groups for x in group], j) for j in range(k)]
    within, between = np.zeros((k, k)), np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            inside = sum(
                weights[x] * (features[x][i] - m[i]) * (features[x][j] - m[j])
                for group, m in zip(groups, means, strict=True)
                for x in group
            )
            across = sum(
                sum(weights[x] for x in group) * (m[i] - middle[i]) * (m[j] - middle[j])
                for group, m in zip(groups, means, strict=True)
            )
            if i == j:
                inside = inside + (inside + across) / 1_000_000 or Fraction(1)
            within[i, j], between[i, j] = inside, across
    return np.trace(np.linalg.solve(within, between))


def margin(D, y, w, weights, shared):
    """How surely normal densities in the dissimilarity space tell the class of an object.

    With one covariance matrix for all classes, or one for each, that of a small class mixed with the shared
    one. Features are standardised, and a millionth is added to their variances. Weights are one on average.
    """
    k, y = len(w), np.asarray(y)
    weights = np.asarray(weights, float) / np.mean(weights)
    features = np.array([[float(D[x, p]) for p in w] for x in range(len(D))])
    features -= np.average(features, axis=0, weights=weights)
    spread = np.sqrt(np.average(features**2, axis=0, weights=weights))
    features /= np.where(spread > 0, spread, 1)
    classes = [c for c in sorted(set(y.tolist())) if weights[y == c].any()]
    means = {c: np.average(features[y == c], axis=0, weights=weights[y == c]) for c in classes}
    scatter = {c: np.zeros((k, k)) for c in classes}
    for x, c in enumerate(y.tolist()):
        if c in scatter:
            scatter[c] += weights[x] * np.outer(features[x] - means[c], features[x] - means[c])
    whole = sum(scatter.values()) / max(weights.sum() - len(set(y.tolist())), 1)
    scores = []
    for c in classes:
        share = weights[y == c].sum()
        own = 0 if shared else 1 / (1 + (k / max(share - 1, 1e-12)) ** 2)
        covariance = own * scatter[c] / max(share - 1, 1) + (1 - own) * whole + 1e-6 * np.eye(k)
        apart = features - means[c]
        lengths = (apart * np.linalg.solve(covariance, apart.T).T).sum(axis=1)
        scores.append(np.log(share / weights.sum()) - (lengths + np.linalg.slogdet(covariance)[1]) / 2)
    total = 0.0
    for x, c in enumerate(y.tolist()):
        if c in classes:
            own = classes.index(c)
            others = [scores[i][x] for i in range(len(classes)) if i != own]
            t = 10 / k * (scores[own][x] - max(others)) if others else np.inf
            total += weights[x] * (1.0 if t == np.inf else (1 + t / (1 + abs(t))) / 2)
    return total / weights.sum()


CRITERIA = {
    "spanning-tree": lambda D, y, w, weights: tree_weight(D, w),
    "label-match": weighted_label_matches,
    "coverage": lambda D, y, w, weights: coverage(D, w, weights),
    "radius": lambda D, y, w, weights: radius(D, w),
    "neighbor-agreement": neighbor_agreement,
    "neighbor-margin": neighbor_margin,
    "discriminant": discriminant,
    "linear-margin": lambda D, y, w, weights: margin(D, y, w, weights, shared=True),
    "quadratic-margin": lambda D, y, w, weights: margin(D, y, w, weights, shared=False),
}
"""The value of a set w by each criterion, given the matrix, the labels and the weights."""


def two_nearest(D, w):
    """The positions of the nearest and of the second nearest prototype of each object, -1 for none."""
    ranked = [sorted(range(len(w)), key=lambda j: (D[x, w[j]], j)) for x in range(len(D))]
    return [order[0] for order in ranked], [order[1] if len(w) > 1 else -1 for order in ranked]


def always(prototypes, candidate, position):
    return True


def keeps(codes, low, high):
    """Return what says whether a candidate may take a position by the number of each class."""

    def allowed(prototypes, candidate, position):
        after = [*prototypes[:position], candidate, *prototypes[position + 1 :]]
        counts = [sum(codes[p] == c for p in after) for c in range(len(low))]
        return all(a <= b <= c for a, b, c in zip(low, counts, high, strict=True))

    return allowed


def best_exchange(value, best, candidate, n_fixed, allowed):
    """The value and the position of the best exchange for a candidate, the lowest of equal ones."""
    found = (-np.inf, None)
    for position in range(n_fixed, len(best)):
        if allowed(best, candidate, position):
            after = value([*best[:position], candidate, *best[position + 1 :]])
            if after > found[0]:
                found = after, position
    return found


def first_improvement(value, start, pool, n_fixed=0, allowed=always):
    """One candidate after the other; stop after a full round in vain. Return the set and the history."""
    best, pool, history = list(start), list(pool), [value(list(start))]
    at = in_vain = 0
    while in_vain < len(pool) and n_fixed < len(best):
        after, position = best_exchange(value, best, pool[at], n_fixed, allowed)
        in_vain += 1
        if after > history[-1]:
            best[position], pool[at] = pool[at], best[position]
            history.append(after)
            in_vain = 0
        at = (at + 1) % len(pool)
    return best, history


def best_of_batch(value, start, pool, n_fixed=0, allowed=always, size=64):
    """The best exchange of a batch, as long as it has one, then the next batch."""
    best, pool, history = list(start), list(pool), [value(list(start))]
    at = in_vain = 0
    while in_vain < len(pool) and n_fixed < len(best):
        batch = [(at + i) % len(pool) for i in range(min(size, len(pool) - in_vain))]
        found = [(*best_exchange(value, best, pool[i], n_fixed, allowed), i) for i in batch]
        after, position, i = max(found, key=lambda exchange: exchange[0])
        if after > history[-1]:
            best[position], pool[i] = pool[i], best[position]
            history.append(after)
            in_vain = 0
        else:
            at = (at + len(batch)) % len(pool)
            in_vain += len(batch)
    return best, history


def clusters(D, candidates, fixed, k, rng):
    """Nearest prototype clustering assignment to random distinct centres."""
    chosen = rng.choice(len(candidates), k - len(fixed), replace=False)
    centres = [*fixed, *(candidates[i] for i in chosen)]

    def nearest(x):
        return min(range(k), key=lambda j: (D[x, centres[j]], j))

    repeated = [
        j
        for j in range(len(fixed), k)
        if D[centres[j], centres[nearest(centres[j])]] == 0 and nearest(centres[j]) != j
    ]
    for j in repeated:
        others = [x for x in candidates if D[x, centres[nearest(x)]] > 0 and x not in centres[len(fixed) :]]
        if not others:
            raise ValueError("fewer distinct objects than clusters")
        centres[j] = others[int(rng.random() * len(others))]
    members = [[] for _ in range(k)]
    for x in candidates:
        own = centres.index(x, len(fixed)) if x in centres[len(fixed) :] else nearest(x)
        members[own].append(x)
    return members


def draw(pool, individual, own, rng):
    """A random member of the pool that the individual does not have; ``own`` may stay."""
    taken = set(individual) - ({own} if own is not None else set())
    if all(member in taken for member in pool):
        return None
    while True:
        gene = pool[int(rng.random() * len(pool))]
        if gene not in taken:
            return gene


def genetic(
    fitness,
    D,
    k,
    seed,
    clustered,
    *,
    population_size=20,
    n_generations=20,
    crossover_rate=0.5,
    mutation_rate=0.1,
    candidates=None,
    fixed=(),
):
    """Algorithm 1."""
    rng = np.random.default_rng(seed)
    fixed = list(fixed)
    candidates = [c for c in (range(len(D)) if candidates is None else sorted(candidates)) if c not in fixed]
    pools = clusters(D, candidates, fixed, k, rng) if clustered else [candidates] * k
    population = []
    for _ in range(population_size):
        individual = list(fixed)
        for j in range(len(fixed), k):
            individual.append(draw(pools[j], individual, None, rng))
        population.append(individual)
    best = population[0]
    for current in population:
        if fitness(current) > fitness(best):
            best = current
    for _ in range(n_generations):
        others = [current for current in population if current is not best]
        reproduces = rng.random((len(others), k)) < crossover_rate
        mutates = rng.random((len(others), k)) < mutation_rate
        for i, current in enumerate(others):
            had = list(current)
            for j in range(len(fixed), k):
                if reproduces[i][j] and best[j] not in had:
                    current[j] = best[j]
        for i, current in enumerate(others):
            for j in range(len(fixed), k):
                if mutates[i][j]:
                    gene = draw(pools[j], current, current[j] if clustered else None, rng)
                    if gene is not None:
                        current[j] = gene
        for current in population:
            if fitness(current) > fitness(best):
                best = current
    return best


def farthest_first(D, k, seed, fixed=()):
    rng = np.random.default_rng(seed)
    picked = list(fixed) or [int(rng.random() * len(D))]
    while len(picked) < k:
        left = [x for x in range(len(D)) if x not in picked]
        picked.append(max(left, key=lambda x: (min(D[x, p] for p in picked), -x)))
    return picked


def k_centres(D, k, seed, max_iter=100):
    rng = np.random.default_rng(seed)
    n = len(D)
    centres = rng.choice(np.arange(n), k, replace=False).tolist()
    for _ in range(max_iter):
        members = [[] for _ in range(k)]
        for x in range(n):
            own = min(range(k), key=lambda j: (D[x, centres[j]], j))
            members[centres.index(x) if x in centres else own].append(x)
        moved = [min(group, key=lambda c: (max(D[x, c] for x in group), c)) for group in members]
        if moved == centres:
            break
        centres = moved
    return centres


def forward_selection(D, y, k):
    picked = []
    while len(picked) < k:
        left = [c for c in range(len(D)) if c not in picked]

        def rank(c):
            w = [*picked, c]
            total = sum(min(D[x, r] for r in w) for x in range(len(D)))
            return -label_matches(D, y, w), round(total, 9), c

        picked.append(min(left, key=rank))
    return picked


def spherical_hamming(a, b):
    """Bits that differ over bits that both have."""
    differ = sum(p != q for p, q in zip(a, b, strict=True))
    shared = sum(p and q for p, q in zip(a, b, strict=True))
    return differ / shared if shared else differ * 64.0
