"""The commands `ratinglist explain` and `ratinglist open`."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, office_settings, say, show
from ratinglist.errors import CommandLineError
from ratinglist.period import Period

FIDE_ID = click.IntRange(1, 99_999_999_999)
"""A FIDE ID that fits into a report: eleven digits."""


@click.command()
@click.argument("player")
@click.argument("month", type=MONTH, required=False)
@click.option("--time-control", type=CONTROL, help="One time control only; default: all that have the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@click.option("--html", "as_html", is_flag=True, help="Print a page for a browser: one file that loads nothing.")
@office_options
def explain(
    player: str,
    month: Period | None,
    time_control: str | None,
    revision: str | None,
    as_html: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Explain how a player's rating was calculated: every game, the sum, the articles, and what was not rated.

    PLAYER is a FIDE ID, or a part of a name in quotes that one player alone has. MONTH is by default the newest
    published one.
    """
    from ratinglist.workflows.explain_player import explain_player

    _check_number(player)
    if as_html and as_json:
        raise CommandLineError("--html and --json are two forms of the same: leave one of them out.")
    settings = office_settings(home)
    account = explain_player(settings, player, month, time_control, revision)
    if as_html:
        from ratinglist.workflows.account_page import account_page

        say(account_page(settings, account).removesuffix("\n"))
    else:
        show(account, as_json=as_json)


@click.command("open")
@click.argument("player")
@click.argument("month", type=MONTH, required=False)
@office_options
def open_player(player: str, month: Period | None, home: Path | None, as_json: bool) -> None:
    """Open the explanation of a player's rating in the browser of this computer.

    PLAYER is a FIDE ID, or a part of a name in quotes that one player alone has. MONTH is by default the newest
    published one.
    """
    from ratinglist.workflows.account_page import open_page

    _check_number(player)
    show(open_page(office_settings(home), player, month), as_json=as_json)


def _check_number(player: str) -> None:
    """Fail where ``player`` is a number that is no FIDE ID."""
    if player.strip().isdigit():
        FIDE_ID(player, None, click.get_current_context())
