"""The commands of the laboratory: numbers typed in, statistics, comparison with an official list, replays."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ratinglist.cli.options import CONTROL, FIDE_ID, MONTH, PATH, RATING, InRange, Office, end_with, in_office
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.period import Period
from ratinglist.result_codes import TYPED_HALVES

if TYPE_CHECKING:
    from ratinglist_lab.updating import Number


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
    from ratinglist_lab import formulas

    if compose is not None:
        if rating is not None or single_update is not None or ingo or white_advantage:
            raise CommandLineError("--compose needs nothing else: leave the ratings and the other options out.")
        office.show(formulas.composed(*compose))
        return
    if rating is None or opponent_rating is None:
        raise click.MissingParameter(param_hint="'R1 R2'", param_type="argument")
    if single_update is not None:
        if ingo or white_advantage:
            raise CommandLineError("--single-update is of two ratings: leave --ingo and --white-advantage out.")
        office.show(formulas.single_update(rating, opponent_rating, *single_update))
        return
    office.show(formulas.expected(rating, opponent_rating, white_advantage, ingo=ingo))


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
    from ratinglist_lab import performance as of

    if iterate is not None:
        if player is not None or event_id or period or against or results or score is not None or own is not None:
            raise CommandLineError("--iterate reads all games from its file: leave the other options out.")
        office.show(of.iterate_file(iterate, 1300 if start is None else start, rounds or 25, exact=exact))
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
        office.show(of.of_ratings(against, halves, opponents, own))
        return
    if player is None:
        raise CommandLineError("Name a player by FIDE ID, or type ratings in with --against and --results or --score.")
    if results is not None or score is not None:
        raise CommandLineError("--results and --score are for ratings typed in with --against: leave them out.")
    office.show(of.of_player(office.settings(), player, period, event_id, opponents, own))


@click.command()
@click.argument("rating", type=RATING, required=False)
@click.option("--against", type=Parts("RATINGS"), help='Opponents\' ratings: "1609 1477 1388".')
@click.option("--results", type=Results("RESULTS"), help='The result against each of them: "1 ½ 0".')
@click.option("--score", type=Score(), help="The points against all of them.")
@click.option(
    "--k", type=InRange(1, 400, click.FLOAT), help="The development coefficient; default: 32, or 150 with --age."
)
@click.option(
    "--n0", type=InRange(2, 800, click.FLOAT), help="In the place of --k: the games that make a rating, 800 / K."
)
@click.option("--events", type=InRange(1, 100), help="Show the weights after so many events like this one.")
@click.option("--opponent-games", type=InRange(0, 9999), help="Show K against an opponent with so few games.")
@click.option("--opponent-k", type=InRange(1, 400, click.FLOAT), help="K of that opponent.")
@click.option("--mutual", type=RATING, help="The one opponent of two players who played nobody else.")
@click.option("--games", type=InRange(1, 999), help="With --mutual: how many games.")
@click.option("--age", type=InRange(1, 120), help="In the place of RATING: a newcomer's age, for a first guess.")
@in_office
def update(
    rating: int | None,
    against: list[int] | None,
    results: list[int] | None,
    score: int | None,
    k: Number | None,
    n0: Number | None,
    events: int | None,
    opponent_games: int | None,
    opponent_k: Number | None,
    mutual: int | None,
    games: int | None,
    age: int | None,
    office: Office,
) -> None:
    """Show what a result makes of RATING by every rule of thumb: by K, by weights, of the second order, and others.

    No list is calculated by them. Give --against with --results or --score; or --mutual with --games and --score.
    """
    from ratinglist_lab import formulas, updating

    if (rating is None) == (age is None):
        raise CommandLineError("Give either RATING or --age of a newcomer.")
    if k is not None and n0 is not None:
        raise CommandLineError("--k and --n0 say the same (K = 800 / N0): leave one of them out.")
    if opponent_k is not None and opponent_games is None:
        raise CommandLineError("--opponent-k is of an opponent with few games: give --opponent-games too.")
    coefficient = k or (updating.SCALE / n0 if n0 else updating.NEWCOMER_K if age else 32)
    own = updating.guessed_rating(age) if rating is None else rating
    if mutual is not None:
        if games is None or score is None or against or results:
            raise CommandLineError("With --mutual give --games and --score, and neither --against nor --results.")
        office.show(formulas.mutual(own, mutual, games, score, coefficient))
        return
    if against is None or games is not None or (results is None) == (score is None):
        raise CommandLineError("Give --against, and --results or --score; or --mutual, --games and --score.")
    if results is not None and len(results) != len(against):
        raise CommandLineError(
            f"--results has {len(results)} results, --against {len(against)} ratings: give one for each."
        )
    halves = sum(results) if results is not None else score or 0
    provisional = None if opponent_games is None else (opponent_games, opponent_k)
    office.show(formulas.update(own, against, halves, coefficient, events, provisional))


@click.command()
@click.argument("players", type=InRange(2, 9999))
@in_office
def rounds(players: int, office: Office) -> None:
    """Show how many rounds a Swiss tournament of PLAYERS should have, the draw numbers, and the first round."""
    from ratinglist_lab import formulas

    office.show(formulas.rounds(players))


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
    from ratinglist_lab import statistics as of

    if pool is None and month is not None:
        office.show(of.statistics(office.settings(), month, **options))
    elif pool is not None and month is None:
        office.show(of.pooled(pool))
    else:
        raise CommandLineError("Give the MONTH of a published list, or --pool, and not both.")


@click.command()
@click.argument("month", type=MONTH)
@click.argument("official_file", type=PATH)
@click.option("--time-control", type=CONTROL, help="Compare this list alone; default: all that both have.")
@click.option("--out", type=PATH, help="Write every difference to this file, .csv or .parquet.")
@in_office
def reconcile(month: Period, official_file: Path, time_control: str | None, out: Path | None, office: Office) -> None:
    """Compare our list with an official one: equal, explained by a reading or an event, or unexplained (exit 4)."""
    from ratinglist_lab import reconcile as of

    settings = office.settings()
    summary = of.reconcile(settings, month, official_file, time_control, out)
    office.show(summary)
    if summary.unexplained:
        count = "1 difference is" if summary.unexplained == 1 else f"{summary.unexplained:,} differences are"
        end_with(CheckError, f"{count} unexplained: see {summary.path}")


_FROM = click.option("--from", "first", type=MONTH, help="The first list that is replayed; default: your first one.")
_TO = click.option("--to", "last", type=MONTH, help="The last one; default: your newest one.")
_CONTROL = click.option("--time-control", type=CONTROL, default="standard", show_default=True)
_START = click.option(
    "--start",
    type=click.Choice(["list", "scratch"]),
    default="list",
    show_default=True,
    help="From the office's list before the first month, or with no player rated.",
)
_OUT = click.option("--out", type=PATH, help="Folder to write to; default: laboratory, or what-if, here.")


class _Systems(click.ParamType[list[str]]):
    """Systems between commas: families, or folders of one; of a report also tables of predictions."""

    name = "SYSTEMS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the names, each once."""
        names = list(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
        if not names:
            self.fail("it is empty: name rule families between commas.", param, ctx)
        return names


@click.group()
def lab() -> None:
    """Replay the months of this office under other systems or rules. Nothing is published, and no store is changed."""


@lab.command()
@click.option(
    "--systems", "names", type=_Systems(), required=True, help="Families, or folders of rule files, between commas."
)
@_START
@_FROM
@_TO
@_CONTROL
@in_office
def replay(names: list[str], **options: Any) -> None:
    """Calculate the months under every system, and predict every game before it is learnt."""
    from ratinglist_lab import replay

    _show(replay.replay, names, **options)


@lab.command()
@click.option("--systems", "names", type=_Systems(), help="Replayed systems, the first to compare with; default: all.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def report(names: list[str] | None, **options: Any) -> None:
    """Compare what the replayed systems predicted and what their lists became: a page, charts and tables."""
    from ratinglist_lab import report

    _show(report.report, names or (), **options)


@lab.command("what-if")
@click.option("--family", default="fide", show_default=True, help="The rule family that is changed.")
@click.option("--change", "changes", multiple=True, required=True, help="section.key=value; may be repeated.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def what_if(family: str, changes: tuple[str, ...], **options: Any) -> None:
    """Change values of a regulation in memory: who moves, enters and leaves, and whether it predicts better."""
    from ratinglist_lab import what_if

    _show(what_if.what_if, family, changes, **options)


def _show(
    command: Callable[..., Any],
    *arguments: object,
    office: Office,
    first: Period | None,
    last: Period | None,
    start: str,
    **options: object,
) -> None:
    """Run a command on the months and print its summary; ``options``: as that command takes them."""
    from ratinglist_lab import replay

    office.show(command(office.settings(), *arguments, months=(first, last), start=replay.STARTS[start], **options))


COMMANDS = (expected, performance, update, rounds, statistics, reconcile, lab)
