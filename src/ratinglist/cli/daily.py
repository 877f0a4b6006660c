"""The commands of every day: players by name, the office at a glance, junk set aside, letters to arbiters."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import MONTH, office_options, office_settings, show
from ratinglist.period import Period

MOST_PLAYERS = 10_000


@click.command()
@click.argument("name", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, MOST_PLAYERS), default=20, show_default=True, help="How many players to show."
)
@office_options
def find(name: tuple[str, ...], limit: int, home: Path | None, as_json: bool) -> None:
    """Find players by any part of a name, in any alphabet, with their newest ratings; a number is a FIDE ID."""
    from ratinglist.workflows import find as workflow

    show(workflow.find(office_settings(home), " ".join(name), limit), as_json=as_json)


@click.command()
@office_options
def status(home: Path | None, as_json: bool) -> None:
    """Show the office at a glance: lists published, the next closing date, what waits and why, what is to be done."""
    from ratinglist.workflows import status as workflow

    show(workflow.status(office_settings(home)), as_json=as_json)


@click.command()
@click.argument("report")
@click.option("--because", help="Why the report is set aside; it is kept, and not published.")
@click.option("--undo", is_flag=True, help="Take the report up again.")
@office_options
def dismiss(report: str, because: str | None, undo: bool, home: Path | None, as_json: bool) -> None:
    """Set a refused report aside, by file name, event code or digest: no count has it any more."""
    from ratinglist.workflows import dismiss as workflow

    if undo == (because is not None):
        raise click.UsageError('Give one of the two: --because "why it is set aside", or --undo.')
    settings = office_settings(home)
    done = workflow.undo(settings, report) if because is None else workflow.dismiss(settings, report, because)
    show(done, as_json=as_json)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the letters; default: letters-YYYY-MM here.")
@click.option("--language", default="en", show_default=True, help="Language of the letters: en or it.")
@office_options
def letters(month: Period, out: Path | None, language: str, home: Path | None, as_json: bool) -> None:
    """Write a letter to the arbiter of each report of a month: rated, refused or waiting, why, and what to do."""
    from ratinglist.workflows import letters as workflow

    show(workflow.letters(office_settings(home), month, out, language), as_json=as_json)
