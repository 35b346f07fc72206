"""The gallery: a card for each prototype."""

from __future__ import annotations

from typing import Any

from protopick.report.colors import Style, class_styles
from protopick.report.pictures import background_key, picture
from protopick.report.text import count, from_data, percent, several


def cards(summary: dict[str, Any], *, interactive: bool) -> list[str]:
    """Return a list item for each prototype, with a button that the page's script listens to."""
    styles = class_styles(summary)
    behind = {"behind": background_key(summary["background"])} if summary["background"] else {}
    return [_card(one, behind, styles, interactive) for one in summary["prototypes"]]


def _card(one: dict[str, Any], behind: dict[str, str], styles: list[Style], interactive: bool) -> str:
    called = name_of(one)
    shown = one["picture"] | behind
    drawn = picture(shown, called)
    id_line = f'<div class="pp-id">{from_data(_object(one))}</div>'
    if one["picture"]["kind"] == "nothing":
        drawn, id_line = f'<div class="pp-text pp-middle">{from_data(_object(one))}</div>', ""
    label = ""
    if one["label"] is not None:
        label = f'<span class="pp-label">{styles[one["class"]].dot}{from_data(one["label"])}</span>'
    button = f'<button type="button" class="pp-pick" data-rank="{one["rank"] - 1}" aria-pressed="false">'
    button += f'<span class="pp-unseen">{from_data(called)}: show on the map</span></button>'
    known = {"rank": one["rank"], "size": one.get("size"), "purity": one.get("purity"), "class": one["class"]}
    keys = "".join(f' data-{name}="{value}"' for name, value in known.items() if value is not None)
    return (
        f'<li class="pp-card"{keys if interactive else ""}>{button if interactive else ""}'
        f'<div class="pp-picture">{drawn}</div>'
        f'<div class="pp-head"><span class="pp-rank">{one["rank"]}</span>{label}</div>'
        f"{id_line}{_stands_for(one)}</li>"
    )


def name_of(one: dict[str, Any]) -> str:
    """Return what a prototype is called."""
    label = "" if one["label"] is None else f", {one['label']}"
    return f"Prototype {one['rank']}{label}, {_object(one)}"


def _object(one: dict[str, Any]) -> str:
    return one["id"] if one["id"] is not None else f"object {one['index']}"


def _stands_for(one: dict[str, Any]) -> str:
    if one.get("size") is None:
        return ""
    stands = f'<div class="pp-size">stands for <b>{count(one["size"])}</b> ({percent(one["share"])})</div>'
    if one["size"] == 0:
        return (
            '<div class="pp-size" title="Another prototype is as near to every object.">stands for none</div>'
        )
    if one["purity"] is None:
        return stands
    purity = one["purity"]
    said = f"{percent(purity)} of its {several(one['size'], 'object')} have its class"
    return (
        f'{stands}<div class="pp-purity" title="{said}"><span class="pp-bar">'
        f'<span style="width:{100 * purity:.1f}%"></span></span>{percent(purity)} pure</div>'
    )
