"""Slow, obvious versions of everything: the paper's pseudo-code, line by line, on a full matrix.

``D[x, r]`` is the dissimilarity of object x to object r. Random numbers are drawn in the order that
the library promises, so that the same seed must give the same prototypes.
"""

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
        for current in population:
            if current is best:
                continue
            for j in range(len(fixed), k):
                if rng.random() < crossover_rate and best[j] not in current:
                    current[j] = best[j]
            for j in range(len(fixed), k):
                if rng.random() < mutation_rate:
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
