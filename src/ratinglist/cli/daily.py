"""The commands for the questions of the day: players by name, and the office at a glance."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import office_options, office_settings, show

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
