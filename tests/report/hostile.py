"""Data that tries to be taken for markup."""

from protopick import FarthestFirstSelector

STRINGS = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 2</script>",
    '<img src=x onerror="window.hit = 3">',
    "say \"hi\" & 'bye'",
    "<!-- <script>",
    "]]>&lt;b&gt;",
    "line\u2028separator",
    "\u202egnp.exe",
    "שלום עולם",
    "مرحبا بالعالم",
    "",
    "half \ud800 a character",
]
LABELS = ["<b>bold</b>", "\"quoted\" 'label'", "عربي", "</script><script>window.hit = 4</script>"]


def hostile():
    """Return a fitted selector, its strings, labels, names and a title."""
    X = STRINGS * 5
    y = [LABELS[i % 4] for i in range(len(X))]
    ids = [f"<i>{i}</i>\"'><script>window.hit = 5</script>" for i in range(len(X))]
    selector = FarthestFirstSelector(8, metric="levenshtein", random_state=0).fit(X, y)
    return (
        selector,
        X,
        y,
        {"ids": ids, "title": "<script>window.hit = 6</script> שלום", "command": "a && b <c>"},
    )
