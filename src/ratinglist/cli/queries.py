"""The commands that explain and ask: one player, any query, the standings of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, FIDE_ID, MONTH, InRange, Office, in_office, say
from ratinglist.errors import CommandLineError
from ratinglist.limits import SQL_SECONDS
from ratinglist.period import Period
from ratinglist.text import on_one_line

if TYPE_CHECKING:
    import polars as pl

    from ratinglist.analysis.explain import Account, UnlistedAccount


@click.command()
@click.argument("event", metavar="EVENT")
@click.option(
    "--order",
    type=click.Choice(["buchholz", "sonneborn-berger"]),
    help="What decides among equal points; default: sonneborn-berger for a round robin, else buchholz.",
)
@in_office
def standings(event: str, order: str | None, office: Office) -> None:
    """Show the final standings of an event: points, Buchholz, Sonneborn-Berger, byes and forfeits included.

    EVENT is a code, or a part of a name that no other event has.
    """
    tie_break = order.replace("-", "_") if order else None
    office.show(workflows.standings.standings(office.settings(), event, tie_break))


@click.command()
@click.argument("player")
@click.argument("month", type=MONTH, required=False)
@click.option("--time-control", type=CONTROL, help="One time control only; default: all that have the player.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@click.option("--preview", is_flag=True, help="The calculated list, published or not; default: the newest calculated.")
@click.option("--html", "as_html", is_flag=True, help="Print a page for a browser: one file that loads nothing.")
@in_office
def explain(
    player: str,
    month: Period | None,
    time_control: str | None,
    revision: str | None,
    preview: bool,
    as_html: bool,
    office: Office,
) -> None:
    """Explain how a player's rating was calculated: every game, the sum, the articles, and what was not rated.

    PLAYER is a FIDE ID, or a part of a name in quotes that one player alone has. MONTH is by default the newest
    published one.
    """
    _check_number(player)
    if as_html and office.as_json:
        raise CommandLineError("--html and --json are two forms of the same: leave one of them out.")
    if preview and revision:
        raise CommandLineError("--preview is of the calculated list, --revision of a published one: leave one out.")
    settings = office.settings()
    if preview:
        account: Account | UnlistedAccount = workflows.explain.explain_calculated(settings, player, month, time_control)
    else:
        account = workflows.explain.explain_player(settings, player, month, time_control, revision)
    if as_html:
        say(workflows.explain.account_page(account).removesuffix("\n"))
    else:
        office.show(account)


def _check_number(player: str) -> None:
    """Fail where ``player`` is a number that is no FIDE ID."""
    if player.strip().isdigit():
        FIDE_ID(player, None, click.get_current_context())


# A query may start with a comment, and a comment with two dashes.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query")
@click.option(
    "--timeout",
    type=InRange(1, 10**9),
    default=SQL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop the query after so many seconds.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@in_office
def sql(query: str, timeout: int, as_csv: bool, office: Office) -> None:
    """Query everything published, read-only: lists, changes, games, entries, pool, events."""
    if as_csv and office.as_json:
        raise CommandLineError("--csv and --json both want standard output: leave one of them out.")
    rows = workflows.sql.query(office.settings(), query, timeout)
    if as_csv:
        say(workflows.sql.as_csv(rows).removesuffix("\n"))
    else:
        as_table = workflows.sql.showing()(_table)
        office.show_rows(workflows.sql.json_rows(rows), lambda: as_table(rows))


def _table(rows: pl.DataFrame) -> str:
    """Return rows as an aligned text table, every row and every column whole."""
    from ratinglist.pages.plain_text import text_table

    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows.iter_rows()]
    names = [on_one_line(name) for name in rows.columns]
    return "\n".join(text_table(names, cells, [dtype.is_numeric() for dtype in rows.dtypes], rule=True))
