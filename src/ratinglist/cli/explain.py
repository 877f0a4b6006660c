"""The command `ratinglist explain`."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, office_settings, show
from ratinglist.period import Period

FIDE_ID = click.IntRange(1, 99_999_999_999)
"""A FIDE ID that fits into a report: eleven digits."""


@click.command()
@click.argument("player")
@click.argument("month", type=MONTH, required=False)
@click.option("--time-control", type=CONTROL, help="One time control only; default: all that have the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@office_options
def explain(
    player: str,
    month: Period | None,
    time_control: str | None,
    revision: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Explain how a player's rating was calculated: every game, the sum, the articles, and what was not rated.

    PLAYER is a FIDE ID, or a part of a name in quotes that one player alone has. MONTH is by default the newest
    published one.
    """
    from ratinglist.workflows.explain_player import explain_player

    if player.strip().isdigit():
        FIDE_ID(player, None, click.get_current_context())
    show(explain_player(office_settings(home), player, month, time_control, revision), as_json=as_json)
