"""Numbers and names as the page writes them."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from protopick.report.views.base import shortened

_SPACE = "\u00a0"  # keeps a number and its unit on one line
_DASH = "\u2013"
_LONGEST_LABEL, _LONGEST_CODE = 40, 100


def from_data(text: Any, longest: int = _LONGEST_LABEL) -> str:
    """Return a text that comes from the data as HTML that shows it as it is, in its own direction."""
    whole = str(text)
    return _shown(shortened(whole, longest), whole)


def narrow(text: str, longest: int) -> str:
    """Return a text that comes from the data like `from_data`, but shortened in its middle."""
    if len(text) <= longest:
        return from_data(text)
    tail = (longest - 1) // 2
    return _shown(f"{text[: longest - 1 - tail]}…{text[-tail:]}", text)


def metric_name(metric: Any) -> str:
    """Return what a metric is called: its name, that of its function, or the code that made it."""
    if isinstance(metric, str):
        return metric
    return getattr(metric, "__name__", None) or " ".join(repr(metric).split())


def from_code(code: str, longest: int = _LONGEST_CODE) -> str:
    """Return code like `from_data`, but shortened at a space, not within a name or a number."""
    if len(code) <= longest:
        return from_data(code, longest)
    start = code[: longest - 1]
    return _shown(f"{start.rpartition(' ')[0] or start[:-1]} …", code)


def _shown(short: str, whole: str) -> str:
    title = f' title="{escape(whole)}"' if short != whole else ""
    return f"<bdi{title}>{escape(short) or '<i>empty</i>'}</bdi>"


def count(n: int) -> str:
    """Return a whole number with commas."""
    return f"{n:,}"


def percent(share: float) -> str:
    """Return a share as a percentage, with a digit more where it is small or nearly all."""
    value = 100 * share
    digits = 0 if value in (0, 100) else 1
    text = f"{value:.{digits}f}"
    if text in ("0.0", "100.0"):  # not none, not all
        text = "< 0.1" if text == "0.0" else "> 99.9"
    return f"{text}{_SPACE}%"


def duration(seconds: float) -> str:
    """Return a time in the unit that fits."""
    if seconds < 1:
        return f"{1000 * seconds:.0f}{_SPACE}ms"
    if seconds < 120:
        return f"{seconds:.1f}{_SPACE}s"
    return f"{seconds / 60:.0f}{_SPACE}min" if seconds < 7200 else f"{seconds / 3600:.1f}{_SPACE}h"


def number(value: float | None) -> str:
    """Return a number with four digits, a dash where there is none."""
    if value is None:
        return _DASH
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.4g}"


def decimals(value: float | None) -> str:
    """Return a number with four decimals, so that those of a column line up; a dash where there is none."""
    return _DASH if value is None else f"{value:.4f}"


def several(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def one_of(noun: str) -> str:
    """Return what one object is called where several are called this."""
    return noun if noun == "series" else noun.removesuffix("s")


def script_json(value: Any) -> str:
    """Return a value as JSON that no HTML parser takes for markup."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)  # ASCII only, so no U+2028 either
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
