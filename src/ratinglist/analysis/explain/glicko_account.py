"""Calculate the terms and sums of a player's games in Glicko again, from the published ratings and deviations.

The terms themselves are not published. The functions are those that calculated the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.rating.system_rules import GlickoRules
from ratinglist.rating.systems.glicko import (
    Q,
    grown_variance,
    half_up_hundredths,
    imported_deviation,
    learned,
    learned_variance,
    weights_of_places,
    with_terms,
)

Row = dict[str, Any]

_NEEDED = (
    *("rating_hundredths", "deviation_hundredths", "opponent_rating_hundredths", "opponent_deviation_hundredths"),
    *("colour", "score_halves", "opponent_id", "round"),
)


@dataclass(frozen=True, slots=True)
class DeviationsBefore:
    """The deviations of the list before, in hundredths by FIDE ID, and the months since that list; None: unknown."""

    hundredths: Mapping[int, int]
    months: int | None


def learning(
    player: int, events: Sequence[Row], change: Mapping[str, Any], before: DeviationsBefore, rules: GlickoRules
) -> Row | None:
    """Return the terms of every counted game, both sums, the variance before and after, and the rating they give.

    ``events``: the player's, each with its games. None where a figure that the terms need is not published, or no game
    counts.
    Out: integers, with the unit in the name. ``is_exact`` is false where the variance of a player follows from the
    published deviation only, which is rounded to hundredths.
    """
    games = _in_order(events)
    if not games or any(game[name] is None for game in games for name in _NEEDED):
        return None
    deviations = {game["opponent_id"]: game["opponent_deviation_hundredths"] for game in games}
    grown = {other: _grown(published, before, other, rules) for other, published in deviations.items()}
    own = _grown(games[0]["deviation_hundredths"], before, player, rules)
    places = pl.DataFrame({"place": range(len(games)), "games": [len(games)] * len(games)})
    has_weights = rules.expected_score.weights != "equal"
    weights = weights_of_places(places, rules) if has_weights else pl.Series([1.0] * len(games))
    sides = pl.DataFrame(
        {
            "own_hundredths": [game["rating_hundredths"] for game in games],
            "opponent_hundredths": [game["opponent_rating_hundredths"] for game in games],
            "opponent_variance": [grown[game["opponent_id"]].variance for game in games],
            "is_white": [game["colour"] == "w" for game in games],
            "score_halves": [game["score_halves"] for game in games],
            "weight": weights,
        }
    )
    terms = with_terms(sides.lazy(), rules).collect()
    sums = terms.select(
        pl.lit(games[0]["rating_hundredths"]).alias("rating_hundredths"),
        pl.lit(own.variance).alias("variance"),
        pl.len().alias("games"),
        pl.col("information", "surplus").sum(),
    )
    (after,) = sums.with_columns(*learned(rules), learned_variance().alias("variance_after")).to_dicts()
    return {
        "months": before.months,
        "deviation_before": own.before,
        "variance_ten_thousandths": round(own.variance * 10_000),
        "information_billionths": after["information"],
        "surplus_billionths": after["surplus"],
        "q_billionths": round(Q * 1_000_000_000),
        # I, and what the rating moves by: v′ × q × Σ g(s - E).
        "precision_trillionths": round(Q * Q * after["information"] * 1_000),
        "points_ten_thousandths": round(after["variance_after"] * Q * after["surplus"] / 100_000),
        "variance_after_ten_thousandths": round(after["variance_after"] * 10_000),
        "rating_after": after["rating_hundredths"],
        "deviation_after": after["deviation_hundredths"],
        "is_exact": all(one.before is not None for one in (own, *grown.values())),
        "is_as_published": (after["rating_hundredths"], after["deviation_hundredths"])
        == (change["rating_hundredths"], change["deviation_hundredths"]),
        "terms": [
            {
                **{name: game[name] for name in ("event_id", "round", "opponent_id")},
                "difference_hundredths": round(100 * term["difference_points"]),
                "g_millionths": round(1_000_000 * term["g"]),
                "expected_millionths": round(1_000_000 * term["expected"]),
                "weight_millionths": round(1_000_000 * term["weight"]) if has_weights else None,
                "surplus_billionths": term["surplus"],
                "information_billionths": term["information"],
            }
            for game, term in zip(games, terms.to_dicts(), strict=True)
        ],
    }


def _in_order(events: Sequence[Row]) -> list[Row]:
    """Return the counted games with ``event_id``, by date (that of the event's end where there is none)."""
    games = [
        (game["date"] or event["end_date"] or "", event["end_date"] or "", event["event_id"], game["round"], game)
        for event in events
        for game in event["games"]
        if game["reason"] is None and game["rated"]
    ]
    return [{**game, "event_id": event_id} for _, _, event_id, _, game in sorted(games, key=lambda one: one[:4])]


@dataclass(frozen=True, slots=True)
class _Grown:
    """A player's variance of step 1, and the deviation in hundredths that it grew from; None: only about known."""

    variance: float
    before: int | None


def _grown(published: int, before: DeviationsBefore, fide_id: int, rules: GlickoRules) -> _Grown:
    """Return a player's variance of step 1; ``published``: its root as published, in hundredths.

    It is exact where a deviation of the list before grows to the published one: that of the player, or one that an
    imported player or a newcomer has.
    """
    games = pl.int_range(1, rules.deviation.imported_from_games + 1)
    imported = pl.select(imported_deviation(games, rules)).to_series().to_list()
    listed = [before.hundredths[fide_id]] if fide_id in before.hundredths else []
    deviations = pl.DataFrame({"before": [*listed, *imported]}, schema={"before": pl.Int32})
    found = deviations.with_columns(
        grown_variance(pl.col("before"), before.months or 0, rules).alias("variance")
    ).filter(half_up_hundredths(pl.col("variance").sqrt()) == published)
    if found.is_empty():
        return _Grown((published / 100) ** 2, None)
    return _Grown(found["variance"][0], found["before"][0])
