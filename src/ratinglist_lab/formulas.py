"""What ratings and results are worth, for one player or game at a time.

The commands `ratinglist expected`, `update`, `rounds` and `performance`. No list is calculated from it: models of the
expected score, general Elo and its rules of thumb, and performances.
S points of N games against opponents of mean rating M; E is the old rating, K the development coefficient, N0 = 800 / K
the games that make a rating. Numbers are doubles, and few. A difference is always own rating − opponent's. With an
advantage of White of ``a`` points, White's difference is ``a`` points greater and Black's ``a`` points less.

A performance is the rating at which a result would have been expected, by every method of the literature. ``fide``,
``linear`` and ``linear_850`` are exact, and rounded from fractions; the other methods are computed in doubles, whose
sums do not depend on the order of the games.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
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
from ratinglist.text import counted, quoted
from ratinglist.workflows import sql
from ratinglist.workflows.opening import check_published

SCALE = 800
"""N0 × K."""
NEWCOMER_K = 150
"""K of the first event of a player whose rating is a guess."""
NEWCOMER_RATING, NEWCOMER_POINTS_A_YEAR = 1300, 50
"""The rating that a newcomer is guessed to have at most, and for each year of age."""

LINEAR_CUT = 350

INGO_SLOPE = 8
"""Rating points per Ingo number. A convention: regulations do not define the conversion."""


def logistic(difference: float) -> float:
    """Return 1 / (1 + 10^(−difference/400)), the model of Bradley and Terry."""
    return 1 / (1 + math.exp(-difference / LOGISTIC_SCALE))


def logistic_difference(share: float) -> float:
    """Return the difference at which :func:`logistic` is ``share``: −infinity at 0, infinity at 1."""
    if share in (0, 1):
        return math.inf if share else -math.inf
    return LOGISTIC_SCALE * math.log(share / (1 - share))


def normal(difference: float) -> float:
    """Return Φ(difference/σ), the model of Thurstone and Mosteller.

    σ is that of the difference of two players' performances, where each has one of 200 points: 200·√2.
    """
    return math.erfc(-difference / 400) / 2


def linear(difference: float) -> float:
    """Return ½ + difference/800, the difference cut."""
    return 0.5 + max(-LINEAR_CUT, min(LINEAR_CUT, difference)) / 800


def by_table(table: Sequence[int], cut: int, difference: int) -> float:
    """Return the expected score of a table of hundredths by the difference, which is cut first."""
    share = table[min(cut, abs(difference), len(table) - 1)]
    return (share if difference >= 0 else 100 - share) / 100


def draw_probability(share: float) -> float:
    """Return how probable a draw is where the expected score is ``share``; a win is ``share`` − half of it.

    It is the root of share × (1 − share), but no more than what leaves neither player a negative chance to win.
    """
    return min(math.sqrt(share * (1 - share)), 2 * min(share, 1 - share))


def models() -> dict[str, Callable[[int], float]]:
    """Return the models by name, each from a difference to the expected score, with the table of the regulations."""
    table = rule_book().tables["expected_score"].to_list()
    return {
        "logistic": logistic,
        "normal": normal,
        "linear": linear,
        "table": partial(by_table, table, len(table)),
        "table_350": partial(by_table, table, 350),
        "table_400": partial(by_table, table, 400),
    }


def expected(rating: int, opponent_rating: int, white_advantage: int = 0, *, ingo: bool = False) -> Facts:
    """Return what the first player expects against the second; the first has White where there is an advantage.

    ``ingo``: both numbers are Ingo numbers, of which the lower is the stronger; then there is a row of that model too.
    Out: ``difference``, in points of rating, the advantage included, and the table ``models``: ``model``, ``expected``,
    ``opponent_expected``, ``win``, ``draw`` and ``loss``, all shares of 1.
    """
    difference = (INGO_SLOPE * (opponent_rating - rating) if ingo else rating - opponent_rating) + white_advantage
    shares = {"ingo": max(0, min(100, 50 + opponent_rating - rating)) / 100} if ingo else {}
    shares |= {name: model(difference) for name, model in models().items()}
    rows = []
    for name, share in shares.items():
        draw = draw_probability(share)
        chances = {"win": share - draw / 2, "draw": draw, "loss": 1 - share - draw / 2}
        rows.append({"model": name, "expected": share, "opponent_expected": 1 - share, **chances})
    facts = {
        "rating": rating,
        "opponent_rating": opponent_rating,
        "white_advantage": white_advantage,
        "ingo": ingo,
        "difference": difference,
        "models": pl.DataFrame(rows),
    }
    return Facts(f"{rating} against {opponent_rating}", facts)


def composed(first: float, second: float) -> Facts:
    """Return what A expects against B, from what each of them expects against the same third player."""
    won, lost = first * (1 - second), second * (1 - first)
    share = won / (won + lost)
    title = f"A expects {first:g} and B {second:g} against the same player, whose strength is 1"
    facts = {
        "title": title,
        "expected": share,
        "opponent_expected": 1 - share,
        "strength_of_a": first / (1 - first),
        "strength_of_b": second / (1 - second),
    }
    return Facts(title, facts)


def single_update(rating: int, opponent: int, deviation: float, opponent_deviation: float) -> Facts:
    """Return rating and deviation of the first player after one game: a row for a win, a draw and a loss.

    ``new_rating``: of the first order; ``mode``: of the exact distribution after the game; ``attenuations``: g of both
    deviations.
    """
    q, g = 1 / LOGISTIC_SCALE, _attenuation(opponent_deviation)
    share = logistic(g * (rating - opponent))
    precision = 1 / deviation**2 + (q * g) ** 2 * share * (1 - share)
    rows = []
    for points in (1.0, 0.5, 0.0):
        mode = float(rating)
        # Newton's method: the function falls and is nearly straight, so that few steps are enough.
        for _ in range(50):
            at = logistic(g * (mode - opponent))
            slope = -1 / deviation**2 - (q * g) ** 2 * at * (1 - at)
            mode -= ((rating - mode) / deviation**2 + q * g * (points - at)) / slope
        rows.append(
            {
                "score": points,
                "expected": share,
                "new_rating": rating + q * g * (points - share) / precision,
                "new_deviation": math.sqrt(1 / precision),
                "mode": mode,
            }
        )
    facts = {
        "rating": rating,
        "opponent_rating": opponent,
        "attenuations": (_attenuation(deviation), g),
        "rows": pl.DataFrame(rows),
    }
    return Facts(f"{rating} against {opponent}", facts)


def _attenuation(deviation: float) -> float:
    """Return g of a deviation."""
    return 1 / math.sqrt(1 + 3 * (deviation / (math.pi * LOGISTIC_SCALE)) ** 2)


def update(
    rating: int,
    opponents: Sequence[int],
    score_halves: int,
    k: float,
    events: int | None = None,
    provisional: tuple[int, float | None] | None = None,
) -> Facts:
    """Return what a result makes of a rating, by every rule.

    ``events``: how many events like this one follow each other, for the ``weights`` of the start and of each event.
    ``provisional``: an opponent's games so far, and K where it is known, for K against such an opponent.
    """
    games, points = len(opponents), score_halves / 2
    # The weight that the performance has against the old rating: N / N0, at most 1.
    share = min(1.0, games * k / SCALE)
    performance = sum(opponents) / games + 400 * (2 * points - games) / games
    facts = {
        "rating": rating,
        "games": games,
        "points": points,
        "k": k,
        "rows": pl.DataFrame(_updates(rating, opponents, points, k, rating + share * (performance - rating))),
        "facts": {
            "games_that_make_a_rating": SCALE / k,
            "games_that_weigh_like_the_old_rating": SCALE / k / 2,
            "linear_performance": performance,
            "weight_of_the_old_rating": 1 - share,
            "weight_of_the_performance": share,
            "least_k_of_a_first_period": SCALE / (2 * games),
            "largest_k_of_a_first_period": SCALE / games,
            "rounding_error_of_hundredths": k * 0.005 * math.sqrt(games),
            "rounding_error_of_twentieths": k * 0.025 * math.sqrt(games),
            "rounding_error_of_the_mean_in_hundredths": k * 0.005 * games,
        },
        "weights": _weights(share, events) if events else {},
        "k_against_provisional": _against_provisional(k, *provisional) if provisional else {},
    }
    return Facts(f"{rating}: {points:g} of {counted(games, 'point')}", facts)


def _updates(rating: int, opponents: Sequence[int], points: float, k: float, weighed: float) -> list[dict[str, object]]:
    """Return the new rating by every rule: ``rule``, ``model``, ``expected`` points, ``k``, ``new_rating`` exactly.

    ``weighed``: that by weights.
    """
    games = len(opponents)
    # Half up.
    mean = (2 * sum(opponents) + games) // (2 * games)
    cut = sum(max(-LINEAR_CUT, min(LINEAR_CUT, opponent - rating)) for opponent in opponents)
    closed = rating + k / 2 * (2 * points - games + cut / 400)
    shares = [logistic(rating - opponent) for opponent in opponents]
    second = LOGISTIC_SCALE * (games * k / SCALE) / sum(share * (1 - share) for share in shares)
    rows: list[tuple[str, str, float | None, float, float]] = []
    for name, model in models().items():
        each, of_mean = sum(model(rating - opponent) for opponent in opponents), games * model(rating - mean)
        rows.append(("by K", name, each, k, rating + k * (points - each)))
        rows.append(("by K, mean of opponents", name, of_mean, k, rating + k * (points - of_mean)))
    rows.append(("linear, closed form", "linear", None, k, closed))
    rows.append(("by weights", "linear", None, k, weighed))
    rows.append(("second order", "logistic", sum(shares), second, rating + second * (points - sum(shares))))
    return [dict(zip(("rule", "model", "expected", "k", "new_rating"), row, strict=True)) for row in rows]


def _weights(share: float, events: int) -> dict[str, list[float]]:
    """Return the weights after several events of this share each, as so many events and as one period.

    The first weight is that of the start.
    """
    total = share * events
    return {
        "each event": [(1 - share) ** events, *(share * (1 - share) ** at for at in reversed(range(events)))],
        "one period": [0.0, *[1 / events] * events] if total >= 1 else [1 - total, *[share] * events],
    }


def _against_provisional(k: float, opponent_games: int, opponent_k: float | None) -> dict[str, float]:
    """Return K against an opponent with a provisional rating of so many games, by rule."""
    by_ratio = {} if opponent_k is None else {"ratio": k * k / opponent_k if opponent_k > k else k}
    crude = k * opponent_games / (opponent_games + 1)
    return {**by_ratio, "crude": crude, "g": k / math.sqrt(1 + 1.2 / opponent_games) if opponent_games else 0.0}


def mutual(rating: int, opponent: int, games: int, score_halves: int, k: float) -> Facts:
    """Return both players' performances and new ratings where each is the other's only opponent.

    Raises :class:`CommandLineError` where every point or no point was scored, or N is N0: then there are none.
    """
    share, points = games * k / SCALE, score_halves / 2
    if not 0 < points < games or math.isclose(share, 1):
        raise CommandLineError(
            "There is no mutual performance where no point was scored, or every point or more, or where as many games "
            "were played as make a rating. Give other --games, --score or --k."
        )
    gap = logistic_difference(points / games)
    first, second = opponent + gap, rating - gap
    # aN = aP + x (bN − b), bN = bP + x (aN − a)
    settled = (first + share * (second - opponent) - share * share * rating) / (1 - share * share)
    other = second + share * (settled - rating)
    title = f"{rating} against {opponent}: {points:g} of {games} points"
    facts = {
        "title": title,
        "performance": first,
        "opponent_performance": second,
        "mutual_performance": settled,
        "opponent_mutual_performance": other,
        "new_rating": rating + share * (settled - rating),
        "opponent_new_rating": opponent + share * (other - opponent),
    }
    return Facts(title, facts)


def rounds(players: int) -> Facts:
    """Return the rounds of a Swiss tournament of so many players, and its first round by strength.

    ``draw_numbers``: of the players, the strongest first. ``first_round``: the numbers of White and Black; the number
    after the last is the bye of an odd field.
    """
    recommended, possible = _ROUNDS.get(players, ((), ()))
    facts = {
        "players": players,
        "at_most": players // 2 + 1,
        "recommended": recommended,
        "possible": possible,
        "draw_numbers": (*range(2, players + 1, 2), *range(1, players + 1, 2)),
        "first_round": tuple((number, number + 1) for number in range(1, players + 1, 2)),
    }
    bye = f", number {players + 1} is the bye" if players % 2 else ""
    return Facts(f"Rounds of a Swiss tournament of {players} players{bye}", facts)


_ROUNDS = {
    9: ((3, 5), ()),
    10: ((4, 5, 6), ()),
    11: ((5,), ()),
    12: ((5, 6, 7), ()),
    13: ((5, 7), ()),
    14: ((5, 6, 7), (8,)),
    15: ((5, 7), ()),
    16: ((7, 8), (6, 9)),
    17: ((7, 9), ()),
    18: ((8, 9), (7, 10)),
    19: ((7, 9), ()),
    20: ((8, 9, 10), (7, 11)),
    21: ((7, 9), (11,)),
    22: ((9, 10, 11), (8, 12)),
    23: ((9, 11), ()),
    24: ((9, 10, 11, 12), (8, 13)),
    25: ((9, 11), (13,)),
    26: ((10, 11, 12, 13), (9, 14)),
    27: ((9, 11), (13,)),
    28: ((10, 11, 12, 13, 14), (9, 15)),
    29: ((11, 13), (15,)),
    30: ((11, 12, 13, 14, 15), (10, 16)),
    31: ((11, 13, 15), ()),
    32: ((11, 12, 13, 14, 15, 16), (10, 17)),
}
"""The numbers of rounds recommended for so many players, and those that are possible too; none for other numbers."""


# ------------------------------------------------------------------------------------------------------- performance

COMPATIBLE = 350

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

_GAME = ("player", "rating", "opponent", "opponent_rating", "score")
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
    is_total = isinstance(score_halves, int)
    if (opponents != "all" and own is None) or (opponents == "compatible" and is_total):
        raise CommandLineError(
            f"--opponents {opponents} compares with the own rating: give it with --own; and for compatible the result "
            "of each game, with --results instead of --score."
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
    played = defaultdict(list)
    for number, cells in enumerate(csv.reader(lines), 1):
        if number == 1 and tuple(cells) == _GAME:
            continue
        game = _GAME_LINE.fullmatch("\t".join(map(str.strip, cells)))
        if number == 1 or game is None or game[1] == game[3] or game[5] not in TYPED_HALVES:
            raise CommandLineError(
                f"{path}, line {number}: '{','.join(cells)}' is not a game: write {','.join(_GAME)} on the first line, "
                "then two different players, each with a whole number or nothing for the rating, and the score 1, ½ "
                "or 0."
            )
        player, rating, opponent, opponent_rating, score = game.groups()
        if (ratings.setdefault(player, rating), ratings.setdefault(opponent, opponent_rating)) != game.group(2, 4):
            raise CommandLineError(
                f"{path}, line {number}: a player has another rating than before. Write the same on every line."
            )
        played[player].append((opponent, TYPED_HALVES[score]))
        played[opponent].append((player, 2 - TYPED_HALVES[score]))
    known = {name: int(rating) if rating else None for name, rating in ratings.items()}
    return {
        name: [(other, known[other], halves) for other, halves in played[name]]
        for name, rating in known.items()
        if rating is None
    }


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
    # Where all opponents count as they are, none is too far away.
    known = [(rating, half, rating if opponents == "all" else own) for rating, half, own in games if rating is not None]
    scored = sorted(
        (min(max(rating, own - COMPATIBLE), own + COMPATIBLE), half)
        for rating, half, own in known
        if own is not None and (opponents == "clamped" or abs(own - rating) <= COMPATIBLE)
    )
    halves = sum(half for _, half in scored)
    values = _values(scored, halves) if scored else {}
    sums = {"games": len(scored), "score_halves": halves, "opponent_rating_sum": sum(rating for rating, _ in scored)}
    why_none = NO_GAME if not scored else NO_POINT if halves == 0 else EVERY_POINT
    rows: list[dict[str, object]] = []
    for method in METHODS:
        value = values.get(method, math.inf)
        if math.isinf(value):
            rows.append({"method": method, **sums, "reason": why_none})
            continue
        figures = {
            "value": float(value),
            "performance": math.floor(value + Fraction(1, 2)),
            # That of the slope of the likelihood. Where another method ends far from every opponent, there is none.
            "standard_error": LOGISTIC_SCALE / math.sqrt(_sums(scored, float(value))[1])
            if method == "likelihood"
            else None,
            "log_likelihood": log_likelihood(scored, float(value)) if single_results else None,
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
    a, b, e = _sums(games, start)
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
        "glickman": start + LOGISTIC_SCALE * ((score - a) / b if abs(e) < 1e-12 else (root - b) / e),
    }


def _likelihood(games: Games, score: float, start: float, mean: float) -> float:
    """Return the rating at which the sum of expected scores is the score, between two where it is less and more.

    At the lowest opponent + the logistic difference of the score too little is expected, at the highest opponent + it
    too much.
    """
    if not math.isfinite(start):
        return start
    low, high = (limit + start - mean for limit in (games[0][0], games[-1][0]))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _sums(games, middle)[0] < score else (low, middle)
    return low


def _sums(games: Games, at: float) -> tuple[float, float, float]:
    """Return Σp, Σp(1−p) and Σp(1−p)(1−2p) of the games of a player rated ``at``."""
    shares = [logistic(at - rating) for rating, _ in games]
    return (
        math.fsum(shares),
        math.fsum(p * (1 - p) for p in shares),
        math.fsum(p * (1 - p) * (1 - 2 * p) for p in shares),
    )


def log_likelihood(games: Games, at: float) -> float:
    """Return Σ s ln p + (1 − s) ln(1 − p) of games, p the logistic expected score at the rating ``at``."""
    return math.fsum(
        half / 2 * _log_logistic(at - rating) + (1 - half / 2) * _log_logistic(rating - at) for rating, half in games
    )


def _log_logistic(difference: float) -> float:
    """Return the logarithm of :func:`logistic`, which is 0 or 1 at a difference of some thousand points."""
    scaled = difference / LOGISTIC_SCALE
    return min(scaled, 0) - math.log1p(math.exp(-abs(scaled)))


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
