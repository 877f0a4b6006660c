"""The commands that analyse: explanations, queries, expected scores, performances, standings of an event."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, MONTH, PATH, InRange, Office, in_office, say
from ratinglist.errors import CommandLineError
from ratinglist.limits import SQL_SECONDS
from ratinglist.period import Period
from ratinglist.result_codes import TYPED_HALVES
from ratinglist.text import on_one_line

if TYPE_CHECKING:
    import polars as pl

    from ratinglist.analysis.explain import Account, UnlistedAccount
    from ratinglist.analysis.updating import Number


RATING = InRange(0, 9999)
FIDE_ID = InRange(1, 99_999_999_999)
"""A FIDE ID that fits into a report: eleven digits."""


class Parts(click.ParamType[list[Any]]):
    """Several values in one argument, between blanks or commas."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        """Return the values; fail where one is none, or there is none."""
        parts = [part for part in re.split(r"[\s,;]+", str(value)) if part]
        if not parts:
            self.fail("it is empty.", param, ctx)
        return [self.part(part, param, ctx) for part in parts]

    def part(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one rating."""
        return RATING.convert(text, param, ctx)


class Results(Parts):
    """Results: 1, ½ (or 0.5, =) and 0."""

    def part(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the half points of one result."""
        if text not in TYPED_HALVES:
            self.fail(f"'{text}' is not a result: write 1, ½ (or 0.5) or 0.", param, ctx)
        return TYPED_HALVES[text]


class _Groups(click.ParamType[list[tuple[int, int, int]]]):
    """Groups of players: number, mean rating and standard deviation of each."""

    name = "GROUPS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return three numbers for each group."""
        groups = [part.split() for part in re.split("[,;]", str(value))]
        if wrong := [one for one in groups if len(one) != 3 or not all(re.fullmatch(r"\d{1,7}", n) for n in one)]:
            text = " ".join(wrong[0])
            self.fail(f"'{text}' is not a group: write number, mean and deviation, such as 335 2162 118.", param, ctx)
        if not all(int(number) for number, _, _ in groups):
            self.fail("a group of 0 players has no mean: leave it out.", param, ctx)
        return [tuple(map(int, one)) for one in groups]


class Score(click.ParamType[int]):
    """A number of points, in whole and half ones."""

    name = "POINTS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the half points."""
        found = re.fullmatch(r"(\d{0,4})(½|\.5|\.0)?", str(value))
        if not found or not found[0]:
            self.fail(f"'{value}' is not a number of points: write for example 3 or 2.5.", param, ctx)
        return 2 * int(found[1] or 0) + (found[2] in ("½", ".5"))


@click.command()
@click.argument("rating", type=RATING, metavar="R1", required=False)
@click.argument("opponent_rating", type=RATING, metavar="R2", required=False)
@click.option(
    "--white-advantage",
    type=InRange(-400, 400),
    default=0,
    show_default=True,
    help="Points that White's rating counts more; R1 has White.",
)
@click.option("--ingo", is_flag=True, help="R1 and R2 are Ingo numbers, of which the lower is the stronger.")
@click.option(
    "--single-update",
    type=InRange(1, 1000, click.FLOAT),
    nargs=2,
    metavar="RD1 RD2",
    help="Show what one game makes of R1, where the ratings have these deviations.",
)
@click.option(
    "--compose",
    type=InRange(Fraction(1, 1000), Fraction(999, 1000), click.FLOAT),
    nargs=2,
    metavar="PA PB",
    help="In the place of R1 and R2: what A and B expect against a third player. Shows A against B.",
)
@in_office
def expected(
    rating: int | None,
    opponent_rating: int | None,
    white_advantage: int,
    ingo: bool,
    single_update: tuple[Number, Number] | None,
    compose: tuple[Number, Number] | None,
    office: Office,
) -> None:
    """Show what R1 expects to score against R2 by every model, and the probabilities of win, draw and loss."""
    if compose is not None:
        if rating is not None or single_update is not None or ingo or white_advantage:
            raise CommandLineError("--compose needs nothing else: leave the ratings and the other options out.")
        office.show(workflows.formulas.composed(*compose))
        return
    if rating is None or opponent_rating is None:
        raise click.MissingParameter(param_hint="'R1 R2'", param_type="argument")
    if single_update is not None:
        if ingo or white_advantage:
            raise CommandLineError("--single-update is of two ratings: leave --ingo and --white-advantage out.")
        office.show(workflows.formulas.single_update(rating, opponent_rating, *single_update))
        return
    office.show(workflows.formulas.expected(rating, opponent_rating, white_advantage, ingo=ingo))


@click.command()
@click.argument("player", type=FIDE_ID, required=False)
@click.option("--event", "event_id", help="The player's games in this event; default: the month's rated events.")
@click.option("--month", "period", type=MONTH, help="A published list; default: the newest with games of the player.")
@click.option("--against", type=Parts("RATINGS"), help='Opponents\' ratings typed in: "1609 1477 1388".')
@click.option("--results", type=Results("RESULTS"), help='The result against each of them: "1 ½ 0".')
@click.option("--score", type=Score(), help="The points against all of them, where the results are not known.")
@click.option(
    "--opponents",
    type=click.Choice(["all", "compatible", "clamped"]),
    default="all",
    show_default=True,
    help="compatible: only those within 350 points of the own rating. clamped: others count as 350 points away.",
)
@click.option("--own", type=RATING, help="The own rating; default for a published game: the one used there.")
@click.option(
    "--iterate",
    type=PATH,
    metavar="FILE",
    help="Rate players without a rating from games among them: CSV of player,rating,opponent,opponent_rating,score.",
)
@click.option("--start", type=RATING, help="With --iterate: where all of them begin; default: 1300.")
@click.option("--rounds", type=InRange(1, 100), help="With --iterate: at most so many rounds; default: 25.")
@click.option("--exact", is_flag=True, help="With --iterate: no rounding between the rounds.")
@in_office
def performance(
    player: int | None,
    event_id: str | None,
    period: Period | None,
    against: list[int] | None,
    results: list[int] | None,
    score: int | None,
    opponents: str,
    own: int | None,
    iterate: Path | None,
    start: int | None,
    rounds: int | None,
    exact: bool,
    office: Office,
) -> None:
    """Show what a result is worth as a rating, by every method.

    PLAYER is a FIDE ID: the player's published games count. Or type ratings in with --against, and --results or
    --score.
    """
    if iterate is not None:
        if player is not None or event_id or period or against or results or score is not None or own is not None:
            raise CommandLineError("--iterate reads all games from its file: leave the other options out.")
        office.show(
            workflows.performance.iterate_file(iterate, 1300 if start is None else start, rounds or 25, exact=exact)
        )
        return
    if start is not None or rounds is not None or exact:
        raise CommandLineError("--start, --rounds and --exact are for --iterate FILE: leave them out.")
    if against is not None:
        if player is not None or event_id or period:
            raise CommandLineError("Ratings typed in belong to no player, event or month: leave those out.")
        if (results is None) == (score is None):
            raise CommandLineError("With --against give --results, one for each rating, or --score, not both.")
        halves = results if results is not None else score
        assert halves is not None  # noqa: S101 - for mypy: one of the two is given
        office.show(workflows.performance.of_ratings(against, halves, opponents, own))
        return
    if player is None:
        raise CommandLineError("Name a player by FIDE ID, or type ratings in with --against and --results or --score.")
    if results is not None or score is not None:
        raise CommandLineError("--results and --score are for ratings typed in with --against: leave them out.")
    office.show(workflows.performance.of_player(office.settings(), player, period, event_id, opponents, own))


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
@click.argument("month", type=MONTH, required=False)
@click.option("--against", type=MONTH, help="The earlier list of the flow of points; default: the newest before.")
@click.option("--from", "first", type=MONTH, help="The first list of the series; default: 12 lists before.")
@click.option("--reference", type=PATH, help="Another list to compare with: a file as import-list takes it.")
@click.option(
    "--born-after",
    type=InRange(1900, 2100),
    default=1980,
    show_default=True,
    help="The year of the young group.",
)
@click.option("--by", type=click.Choice(["category"]), help="Show the players by the category of a national list too.")
@click.option("--out", type=PATH, help="Folder to write to; default: statistics-YYYY-MM here.")
@click.option(
    "--pool",
    type=_Groups(),
    help='In the place of MONTH: mean and deviation of several groups together, "335 2162 118, 1123 1944 92": the '
    "number, mean and deviation of each.",
)
@in_office
def statistics(month: Period | None, pool: list[tuple[int, int, int]] | None, office: Office, **options: Any) -> None:
    """Write a published list's statistics: distribution, groups, the flow of points between two lists, inflation."""
    if pool is None and month is not None:
        office.show(workflows.statistics.statistics(office.settings(), month, **options))
    elif pool is not None and month is None:
        office.show(workflows.statistics.pooled(pool))
    else:
        raise CommandLineError("Give the MONTH of a published list, or --pool, and not both.")


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
