"""The command `ratinglist performance`: what a result is worth, from published games or from ratings typed in.

A performance is the rating at which a result would have been expected, by every method of the literature. It describes
a result: no list is calculated from it. ``fide``, ``linear`` and ``linear_850`` are exact, and rounded from fractions;
the other methods are computed in doubles, whose sums do not depend on the order of the games.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.rating.systems.glicko import LOGISTIC_SCALE
from ratinglist.result_codes import TYPED_HALVES
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist.text import quoted
from ratinglist.workflows import sql
from ratinglist.workflows.opening import check_published
from ratinglist_lab.formulas import logistic, logistic_difference

COMPATIBLE = 350
"""The largest difference of compatible opponents."""

LOGISTIC_CUTS = {"logistic_cut_90": 90, "logistic_cut_95": 95}
"""The share in hundredths to which ``logistic_cut`` limits the score, and at the other end to 100 − it."""

SLOPES = {"linear": Fraction(8), "linear_850": Fraction(17, 2)}
"""Points per hundredth of the score of the linear methods."""

METHODS = ("linear", "linear_850", "logistic", *LOGISTIC_CUTS, "mixed", "newton", "likelihood", "glickman", "fide")

POINTS = 400
"""What a win is worth above the opponent's rating, and a loss below it, in :func:`iterated`."""

EVERY_POINT, NO_POINT, NO_GAME = "every_point", "no_point", "no_game"
"""Why there is no performance: it is higher or lower than any rating, or no game counts."""

_FIGURES: dict[str, pl.DataType] = {
    "method": pl.String(),
    **dict.fromkeys(("games", "score_halves", "opponent_rating_sum"), pl.Int64()),
    "performance": pl.Int32(),
    **dict.fromkeys(("value", "standard_error", "log_likelihood"), pl.Float64()),
    "reason": pl.String(),
}
_MIXED = (Fraction(1579, 10_000), Fraction(8421, 10_000))
"""The shares at which the logistic and the steeper linear curve cross."""
_HALVINGS = 60
_SMALLEST_E = 1e-12

_GAME = ("player", "rating", "opponent", "opponent_rating", "score")
"""The columns of a file of games."""
_GAME_LINE = re.compile("(.+)\t([0-9]{0,4})\t(.+)\t([0-9]{0,4})\t(.+)")

Games = Sequence[tuple[int, int]]
"""Opponent's rating and own half points of each game."""


def of_player(
    settings: Settings,
    fide_id: int,
    period: Period | None = None,
    event_id: str | None = None,
    opponents: str = "all",
    own: int | None = None,
) -> Facts:
    """Return a player's performances in an event, or in all events that a month's list rates.

    ``period``: default the newest published month in which the player has such games. A month counts each
    game once, and only games of events that the list rates. A game played counts whether it changed the rating or not.
    ``own``: the own rating, where another than the published one is to be used. A game against an opponent without a
    rating never counts; nor has a list the ratings of an event that it does not rate.

    Raises :class:`NothingReadError` where nothing is published, or the player has no game there;
    :class:`CommandLineError` where ``opponents`` needs an own rating and the player had none.
    """
    check_published(settings)
    games = _newest_games(settings.published, fide_id, period, event_id).sort("time_control")
    month, revision = games.select("list_month", "revision").row(0)
    if own is not None:
        games = games.with_columns(pl.lit(own).alias("rating"))
    elif opponents != "all" and games["rating"].null_count():
        raise CommandLineError(
            f"Player {fide_id} had no rating in some of these games, and --opponents {opponents} compares with it: "
            "give one with --own."
        )
    unknown = games.filter(pl.col("opponent_rating").is_null())["time_control"].to_list()
    rows = [
        {"time_control": control, **row}
        for (control,), group in games.group_by("time_control", maintain_order=True)
        for row in performances(group.select("opponent_rating", "score_halves", "rating").rows(), opponents)
    ]
    what = f"event {event_id}, list of {month}" if event_id else f"events rated by the list of {month}"
    return _facts(f"Player {fide_id}: {what} (r{revision})", opponents, rows, dict(Counter(unknown)))


def of_ratings(
    ratings: Sequence[int],
    score_halves: Sequence[int] | int,
    opponents: str = "all",
    own: int | None = None,
) -> Facts:
    """Return the performances of a result against opponents whose ratings are given.

    ``score_halves``: the half points of each game, or of all games together. Raises :class:`CommandLineError` where
    ``opponents`` needs what is not given.
    """
    if opponents != "all" and own is None:
        raise CommandLineError(f"--opponents {opponents} compares with the own rating: give it with --own.")
    is_total = isinstance(score_halves, int)
    if opponents == "compatible" and is_total:
        raise CommandLineError(
            "--opponents compatible needs the result of each game: give --results instead of --score."
        )
    halves = [score_halves, *[0] * (len(ratings) - 1)] if isinstance(score_halves, int) else score_halves
    played = [(rating, half, own) for rating, half in zip(ratings, halves, strict=True)]
    rows = performances(played, opponents, single_results=not is_total)
    return _facts("Ratings typed in", opponents, [{"time_control": "", **row} for row in rows], {})


def _facts(
    source: str, opponents: str, rows: Sequence[Mapping[str, object]], without_rating: Mapping[str, int]
) -> Facts:
    """Return the performances of one result; ``source``: where the games are from.

    ``rows``: as :func:`performances` returns them, with ``time_control``, which is empty for ratings typed in.
    ``without_rating``: the games that do not count because the list has no rating of the opponent, by time control.
    """
    facts = {
        "source": source,
        "opponents": opponents,
        "games_without_opponent_rating": without_rating,
        "performances": pl.DataFrame(rows, schema={"time_control": pl.String(), **_FIGURES}),
    }
    return Facts(source, facts)


def _newest_games(published: Path, fide_id: int, period: Period | None, event_id: str | None) -> pl.DataFrame:
    """Return the played games of a player in one event, or in the events that the list of a month rates.

    Of the newest list with such games that have ratings, else of the newest with any: a list that found an event a
    duplicate, or superseded, has its games without ratings. Raises :class:`NothingReadError` where there is none.
    """
    if period is not None:
        revisions.chosen(published, period, None)
    elif not revisions.months(published):
        raise NothingReadError(
            "Nothing was published in this home yet: there are no games. For ratings typed in: --against and --score"
        )
    in_month = f"list_month = '{period}'" if period else "true"
    in_event = f"event_id = {quoted(event_id)}" if event_id else "status = 'rated' and games.reason <> 'same_game'"
    games = sql.run(
        published,
        f"""
        with played as (
            select list_month, games.revision, games.time_control, score_halves, rating, opponent_rating
            from games join events using (list_month, event_id)
            where fide_id = {fide_id:d} and {in_month} and {in_event}
        ),
        newest as (
            select list_month from played group by list_month
            order by count(opponent_rating) > 0 desc, list_month desc limit 1
        )
        select * from played semi join newest using (list_month)
        """,  # noqa: S608 - numbers and quoted texts
    )
    if games.is_empty():
        where = f"the event '{event_id}'" if event_id else "an event rated by the list"
        lists = f"the published list of {period}" if period else "any published list"
        raise NothingReadError(
            f"Player {fide_id} has no played game in {where}, in {lists}. Check the FIDE ID "
            f"(ratinglist find {fide_id}) and the event (ratinglist event EVENT_ID)."
        )
    return games


def iterate_file(path: Path, start: int, rounds: int, *, exact: bool = False) -> Facts:
    """Return the iterated performances of the players without a rating in a file of games, each game once.

    Raises :class:`NothingReadError` where the file cannot be read, and :class:`CommandLineError` naming the line that
    is wrong.
    """
    values = iterated(_typed_games(path), start, rounds, exact=exact)
    if not values[0]:
        raise NothingReadError(f"{path}: every player has a rating, so there is nothing to calculate.")
    title = f"{path}: performances in rounds, from {start}"
    return Facts(title, {"file": str(path), "start": start, "rounds": pl.DataFrame(values)})


def _typed_games(path: Path) -> dict[str, list[tuple[str, int | None, int]]]:
    """Return the games of each player without a rating: the opponent, their rating, and the own half points."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise NothingReadError(f"{path} cannot be read: {reason}. Name a file of games as CSV.") from None
    ratings: dict[str, str] = {}
    sides = []
    for number, cells in enumerate(csv.reader(lines), 1):
        game = _GAME_LINE.fullmatch("\t".join(map(str.strip, cells)))
        if number == 1 and tuple(cells) == _GAME:
            continue
        if number == 1 or game is None or game[1] == game[3] or game[5] not in TYPED_HALVES:
            raise CommandLineError(
                f"{path}, line {number}: '{','.join(cells)}' is not a game: write {','.join(_GAME)} on the first line, "
                "then two different players, each with a whole number or nothing for the rating, and the score 1, ½ "
                "or 0."
            )
        player, rating, opponent, opponent_rating, score = game.groups()
        if ratings.setdefault(player, rating) != rating or ratings.setdefault(opponent, opponent_rating) != (
            opponent_rating
        ):
            raise CommandLineError(
                f"{path}, line {number}: a player has another rating than before. Write the same on every line."
            )
        halves = TYPED_HALVES[score]
        sides += [(player, opponent, halves), (opponent, player, 2 - halves)]
    games: dict[str, list[tuple[str, int | None, int]]] = {name: [] for name, rating in ratings.items() if not rating}
    for player, opponent, halves in sides:
        if player in games:
            games[player].append((opponent, int(ratings[opponent]) if ratings[opponent] else None, halves))
    return games


def performances(
    games: Sequence[tuple[int | None, int, int | None]], opponents: str = "all", *, single_results: bool = True
) -> list[dict[str, object]]:
    """Return the performances of some games, a row for each of :data:`METHODS`.

    In: of each game the opponent's rating, the own half points, and the own rating, unless ``opponents`` is ``all``. A
    game without a rating that is needed does not count. Without ``single_results`` only the sum of the scores has a
    meaning: then there is no ``log_likelihood``, and ``opponents`` must not be ``compatible``. ``opponents``: which of
    them count: ``all``; ``compatible``, those within :data:`COMPATIBLE` points of the own rating; ``clamped``, all,
    each moved to at most so many points from it.

    Out: ``method``, ``games``, ``score_halves``, ``opponent_rating_sum``, ``performance`` (rounded half up), ``value``
    (a double), ``standard_error`` (of ``likelihood`` alone), ``log_likelihood`` (of the single results at ``value``)
    and ``reason``, one of :data:`EVERY_POINT`, :data:`NO_POINT` and :data:`NO_GAME` where there is no performance, else
    empty.
    """
    counted = []
    for rating, half, own in games:
        if opponents == "all" and rating is not None:
            counted.append((rating, half))
        elif rating is not None and own is not None and (opponents == "clamped" or abs(own - rating) <= COMPATIBLE):
            counted.append((min(max(rating, own - COMPATIBLE), own + COMPATIBLE), half))
    counted.sort()
    halves = sum(half for _, half in counted)
    values = _values(counted, halves) if counted else {}
    sums = {"games": len(counted), "score_halves": halves, "opponent_rating_sum": sum(rating for rating, _ in counted)}
    why_none = NO_GAME if not counted else NO_POINT if halves == 0 else EVERY_POINT
    rows: list[dict[str, object]] = []
    for method in METHODS:
        value = values.get(method, math.inf)
        if math.isinf(value):
            rows.append({"method": method, **sums, "reason": why_none})
            continue
        figures = {
            "value": float(value),
            "performance": math.floor(value + Fraction(1, 2)),
            "standard_error": _standard_error(counted, float(value)) if method == "likelihood" else None,
            "log_likelihood": log_likelihood(counted, float(value)) if single_results else None,
        }
        rows.append({"method": method, **sums, **figures, "reason": ""})
    return rows


def _values(games: Games, halves: int) -> dict[str, Fraction | float]:
    """Return the performance of some games by each method: infinite where no rating is."""
    count = len(games)
    mean, share = Fraction(sum(rating for rating, _ in games), count), Fraction(halves, 2 * count)
    # Rp = Ra + dp: the rating difference of the share of the points, rounded half up to hundredths (8.1.1).
    difference = rule_book().tables["performance"][(100 * halves + count) // (2 * count)]
    linear = {method: mean + slope * (100 * share - 50) for method, slope in SLOPES.items()}
    logistic = float(mean) + logistic_difference(float(share))
    cuts = {
        method: float(mean) + logistic_difference(float(min(max(share, 1 - Fraction(cut, 100)), Fraction(cut, 100))))
        for method, cut in LOGISTIC_CUTS.items()
    }
    is_between = _MIXED[0] <= share <= _MIXED[1]
    start = float(linear["linear"])
    a, b, e = _expected(games, start)
    score = halves / 2
    root = math.sqrt(max(b * b + 2 * e * (score - a), 0))
    return {
        "fide": mean + difference,
        **linear,
        "logistic": logistic,
        **cuts,
        "mixed": logistic if is_between else linear["linear_850"],
        "newton": start + LOGISTIC_SCALE * (score - a) / b,
        "likelihood": _likelihood(games, score, logistic, float(mean)),
        "glickman": start + LOGISTIC_SCALE * ((score - a) / b if abs(e) < _SMALLEST_E else (root - b) / e),
    }


def _likelihood(games: Games, score: float, start: float, mean: float) -> float:
    """Return the rating at which the sum of expected scores is the score, between two where it is less and more.

    At the lowest opponent + the logistic difference of the score too little is expected, at the highest opponent + it
    too much.
    """
    if not math.isfinite(start):
        return start
    low, high = (limit + start - mean for limit in (games[0][0], games[-1][0]))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _expected(games, middle)[0] < score else (low, middle)
    return low


def _expected(games: Games, at: float) -> tuple[float, float, float]:
    """Return Σp, Σp(1−p) and Σp(1−p)(1−2p) of the games of a player rated ``at``."""
    shares = [logistic(at - rating) for rating, _ in games]
    return (
        math.fsum(shares),
        math.fsum(p * (1 - p) for p in shares),
        math.fsum(p * (1 - p) * (1 - 2 * p) for p in shares),
    )


def _standard_error(games: Games, at: float) -> float:
    return LOGISTIC_SCALE / math.sqrt(_expected(games, at)[1])


def log_likelihood(games: Games, at: float) -> float:
    """Return Σ s ln p + (1 − s) ln(1 − p) of games, p the logistic expected score at the rating ``at``."""
    return math.fsum(
        half / 2 * math.log(logistic(at - rating)) + (1 - half / 2) * math.log(logistic(rating - at))
        for rating, half in games
    )


def iterated(
    games: Mapping[str, Sequence[tuple[str, int | None, int]]], start: int, rounds: int, *, exact: bool = False
) -> list[dict[str, float]]:
    """Return the values of the players without a rating after each round, by player; they stop when none moves.

    All begin at ``start``. Every round calculates the linear performance of all games of such a player, with the
    opponents' ratings or their values of the round before, half up to a whole number, or exactly and shown to 0.0001.
    In: of each of these players the opponents, their ratings (None: none), and the own half points.
    """
    values = dict.fromkeys(sorted(games), Fraction(start))
    shown: list[dict[str, float]] = []
    before = None
    while len(shown) < rounds and values != before:
        before, values = values, {}
        for player in before:
            worth = [
                (before[other] if rating is None else rating) + POINTS * (halves - 1)
                for other, rating, halves in games[player]
            ]
            mean = Fraction(sum(worth)) / len(worth)
            values[player] = mean if exact else Fraction(math.floor(mean + Fraction(1, 2)))
        shown.append({player: round(float(value), 4) if exact else int(value) for player, value in values.items()})
    return shown
