"""The command `ratinglist explain`."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, office_settings, show
from ratinglist.period import Period

MAX_FIDE_ID = 99_999_999_999
"""The largest FIDE ID that fits into a report: eleven digits."""


@click.command()
@click.argument("fide_id", type=click.IntRange(1, MAX_FIDE_ID))
@click.argument("month", type=MONTH)
@click.option("--time-control", type=CONTROL, help="One time control only; default: all that have the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@office_options
def explain(
    fide_id: int, month: Period, time_control: str | None, revision: str | None, home: Path | None, as_json: bool
) -> None:
    """Explain how a player's rating was calculated: every game, the sum, the articles, and what was not rated."""
    from ratinglist.workflows import explain as explanation

    show(explanation.explain(office_settings(home), fide_id, month, time_control, revision), as_json=as_json)
