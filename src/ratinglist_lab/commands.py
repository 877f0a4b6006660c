"""The commands of the laboratory: numbers typed in, statistics, comparison with an official list, replays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ratinglist.cli.options import CONTROL, FIDE_ID, MONTH, PATH, RATING, InRange, Office, Written, end_with, in_office
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.period import Period
from ratinglist.result_codes import TYPED_HALVES


def _alone(option: str, *others: str) -> None:
    """Refuse what was given beside an option (its parameter or metavar) and ``others`` that belong to it.

    Raises :class:`CommandLineError` naming all of it.
    """
    context = click.get_current_context()
    of_every_command = ("home", "as_json")
    wrong = [
        parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.human_readable_name)
        for parameter in context.command.params
        if parameter.name not in (*of_every_command, *others)
        and context.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE
    ]
    if wrong:
        raise CommandLineError(f"Beside {option} nothing is read from {', '.join(wrong)}: leave it out.")


def _halves(against: list[int], results: list[int] | None, score: int | None) -> list[int] | int:
    """Return the half points of each game, or of all games together.

    Raises :class:`CommandLineError` where none or both are given, or they do not fit the ratings.
    """
    halves = score if results is None else results
    if halves is None or None not in (results, score):
        raise CommandLineError("With --against give --results, one for each rating, or --score, not both.")
    if isinstance(halves, list) and len(halves) != len(against):
        raise CommandLineError(
            f"--results has {len(halves)} results, --against {len(against)} ratings: give one for each."
        )
    if isinstance(halves, int) and halves > 2 * len(against):
        raise CommandLineError("--score is more than a point for each rating of --against.")
    return halves


def _parts(text: str) -> list[str]:
    """Return what is between blanks or commas."""
    return re.split(r"[\s,;]+", text.strip(" ,;"))


def _half_points(text: str) -> int:
    """Return a number of points, in whole and half ones, as half points; raise :class:`ValueError` for another."""
    halves = 2 * float(text.replace("½", ".5"))
    if halves < 0 or not halves.is_integer():
        raise ValueError
    return int(halves)


def _groups(text: str) -> list[tuple[int, int, int]]:
    """Return groups between commas: number, mean and deviation of each; raise :class:`ValueError` for another text."""
    groups = [group.split() for group in text.split(",")]
    return [(InRange(1)(number), RATING(mean), RATING(deviation)) for number, mean, deviation in groups]


def _names(text: str) -> list[str]:
    """Return names between commas, each once; raise :class:`ValueError` where there is none."""
    names = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not names:
        raise ValueError
    return names


RATINGS = Written('"1609 1477 1388"', lambda text: [RATING.convert(part, None, None) for part in _parts(text)])
RESULTS = Written('"1 ½ 0"', lambda text: [TYPED_HALVES[part] for part in _parts(text)])
POINTS = Written("2.5", _half_points)
GROUPS = Written('"335 2162 118, 1123 1944 92"', _groups)
SYSTEMS = Written("fide,club,FOLDER", _names)


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
    type=InRange(0.001, 0.999, click.FLOAT),
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
    single_update: tuple[float, float] | None,
    compose: tuple[float, float] | None,
    office: Office,
) -> None:
    """Show what R1 expects to score against R2 by every model, and the probabilities of win, draw and loss."""
    from ratinglist_lab import formulas

    if compose is not None:
        _alone("--compose", "compose")
        office.show(formulas.composed(*compose))
        return
    if rating is None or opponent_rating is None:
        raise click.MissingParameter(param_hint="'R1 R2'", param_type="argument")
    if single_update is not None:
        _alone("--single-update", "rating", "opponent_rating", "single_update")
        office.show(formulas.single_update(rating, opponent_rating, *single_update))
        return
    office.show(formulas.expected(rating, opponent_rating, white_advantage, ingo=ingo))


@click.command()
@click.argument("player", type=FIDE_ID, required=False)
@click.option("--event", "event_id", help="The player's games in this event; default: the month's rated events.")
@click.option("--month", "period", type=MONTH, help="A published list; default: the newest with games of the player.")
@click.option("--against", type=RATINGS, help="Opponents' ratings typed in.")
@click.option("--results", type=RESULTS, help="The result against each of them.")
@click.option("--score", type=POINTS, help="The points against all of them, where the results are not known.")
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
@click.option("--start", type=RATING, default=1300, show_default=True, help="With --iterate: where all of them begin.")
@click.option(
    "--rounds", type=InRange(1, 100), default=25, show_default=True, help="With --iterate: at most so many rounds."
)
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
    start: int,
    rounds: int,
    exact: bool,
    office: Office,
) -> None:
    """Show what a result is worth as a rating, by every method.

    PLAYER is a FIDE ID: the player's published games count. Or type ratings in with --against, and --results or
    --score.
    """
    from ratinglist_lab import formulas

    if iterate is not None:
        _alone("--iterate", "iterate", "start", "rounds", "exact")
        office.show(formulas.iterate_file(iterate, start, rounds, exact=exact))
    elif against is not None:
        _alone("--against", "against", "results", "score", "opponents", "own")
        office.show(formulas.of_ratings(against, _halves(against, results, score), opponents, own))
    elif player is not None:
        _alone("PLAYER", "player", "event_id", "period", "opponents", "own")
        office.show(formulas.of_player(office.settings(), player, period, event_id, opponents, own))
    else:
        raise CommandLineError("Name a player by FIDE ID, or type ratings in with --against and --results or --score.")


@click.command()
@click.argument("rating", type=RATING, required=False)
@click.option("--against", type=RATINGS, help="Opponents' ratings.")
@click.option("--results", type=RESULTS, help="The result against each of them.")
@click.option("--score", type=POINTS, help="The points against all of them.")
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
    k: float | None,
    n0: float | None,
    events: int | None,
    opponent_games: int | None,
    opponent_k: float | None,
    mutual: int | None,
    games: int | None,
    age: int | None,
    office: Office,
) -> None:
    """Show what a result makes of RATING by every rule of thumb: by K, by weights, of the second order, and others.

    No list is calculated by them. Give --against with --results or --score; or --mutual with --games and --score.
    """
    from ratinglist_lab import formulas

    if (rating is None) == (age is None):
        raise CommandLineError("Give either RATING or --age of a newcomer.")
    if k is not None and n0 is not None:
        raise CommandLineError("--k and --n0 say the same (K = 800 / N0): leave one of them out.")
    if opponent_k is not None and opponent_games is None:
        raise CommandLineError("--opponent-k is of an opponent with few games: give --opponent-games too.")
    coefficient = k or (formulas.SCALE / n0 if n0 else formulas.NEWCOMER_K if age else 32)
    own = min(formulas.NEWCOMER_RATING, formulas.NEWCOMER_POINTS_A_YEAR * (age or 0)) if rating is None else rating
    if mutual is not None:
        _alone("--mutual", "rating", "age", "mutual", "games", "score", "k", "n0")
        if games is None or score is None:
            raise CommandLineError("With --mutual give --games and --score.")
        office.show(formulas.mutual(own, mutual, games, score, coefficient))
        return
    if against is None or games is not None:
        raise CommandLineError("Give --against, and --results or --score; or --mutual, --games and --score.")
    halves = _halves(against, results, score)
    total = halves if isinstance(halves, int) else sum(halves)
    provisional = None if opponent_games is None else (opponent_games, opponent_k)
    office.show(formulas.update(own, against, total, coefficient, events, provisional))


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
    type=GROUPS,
    help="In the place of MONTH: mean and deviation of several groups together; number, mean and deviation of each.",
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
    if unexplained := summary.values["unexplained"]:
        count = "1 difference is" if unexplained == 1 else f"{unexplained:,} differences are"
        end_with(CheckError, f"{count} unexplained: see {summary.values['path']}")


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


@click.group()
def lab() -> None:
    """Replay the months of this office under other systems or rules. Nothing is published, and no store is changed."""


@lab.command()
@click.option(
    "--systems", "names", type=SYSTEMS, required=True, help="Families, or folders of rule files, between commas."
)
@_START
@_FROM
@_TO
@_CONTROL
@in_office
def replay(names: list[str], office: Office, **options: Any) -> None:
    """Calculate the months under every system, and predict every game before it is learnt."""
    from ratinglist_lab import replay

    office.show(replay.replay(office.settings(), names, **options))


@lab.command()
@click.option("--systems", "names", type=SYSTEMS, help="Replayed systems, the first to compare with; default: all.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def report(names: list[str] | None, office: Office, **options: Any) -> None:
    """Compare what the replayed systems predicted and what their lists became: a page, charts and tables."""
    from ratinglist_lab import report

    office.show(report.report(office.settings(), names or (), **options))


@lab.command("what-if")
@click.option("--family", help="The rule family that is changed; default: that of the home's lists.")
@click.option("--change", "changes", multiple=True, required=True, help="section.key=value; may be repeated.")
@_START
@_FROM
@_TO
@_CONTROL
@_OUT
@in_office
def what_if(family: str | None, changes: tuple[str, ...], office: Office, **options: Any) -> None:
    """Change values of a regulation in memory: who moves, enters and leaves, and whether it predicts better."""
    from ratinglist_lab import report

    settings = office.settings(family)
    office.show(report.what_if(settings, settings.family, changes, **options))


@click.command("standings")
@click.argument("event", metavar="EVENT")
@click.option(
    "--order",
    type=click.Choice(["buchholz", "sonneborn-berger"]),
    help="What decides among equal points; default: sonneborn-berger for a round robin, else buchholz.",
)
@in_office
def standings_of_event(event: str, order: str | None, office: Office) -> None:
    """Show the final standings of an event: points, Buchholz, Sonneborn-Berger, byes and forfeits included.

    EVENT is a code, or a part of a name that no other event has.
    """
    from ratinglist_lab.standings import standings

    office.show(standings(office.settings(), event, order.replace("-", "_") if order else None))


COMMANDS = (expected, performance, update, rounds, standings_of_event, statistics, reconcile, lab)
