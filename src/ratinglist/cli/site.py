"""The commands of pages: the site of everything published."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import MONTH, office_options, office_settings, show
from ratinglist.period import Period


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the site; an earlier site there is replaced at once. Default: out in [site] of office.toml.",
)
@click.option("--from", "first", type=MONTH, help="The first list shown; default: the first published.")
@click.option("--months", type=click.IntRange(min=1), help="Show at most so many lists, the newest.")
@click.option("--language", help="Language of the pages: en (default) or it.")
@click.option(
    "--birth-years/--no-birth-years",
    default=None,
    help="Whether years of birth are shown; without them there are no downloads, which have them.",
)
@click.option("--downloads/--no-downloads", default=None, help="Whether readers get the files of the newest list.")
@office_options
def site(
    out: Path | None,
    first: Period | None,
    months: int | None,
    language: str | None,
    birth_years: bool | None,
    downloads: bool | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Make a static site of everything published: players, lists, months, events. It needs no server."""
    from ratinglist.workflows import site as workflow

    summary = workflow.site(
        office_settings(home),
        out,
        first,
        months=months,
        language=language,
        birth_years=birth_years,
        downloads=downloads,
    )
    show(summary, as_json=as_json)
