"""The commands that analyse: expected scores, performances, standings of an event."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from ratinglist.cli.explain import FIDE_ID
from ratinglist.cli.options import JSON_OPTION, MONTH, office_options, office_settings, show
from ratinglist.errors import CommandLineError
from ratinglist.period import Period


class _Rating(click.ParamType[int]):
    """A rating, 0 to 9999."""

    name = "RATING"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the rating; fail where it is none."""
        if not re.fullmatch("[0-9]{1,4}", str(value)):
            self.fail(f"'{value}' is not a rating: write a whole number from 0 to 9999, such as 1609.", param, ctx)
        return int(value)


RATING = _Rating()
_HALVES = {"0": 0, "½": 1, "0.5": 1, ".5": 1, "1/2": 1, "=": 1, "1": 2}


class _Parts(click.ParamType[list[Any]]):
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


class _Results(_Parts):
    """Results: 1, ½ (or 0.5, =) and 0."""

    def part(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the half points of one result."""
        if text not in _HALVES:
            self.fail(f"'{text}' is not a result: write 1, ½ (or 0.5) or 0.", param, ctx)
        return _HALVES[text]


class _Score(click.ParamType[int]):
    """A number of points, in whole and half ones."""

    name = "POINTS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the half points."""
        found = re.fullmatch(r"(\d{0,4})(½|\.5|\.0)?", str(value))
        if not found or not found[0]:
            self.fail(f"'{value}' is not a number of points: write for example 3 or 2.5.", param, ctx)
        return 2 * int(found[1] or 0) + (found[2] in ("½", ".5"))


@click.command()
@click.argument("rating", type=RATING, metavar="R1")
@click.argument("opponent_rating", type=RATING, metavar="R2")
@click.option(
    "--white-advantage",
    type=click.IntRange(-400, 400),
    default=0,
    show_default=True,
    help="Points that White's rating counts more; R1 has White.",
)
@click.option("--ingo", is_flag=True, help="R1 and R2 are Ingo numbers, of which the lower is the stronger.")
@JSON_OPTION
def expected(rating: int, opponent_rating: int, white_advantage: int, ingo: bool, as_json: bool) -> None:
    """Show what R1 expects to score against R2 by every model, and the probabilities of win, draw and loss."""
    from ratinglist.workflows import expected as workflow

    show(workflow.expected(rating, opponent_rating, white_advantage, ingo=ingo), as_json=as_json)


@click.command()
@click.argument("player", type=FIDE_ID, required=False)
@click.option("--event", "event_id", help="The player's games in this event; default: the month's rated events.")
@click.option("--month", "period", type=MONTH, help="A published list; default: the newest with games of the player.")
@click.option("--against", type=_Parts("RATINGS"), help='Opponents\' ratings typed in: "1609 1477 1388".')
@click.option("--results", type=_Results("RESULTS"), help='The result against each of them: "1 ½ 0".')
@click.option("--score", type=_Score(), help="The points against all of them, where the results are not known.")
@click.option(
    "--opponents",
    type=click.Choice(["all", "compatible", "clamped"]),
    default="all",
    show_default=True,
    help="compatible: only those within 350 points of the own rating. clamped: others count as 350 points away.",
)
@click.option("--own", type=RATING, help="The own rating; default for a published game: the one used there.")
@office_options
def performance(
    player: int | None,
    event_id: str | None,
    period: Period | None,
    against: list[int] | None,
    results: list[int] | None,
    score: int | None,
    opponents: str,
    own: int | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Show what a result is worth as a rating, by every method.

    PLAYER is a FIDE ID: the player's published games count. Or type ratings in with --against, and --results or
    --score.
    """
    from ratinglist.workflows import performance as workflow

    if against is not None:
        if player is not None or event_id or period:
            raise CommandLineError("Ratings typed in belong to no player, event or month: leave those out.")
        if (results is None) == (score is None):
            raise CommandLineError("With --against give --results, one for each rating, or --score, not both.")
        halves = results if results is not None else score
        assert halves is not None  # noqa: S101 - for mypy: one of the two is given
        show(workflow.of_ratings(against, halves, opponents, own), as_json=as_json)
        return
    if player is None:
        raise CommandLineError("Name a player by FIDE ID, or type ratings in with --against and --results or --score.")
    if results is not None or score is not None:
        raise CommandLineError("--results and --score are for ratings typed in with --against: leave them out.")
    show(workflow.of_player(office_settings(home), player, period, event_id, opponents, own), as_json=as_json)


@click.command()
@click.argument("event_id")
@click.option(
    "--order",
    type=click.Choice(["buchholz", "sonneborn-berger"]),
    help="What decides among equal points; default: sonneborn-berger for a round robin, else buchholz.",
)
@office_options
def standings(event_id: str, order: str | None, home: Path | None, as_json: bool) -> None:
    """Show the final standings of an event: points, Buchholz, Sonneborn-Berger, byes and forfeits included."""
    from ratinglist.workflows import standings as workflow

    tie_break = order.replace("-", "_") if order else None
    show(workflow.standings(office_settings(home), event_id, tie_break), as_json=as_json)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--against", type=MONTH, help="The earlier list of the flow of points; default: the newest before.")
@click.option("--from", "first", type=MONTH, help="The first list of the series; default: 12 lists before.")
@click.option(
    "--reference", type=click.Path(path_type=Path), help="Another list to compare with: a file as import-list takes it."
)
@click.option(
    "--born-after",
    type=click.IntRange(1900, 2100),
    default=1980,
    show_default=True,
    help="The year of the young group.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write to; default: statistics-YYYY-MM here.")
@office_options
def statistics(
    month: Period,
    against: Period | None,
    first: Period | None,
    reference: Path | None,
    born_after: int,
    out: Path | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Write a published list's statistics: distribution, groups, the flow of points between two lists, inflation."""
    from ratinglist.workflows import statistics as workflow

    summary = workflow.statistics(
        office_settings(home), month, against=against, first=first, reference=reference, born_after=born_after, out=out
    )
    show(summary, as_json=as_json)
