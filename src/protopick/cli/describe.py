"""``protopick describe``: what a dissimilarity is like on the objects of a file."""

from __future__ import annotations

import json
from html import escape
from typing import Annotated

import typer

from protopick.cli.command import command, outputs, progress_console
from protopick.cli.options import Comparing, Json, Reading, Running, check_report
from protopick.cli.words import in_options
from protopick.diagnostics import describe as describe_objects
from protopick.diagnostics.description_page import page_of
from protopick.diagnostics.description_text import text_of
from protopick.output import whole_file

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{title}</title></head>
<body style="margin:24px auto;max-width:1020px;padding:0 16px">{body}</body></html>
"""


@command
def describe(
    reading: Reading,
    comparing: Comparing,
    running: Running,
    sample: Annotated[int, typer.Option(metavar="N", min=3, help="How many objects to look at.")] = 1000,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a page with a map, such as page.html.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell what a dissimilarity is like on the objects of a file, and what that means.

    Is it symmetric, does the triangle inequality hold, how many dimensions do the objects fill, do
    neighbours share a class? All figures come from a random sample.

    Example: protopick describe words.txt --metric levenshtein
    """
    comparing.check()
    reading.check_outputs({"--report": report})
    check_report(report)
    with running.limits():
        data = reading.data(comparing.metric)
        with progress_console().status("Comparing the sample ..."):
            found = describe_objects(
                data.X,
                y=data.labels,
                sample=sample,
                random_state=running.seed,
                n_jobs=running.jobs,
                **comparing.chosen(data),
            )
    with outputs():
        if report is not None:
            with whole_file(report, name="--report") as file:
                file.write(_PAGE.format(title=escape(data.name), body=page_of(found, in_options)))
        if as_json:
            typer.echo(json.dumps({"data": data.name, **found.to_dict()}, indent=2))
        else:
            typer.echo(text_of(found, in_options))
            if report is not None:
                typer.echo(f"\nReport: {report}")
