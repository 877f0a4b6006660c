"""The command that tells how a player's number came about."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, show
from ratinglist.config import Settings
from ratinglist.period import Period

MOST = 99_999_999_999
"""The largest FIDE ID that a report has room for: eleven digits."""


@click.command()
@click.argument("fide_id", type=click.IntRange(1, MOST))
@click.argument("month", type=MONTH)
@click.option("--time-control", type=CONTROL, help="One list only; default: all that know the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@office_options
def explain(
    fide_id: int, month: Period, time_control: str | None, revision: str | None, home: Path | None, as_json: bool
) -> None:
    """Tell how a player's number came about: every game, the sum, the articles; or why something is not rated."""
    from ratinglist.workflows import explain as explanation

    show(explanation.explain(Settings.read(home), fide_id, month, time_control, revision), as_json=as_json)
