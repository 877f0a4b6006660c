"""State how the French Elo came to a player's number: the figures of all players, the terms of one."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.rating.systems import ffe
from ratinglist.rating.systems.account import Calculated, Entrant, Steps, SystemAccount, of_players
from ratinglist.rating.systems.ffe import FfeRules
from ratinglist.rating.systems.month import half_up, linear_performance
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.terms import CitedRules, FigureTable, Term, Values, table

_CASES = {
    "below": "the performance is below {old}: ({weight} × {old} + X) / ({weight} + {n})",
    "whole": "{weight} games or more: X / {n}",
    "part": "(({weight} - {n}) × {old} + X) / {weight}",
}
_HEAD = ("event", "round", "opponent", "name", "value", "from")
_SOURCES = {"listed": "the list before", "enters": "the last round: enters with it", "waits": "the last round"}


def _figures(calculated: Calculated, rules: FfeRules) -> pl.DataFrame:
    worth = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.update.points)
    n, x, old = pl.col("performance_games"), pl.col("performance_sum"), pl.col("old_rating")
    quotient = dict(zip(("case", "numerator", "denominator"), ffe.quotient(n, x, old, rules), strict=True))
    has_entered = pl.col("status") == "entered"
    # Games of earlier lists are not among those of this one.
    all_here = pl.col("played") == pl.col("games")
    is_updated = pl.when(~has_entered & n.is_not_null() & x.is_not_null() & old.is_not_null())
    by_player = of_players(calculated, worth.sum().cast(pl.Int64).alias("worth"))
    return by_player.join(_waiting(calculated, rules), on="fide_id", how="left").select(
        *("fide_id", "games", "performance_games", "performance_sum"),
        *(is_updated.then(value).alias(name) for name, value in quotient.items()),
        # All games of a player who enters have waited.
        pl.when(has_entered)
        .then(pl.max_horizontal("games", rules.entry.min_games))
        .otherwise("due_games")
        .alias("due_games"),
        pl.when(has_entered).then("games").otherwise("due_games").alias("due_performance_games"),
        pl.when(~has_entered).then("worth").when(all_here).then("entry_worth").alias("due_performance_sum"),
        pl.when(has_entered)
        .then("value")
        .otherwise(half_up(quotient["numerator"], quotient["denominator"]))
        .alias("due_new_rating"),
    )


def _waiting(calculated: Calculated, rules: FfeRules) -> pl.DataFrame:
    """Return of the unlisted players who played for this list: ``value``, and number and worth of these games."""
    worth = linear_performance(pl.col("opponent_value"), pl.col("score_halves"), rules.update.points)
    return (
        calculated.games.filter(reason="counts_for_entry")
        .group_by("fide_id")
        .agg(
            pl.col("value").first().cast(pl.Int64),
            pl.len().cast(pl.Int64).alias("played"),
            worth.sum().cast(pl.Int64).alias("entry_worth"),
        )
    )


def _due_of_games(calculated: Calculated, rules: FfeRules) -> dict[str, pl.Expr]:
    del calculated
    # A game counts between players of near strength only.
    is_far = (pl.col("rating") - pl.col("opponent_rating")).abs() > rules.update.compatible
    return {"opponent_rating": pl.when(is_far).then(pl.col("rating"))}


def _terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    n, x, weight = figures["performance_games"], figures["performance_sum"], rules["update.weight_games"]
    points, least = rules["update.points"], rules["update.compatible"]
    if change["status"] == "entered":
        return _entry_terms(change, figures, rules, entrant)
    if figures["case"] is None:
        return []
    return [
        rules.term("update.compatible", "games count against opponents within {most} points", most=least),
        Term(
            "performance",
            "X, the opponents' ratings and {points} more for a win, less for a loss, of {games:game}: {result}",
            {"points": points, "games": n},
            x,
        ),
        rules.term(
            "update.weight_games",
            _CASES[figures["case"]] + " = {quotient:t}, rounded {result}",
            change["new_rating"],
            weight=weight,
            old=change["old_rating"],
            n=n,
            quotient=1000 * figures["numerator"] // figures["denominator"],
        ),
    ]


def _entry_terms(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    """Return how the waiting games give the first rating: the opponents' values, X, the division and the rating."""
    start = rules["entry.start"]
    first = rules.term("entry.start", "performances of all waiting games, in rounds that begin at {start}", start=start)
    last = rules.term(
        "entry.min_games",
        "{games:game} waited, at least {least} of them within {most} points: enters with {result}",
        change["new_rating"],
        games=figures["performance_games"],
        least=rules["entry.min_games"],
        most=rules["update.compatible"],
    )
    return [first, *_division(change, figures, rules, entrant), last]


def _division(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    """Return the sum X of the opponents' values and its division; nothing where a figure is not published.

    The value of an opponent is the rating on the list before, or the value of the last round; that of an opponent who
    enters is their new rating. Values of the games of earlier lists are not published.
    """
    n, x, points = figures["performance_games"], figures["performance_sum"], rules["update.points"]
    scores = [game["score_halves"] for game in entrant.games] + [one["score_halves"] for one in entrant.waited]
    count = len(entrant.games) + sum(one["games"] or 0 for one in entrant.waited)
    if n is None or x is None or count != n or any(one is None for one in scores):
        return []
    halves = sum(scores)
    opponents = x - points * (halves - n)
    values = [_value(game, entrant.listed) for game in entrant.games]
    known = [value for value, _ in values if value is not None]
    rows = [
        [game["event_id"], game["round"], game["opponent_id"], game["opponent"], value, _SOURCES[source]]
        for game, (value, source) in zip(entrant.games, values, strict=True)
    ]
    steps: list[Term | FigureTable] = [
        Term(
            "values",
            "the value of an opponent: the rating on the list before, else the performance after the last round:",
        ),
        *table(_HEAD, rows, ("event", "name", "from")),
    ]
    if n > len(known):
        others = (
            "{games:other_game} of earlier lists: the opponents' values, which are not published, add up to {result}"
        )
        steps.append(Term("other_games", others, {"games": n - len(known)}, opponents - sum(known)))
    sentence = (
        "X, the opponents' values and {points} more for a win, less for a loss: {opponents} + {points} × "
        "(2 × {halves:points} - {n}) = {result}"
    )
    performance = (2 * x + n) // (2 * n)
    steps += [
        rules.term("update.points", sentence, x, points=points, opponents=opponents, halves=halves, n=n),
        rules.term(
            "update.halves", "X / {n} = {quotient:t}, rounded {result}", performance, n=n, quotient=1000 * x // n
        ),
    ]
    if change["new_rating"] is not None and performance != change["new_rating"]:
        sentence = (
            "the rating is the value, {result}: it was calculated with the opponents' values of an earlier round; a "
            "value that moves by less than {least} stays"
        )
        least = rules["entry.settled_below"]
        steps.append(rules.term("entry.settled_below", sentence, change["new_rating"], least=least))
    return steps


def _value(game: Values, listed: Mapping[int, int]) -> tuple[int | None, str]:
    """Return an opponent's value, and where it comes from: ``listed``, ``enters`` or ``waits``."""
    if game["opponent_rating"] is not None:
        return int(game["opponent_rating"]), "listed"
    value = game["opponent_value"]
    return (None if value is None else int(value)), "enters" if game["opponent_id"] in listed else "waits"


SYSTEM = RatingSystem(
    FfeRules,
    ffe.rate,
    SystemAccount(_figures, _due_of_games, _terms),
    state=ffe.STATE,
    game_columns=ffe.GAME_COLUMNS,
)
"""The system as the program knows it."""
