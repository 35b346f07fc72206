"""The library's words in those of the command line: options for parameters, the file for X."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from protopick.selectors.pick import METHODS

_OPTIONS = {
    "n_prototypes": "-k",
    "per_class": "--per-class",
    "n_pivots": "--pivots",
    "n_jobs": "--jobs",
    "criterion": "--criterion",
    "metric": "--metric",
    "sample": "--sample",
}
_OWN = re.compile(  # what the user wrote
    rf"""
    ((?<![\w-])(?P<option>{"|".join(_OPTIONS)})=)?  # for a parameter or not,
    (?P<text>  # as repr shows it, perhaps cut off,
        (?<!\w)b?(?P<mark>['"])(\\.|(?!(?P=mark))[^\\])*((?P=mark)(?!\w)|\\?(?=\ of\ type\ ))
    )
    | (?<=\bpath=)\S+ | ^--[\w-]+=\S+  # or a path
    """,
    re.VERBOSE,
)
_Rules = Mapping[str, str | Callable[[re.Match[str]], str]]
"""Patterns, and what stands instead."""

_SELECTORS = {kind.__name__: name for name, kind in METHODS.items()}

_ONLY_IN_PYTHON: _Rules = {  # what the command line has not, and what is to be said there
    r", a function of two objects, .*? made(?=\.)": "",
    r"; for any objects metric=f\b.*": ".",
    r"\bpass metric=f, a function of two of them, or the name of": "pass",
    r", or compare it by metric=weighted_sum\(\{\.\.\.\}\)": "",
    r" To compare several columns, pass metric=weighted_sum\(\{\.\.\.\}\)\.": "",
    r", or pass clustered=False( to \w+)?": "",
    r"; max_dissimilarities limits it": "",
    r", and ask forecast\(\) before you fit": "",
    r"\bpass (X as )?an array of NumPy": "leave --device out",
    r"\bPass an array of NumPy": "Leave --device out",
    r" To hash other objects, pass n_pivots=64, pivot_code='binary' instead\.": "",
    r", or pass numpy\.float64": "",
    r", or a function of two batches of tensors marked with @batch_metric": "",
    r"\brequires y to be passed, but the target y is None\. Pass the labels as fit\(X, y\)": "needs to know "
    "the classes. Pass --labels",
    r"\bpath=": "MODEL=",
    r"(changed since: )\w+: ": r"\1",  # the name of an exception
    r"\bload does it only where it is allowed: (.*) pass allow_imports=.*": r"that is to be allowed: \1 pass "
    "--allow-imports.",
}
_NAMES: _Rules = {
    rf"(?<![\w-])({'|'.join(_OPTIONS)})=(?=[\w-])": lambda found: f"{_OPTIONS[found[1]]} ",
    r"\bmetric_params has": "--metric-param has",
    r"\bn_(pivots|jobs)\b": r"--\1",
    r"\bn_prototypes\b": "-k",
    r"\bper_class\b": "--per-class",
    rf"\b({'|'.join(_SELECTORS)})\b": lambda found: f"--method {_SELECTORS[found[1]]}",
    r"^(Input )?X (?=contains|has|holds)": "The file ",
    r" of X\b": "",
    r"\bX (?=has|holds)": "the file ",
    r"\bprototypes_\[(\d+)\]": r"prototype \1 (counted from 0)",
    r"\bX\[(\d+), (\d+)\]": r"row \1, column \2 (counted from 0)",
    r"^X\[(\d+)\]": r"Object \1 (counted from 0)",
    r"\bX\[(\d+)\]": r"object \1",
}
IN_OPTIONS: _Rules = {**_ONLY_IN_PYTHON, **_NAMES}
OF_A_MODEL: _Rules = {  # which has its metric, so none can be chosen
    r"--metric[ =](\w+)(?= compares| needs)": r"\1, the metric of the model,",
    r", drop such rows, or pass a metric that takes gaps: .*": ", or drop such rows.",
    r"Leave (these columns|them) out by --columns.*": "The model needs all its columns: mend the values, or "
    "leave such rows out.",
    r",? or compare (all kinds|what is there) by --metric gower": "",
    r"; `protopick metrics` tells which\b[^.]*": ". The model compares nothing else",
    r"`protopick metrics` tells which\b[^.]*": "The model compares nothing else",
}


def in_options(text: str) -> str:
    """Return a sentence of the library with options and the file for the parameters that they stand for.

    What the user wrote, such as the name of a column, stays as it is.

    Examples
    --------
    >>> in_options("n_pivots=80 is above the number of objects, 9. Pass at most 9, or leave it out.")
    '--pivots 80 is above the number of objects, 9. Pass at most 9, or leave it out.'
    """
    own: list[str] = []

    def hide(found: re.Match[str]) -> str:
        option, text = found["option"], found["text"] or found[0]
        place = f"\0{len(own)}\0"
        if option is None:
            own.append(text)
            return place
        own.append(text[1:-1] if re.fullmatch(r"[\w-]+", text[1:-1]) else text)
        return f"{_OPTIONS[option]} {place}"

    said = _replaced(_OWN.sub(hide, text), IN_OPTIONS)
    return re.sub("\0([0-9]+)\0", lambda found: own[int(found[1])], said)


def of_a_model(text: str) -> str:
    """Return a sentence without the way out of another metric, where a model has one.

    Examples
    --------
    >>> of_a_model("dtw compares series, but x.txt holds strings. `protopick metrics` tells which suit.")
    'dtw compares series, but x.txt holds strings. The model compares nothing else.'
    """
    return _replaced(text, OF_A_MODEL)


def _replaced(text: str, rules: _Rules) -> str:
    for pattern, instead in rules.items():
        text = re.sub(pattern, instead, text)
    return text
