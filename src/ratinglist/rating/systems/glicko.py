"""Glicko, and the ranking of the PCA and WCC: a rating with a deviation, all games of a period at once.

The one exception to whole numbers: doubles game by game, each term rounded to 1e-9 before it is summed as an integer.
So the result is the same in any order of the games and on any number of threads. The state is in hundredths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.expected_models import LOGISTIC_SCALE, logistic
from ratinglist.rating.system_rules import FixedEntryRules, SystemSections
from ratinglist.rating.systems.account import Calculated, Deviations, SystemAccount, of_players
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    gathered,
    only_counted,
    places_of_games,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import SYSTEM_STATE

Q = 1 / LOGISTIC_SCALE
"""What a difference of one point is worth in the natural logarithm of the odds."""

_UNIT = 1_000_000_000
"""The parts of 1 that a term is rounded to before it is summed."""

_DATES = 2**32
_NO_DATE = 2**31
"""A range that holds the number of every date, and a number in it that no date has."""


@dataclass(frozen=True, slots=True)
class GlickoExpectedRules:
    """``white``: points added to White's rating. ``weights`` of a player's games, the last one first."""

    white: Whole
    weights: Literal["equal", "harmonic", "harmonic_raw"]


@dataclass(frozen=True, slots=True)
class DeviationRules:
    """The deviation: at most ``initial``, at least ``least``; its square grows by ``variance_per_month``.

    ``imported_from_games``: an imported player's deviation follows from the games played, at most this many.
    """

    initial: Whole
    least: Whole
    variance_per_month: Whole
    imported_from_games: Whole


@dataclass(frozen=True, slots=True)
class GlickoRules(SystemSections):
    """Glicko, and the ranking of the PCA and WCC."""

    SYSTEM: ClassVar = "glicko"
    expected_score: GlickoExpectedRules
    entry: FixedEntryRules
    deviation: DeviationRules


def rate(month: SystemMonth, rules: GlickoRules) -> SystemResult:
    """Calculate the list of ``month``: step 1 grows the deviations, steps 2 and 3 learn from the games."""
    known = _grown(month, rules)
    sides = _sides(month, known, rules)
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("information", "surplus").sum())
        .collect()
    )
    newcomers = sums.join(known, on="fide_id", how="anti").select("fide_id")
    entry = pl.lit(100 * rules.entry.rating, dtype=pl.Int32)
    before = pl.concat([known, newcomers], how="diagonal").with_columns(
        pl.col("rating_hundredths").fill_null(entry),
        pl.col("variance").fill_null(float(rules.deviation.initial**2)),
    )
    after = before.join(sums, on="fide_id", how="left").with_columns(*learned(rules))
    new_rating = ((pl.col("rating_hundredths") + 50) // 100).cast(pl.Int32)
    computed = (
        after.filter(pl.col("games").is_not_null())
        .join(month.before.select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id", how="left")
        .with_columns(pl.col("games").alias("counted_games"), new_rating.alias("new_rating"))
        .with_columns(
            pl.when(pl.col("old_rating").is_null()).then(pl.lit("entered")).otherwise(pl.lit("rated")).alias("status"),
            (pl.col("new_rating") - pl.col("old_rating").fill_null(rules.entry.rating)).alias("change"),
        )
    )
    state = after.sort("fide_id").with_columns(pl.lit(month.time_control).alias("time_control"))
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, pl.lit(None, dtype=pl.Int32)),
        system_state=SYSTEM_STATE.completed(state, blank_texts=True),
    )


def _grown(month: SystemMonth, rules: GlickoRules) -> pl.DataFrame:
    """Return every listed player as the period begins: ``fide_id``, ``rating_hundredths``, ``variance`` after step 1.

    An imported player's deviation follows from the number of games: 350 divided by the root of 25 at most.
    """
    months = month.period.index - month.month_before.index
    deviation = pl.coalesce("deviation_hundredths", imported_deviation(pl.col("games_played"), rules))
    return month.before.select(
        "fide_id",
        pl.coalesce("rating_hundredths", 100 * pl.col("rating")).cast(pl.Int32).alias("rating_hundredths"),
        grown_variance(deviation, months, rules).alias("variance"),
    )


def imported_deviation(games_played: pl.Expr, rules: GlickoRules) -> pl.Expr:
    """Return the deviation of imported players, in hundredths, before it grows."""
    own = rules.deviation
    games = games_played.clip(1, own.imported_from_games).cast(pl.Float64)
    return half_up_hundredths(pl.lit(float(own.initial)) / games.sqrt())


def grown_variance(deviation_hundredths: pl.Expr, months: int, rules: GlickoRules) -> pl.Expr:
    """Return the variance of a deviation, ``months`` after the list that has it (step 1)."""
    deviation = deviation_hundredths.cast(pl.Float64) / 100
    growth = float(rules.deviation.variance_per_month * months)
    return (deviation * deviation + growth).clip(upper_bound=float(rules.deviation.initial**2))


def _sides(month: SystemMonth, known: pl.DataFrame, rules: GlickoRules) -> pl.DataFrame:
    """Return the sides with the terms of both sums, ``information`` and ``surplus`` (:func:`with_terms`)."""
    # The weights first: they need no other column of a side, and memory for the order of all games.
    weighted = month.sides.with_columns(_weights(month.sides, month, rules).alias("weight"))
    facts = month.of_participants(known.rename({"rating_hundredths": "hundredths"}))
    sides = gathered(gathered(weighted, "player_row", facts, "own_"), "opponent_row", facts, "opponent_")
    entry = rules.entry.rating
    initial = float(rules.deviation.initial**2)
    is_event_rated = pl.col("reason").is_not_null()
    expected, weight = pl.col("expected"), pl.col("weight")
    joined = with_terms(
        sides.lazy().with_columns(
            pl.col("own_hundredths", "opponent_hundredths").fill_null(100 * entry),
            pl.col("own_variance", "opponent_variance").fill_null(initial),
            pl.when(is_event_rated).then(pl.col("rating", "opponent_rating").fill_null(entry)),
        ),
        rules,
    ).with_columns(only_counted(pl.col("information", "surplus")))
    return joined.with_columns(
        only_counted(half_up_thousandths(expected)).alias("expected_thousandths"),
        only_counted(pl.col("own_hundredths")).alias("rating_hundredths"),
        only_counted(pl.col("opponent_hundredths")).alias("opponent_rating_hundredths"),
        only_counted(half_up_hundredths(pl.col("own_variance").sqrt())).alias("deviation_hundredths"),
        only_counted(half_up_hundredths(pl.col("opponent_variance").sqrt())).alias("opponent_deviation_hundredths"),
        only_counted(
            pl.lit(None, dtype=pl.Int32) if rules.expected_score.weights == "equal" else half_up_thousandths(weight)
        ).alias("weight_thousandths"),
    ).collect()


def with_terms(sides: pl.LazyFrame, rules: GlickoRules) -> pl.LazyFrame:
    """Add g, E and the terms of both sums, ``information`` and ``surplus``, in units of 1e-9 (step 2).

    In: ``own_hundredths``, ``opponent_hundredths``, ``opponent_variance``, ``is_white``, ``score_halves``, ``weight``.
    A game's terms are g²E(1 - E) and g(s - E), each multiplied by the weight of the game; g and E are those of the
    opponent's deviation. Adds ``g``, ``difference_points``, ``expected``, ``information`` and ``surplus``.
    """
    white = rules.expected_score.white
    g, expected, weight = pl.col("g"), pl.col("expected"), pl.col("weight")
    return (
        sides.with_columns(
            g=attenuation(pl.col("opponent_variance")),
            difference_points=(pl.col("own_hundredths") - pl.col("opponent_hundredths")) / 100
            + pl.when("is_white").then(white).otherwise(-white),
        )
        .with_columns(expected=logistic(pl.col("g") * pl.col("difference_points")))
        .with_columns(
            information=_units(weight * g * g * expected * (1 - expected)),
            surplus=_units(weight * g * (pl.col("score_halves") / 2 - expected)),
        )
    )


def attenuation(variance: pl.Expr) -> pl.Expr:
    """Return g of an opponent's variance: 1 / √(1 + 3q²v/π²)."""
    return 1 / (1 + 3 * Q * Q / (math.pi * math.pi) * variance).sqrt()


def expected_of_white(rules: GlickoRules) -> pl.Expr:
    """Return White's expected score where both ratings are uncertain: the curve is flatter by g of both variances."""
    variance = pl.lit(0)
    for colour in ("white", "black"):
        games = pl.col(f"{colour}_games").clip(1, rules.deviation.imported_from_games)
        imported = pl.lit(rules.deviation.initial) / games.sqrt()
        deviation = pl.coalesce(pl.col(f"{colour}_deviation_hundredths") / 100, imported)
        variance = variance + deviation * deviation
    rating = [pl.coalesce(f"{one}_rating_hundredths", 100 * pl.col(f"{one}_rating")) for one in ("white", "black")]
    points = (rating[0] - rating[1]) / 100 + rules.expected_score.white
    return logistic(attenuation(variance) * points)


def _weights(sides: pl.DataFrame, month: SystemMonth, rules: GlickoRules) -> pl.Series:
    """Return the weight of every side among the player's counted games: 1, ½, ⅓ ... from the last one back.

    ``harmonic`` scales the weights of a player to the mean 1. Games go by date (that of the event's end where a report
    has none), event end, code and round.
    """
    if rules.expected_score.weights == "equal":
        return pl.Series("weight", [1.0]).new_from_index(0, len(sides))
    rows = sides.select((pl.col("reason") == "").fill_null(value=False).arg_true()).to_series()
    counted_sides = sides.select("player_row", "round", "event_no", "date")[rows]
    places = places_of_games(counted_sides, month, _day_order(counted_sides, month))
    found = weights_of_places(places, rules)
    weight = pl.Series("weight", [None], dtype=pl.Float64).new_from_index(0, len(sides))
    return weight.scatter(rows.gather(places["row"]), found)


def weights_of_places(places: pl.DataFrame, rules: GlickoRules) -> pl.Series:
    """Return the weight of games by their ``place`` among the ``games`` of their player, from 0."""
    from_last = places["games"] - places["place"]
    found = 1 / from_last.cast(pl.Float64)
    if rules.expected_score.weights == "harmonic":
        # The sum of a player's weights, in units of 1e-9, follows from the number of games.
        longest = places.select(pl.col("games").max().fill_null(0)).item()
        sums = pl.select(_units(1 / pl.int_range(1, longest + 1).cast(pl.Float64)).cum_sum()).to_series()
        found = found * places["games"] / (sums.gather(places["games"] - 1) / _UNIT)
    return found


def _day_order(sides: pl.DataFrame, month: SystemMonth) -> pl.Series:
    """Return the position of the day and event of every side among those of the period: by day, event end and code."""
    # Event and date in one integer: one column is compared in a fraction of the time and the memory.
    no_date = pl.col("date").cast(pl.Int64).fill_null(_NO_DATE)
    key = sides.select(key=pl.col("event_no").cast(pl.Int64) * _DATES + no_date, event_no="event_no", date="date")
    days = (
        key.unique("key")
        .join(month.events.select("event_no", "event_id", "end_date"), on="event_no")
        .with_columns(pl.coalesce("date", "end_date").alias("day"))
        .select("key", pl.struct("day", "end_date", "event_id").rank("dense").alias("position"))
    )
    return key.select("key").join(days, on="key", how="left", maintain_order="left")["position"]


def learned_variance() -> pl.Expr:
    """Return the variance after the games, v′, from ``variance`` and the sum ``information``."""
    information = Q * Q * pl.col("information") / _UNIT
    return 1 / (1 / pl.col("variance") + information)


def learned(rules: GlickoRules) -> tuple[pl.Expr, pl.Expr]:
    """Return rating and deviation in hundredths after the games (step 3), without games R and the grown deviation.

    From ``rating_hundredths``, ``variance``, ``games`` and the sums ``information`` and ``surplus``.
    """
    has_games = pl.col("games").is_not_null()
    variance = learned_variance()
    points = variance * Q * pl.col("surplus") / _UNIT
    rating = half_up_hundredths(pl.col("rating_hundredths") / 100 + points)
    least = float(rules.deviation.least)
    deviation = pl.when(has_games).then(pl.max_horizontal(variance.sqrt(), pl.lit(least)))
    return (
        pl.when(has_games).then(rating).otherwise("rating_hundredths").alias("rating_hundredths"),
        half_up_hundredths(deviation.otherwise(pl.col("variance").sqrt())).alias("deviation_hundredths"),
    )


def half_up_hundredths(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of hundredths, halves upwards."""
    return (100 * value + 0.5).floor().cast(pl.Int32)


def half_up_thousandths(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of thousandths, halves upwards."""
    return (1000 * value + 0.5).floor().cast(pl.Int32)


def _units(value: pl.Expr) -> pl.Expr:
    """Return a double as a whole number of units of 1e-9."""
    return (_UNIT * value).round().cast(pl.Int64)


_NEEDED = (
    *("rating_hundredths", "deviation_hundredths", "opponent_rating_hundredths", "opponent_deviation_hundredths"),
    *("colour", "score_halves", "opponent_id", "round"),
)


def games_with_terms(counted: pl.DataFrame, deviations: Deviations, rules: GlickoRules) -> pl.DataFrame:
    """Return the counted games of every player in their order, with the terms of each.

    In: ``counted``: games of ``SYSTEM_GAME`` with ``end_date`` of the event; those of a player of whom a needed figure
    is not published are left out. Out: what :func:`~ratinglist.rating.systems.glicko.with_terms` adds; ``variance`` of
    the player; ``before``, the deviation that it grew from; ``is_exact``; and what rating and deviation have to be
    (``listed_rating``, ``listed_deviation``, and the same of the opponent), null where the list before does not tell.
    A variance is not exact where no deviation of the list before, and none that an imported player or a newcomer has,
    grows to the published one: then it is the square of the published deviation, which is rounded to hundredths.
    """
    is_known = pl.all_horizontal(pl.col(name).is_not_null() for name in _NEEDED).all().over("fide_id")
    order = ("fide_id", "day", "end_date", "event_id", "round", "opponent_id")
    placed = (
        counted.filter(is_known)
        .with_columns(pl.coalesce("date", "end_date").alias("day"))
        .sort(order)
        .with_columns(
            pl.int_range(pl.len(), dtype=pl.Int32).over("fide_id").alias("place"),
            pl.len().over("fide_id").cast(pl.Int32).alias("games"),
        )
    )
    has_weights = rules.expected_score.weights != "equal"
    weights = weights_of_places(placed.select("place", "games"), rules) if has_weights else pl.lit(1.0)
    own = _with_grown_deviations(placed.select("fide_id", "deviation_hundredths"), deviations, rules)
    of_opponent = (
        own
        if placed.is_empty()
        else _with_grown_deviations(
            placed.select(pl.col("opponent_id").alias("fide_id"), deviation_hundredths="opponent_deviation_hundredths"),
            deviations,
            rules,
        )
    )
    sides = (
        placed.join(own, on=["fide_id", "deviation_hundredths"], how="left", maintain_order="left")
        .join(
            of_opponent.rename({name: f"opponent_{name}" for name in of_opponent.columns if name != "fide_id"}),
            left_on=["opponent_id", "opponent_deviation_hundredths"],
            right_on=["fide_id", "opponent_deviation_hundredths"],
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.col("rating_hundredths").alias("own_hundredths"),
            pl.col("opponent_rating_hundredths").alias("opponent_hundredths"),
            (pl.col("colour") == "w").alias("is_white"),
            weights.alias("weight"),
            (pl.col("before").is_not_null() & pl.col("opponent_before").is_not_null()).alias("is_exact"),
        )
    )
    return with_terms(sides.lazy(), rules).collect()


def learning(counted: pl.DataFrame, deviations: Deviations, rules: GlickoRules) -> pl.DataFrame:
    """Return the sums of every player, the variance before and after, and the rating and deviation that they give.

    In: as :func:`games_with_terms`. Out: whole numbers, with the unit in the name; ``terms``: a list of structs.
    """
    has_weights = rules.expected_score.weights != "equal"
    terms = games_with_terms(counted, deviations, rules)
    sums = terms.group_by("fide_id", maintain_order=True).agg(
        pl.col("rating_hundredths", "variance", "before").first(),
        pl.len().alias("games"),
        pl.col("information", "surplus").sum(),
        pl.col("is_exact").all(),
        pl.struct(
            "event_id",
            "round",
            "opponent_id",
            _whole("difference_points", 2).alias("difference_hundredths"),
            _whole("g", 6).alias("g_millionths"),
            _whole("expected", 6).alias("expected_millionths"),
            (_whole("weight", 6) if has_weights else pl.lit(None, pl.Int64)).alias("weight_millionths"),
            pl.col("surplus").alias("surplus_billionths"),
            pl.col("information").alias("information_billionths"),
        ).alias("terms"),
    )
    rating, deviation = learned(rules)
    after = sums.with_columns(
        learned_variance().alias("variance_after"),
        rating.alias("due_rating_hundredths"),
        deviation.alias("due_deviation_hundredths"),
    )
    return after.select(
        "fide_id",
        pl.lit(deviations.months, pl.Int64).alias("months"),
        pl.col("before").alias("deviation_before"),
        pl.lit(round(Q * 1_000_000_000), pl.Int64).alias("q_billionths"),
        _whole("variance", 4).alias("variance_ten_thousandths"),
        pl.col("information").alias("information_billionths"),
        pl.col("surplus").alias("surplus_billionths"),
        # I, and what the rating moves by: v′ × q × Σ g(s - E).
        (Q * Q * pl.col("information") * 1_000).round().cast(pl.Int64).alias("precision_trillionths"),
        (pl.col("variance_after") * Q * pl.col("surplus") / 100_000)
        .round()
        .cast(pl.Int64)
        .alias("points_ten_thousandths"),
        _whole("variance_after", 4).alias("variance_after_ten_thousandths"),
        "due_rating_hundredths",
        "due_deviation_hundredths",
        "is_exact",
        "terms",
    )


def _whole(column: str, places: int) -> pl.Expr:
    """Return a double as a whole number of units of 10 to the power of ``-places``."""
    return (pl.col(column) * float(10**places)).round().cast(pl.Int64)


def _with_grown_deviations(players: pl.DataFrame, deviations: Deviations, rules: GlickoRules) -> pl.DataFrame:
    """Return the variances that published deviations are the roots of.

    In: ``fide_id``, ``deviation_hundredths``. Out: these once each, with ``variance``, ``before`` (null: not exact),
    ``listed_rating`` and ``listed_deviation``.
    """
    months = deviations.months or 0

    def root(variance: pl.Expr) -> pl.Expr:
        return half_up_hundredths(variance.sqrt())

    newcomers = (
        pl.select(imported_deviation(pl.int_range(1, rules.deviation.imported_from_games + 1), rules).alias("imported"))
        .with_columns(grown_variance(pl.col("imported"), months, rules).alias("imported_variance"))
        .with_columns(root(pl.col("imported_variance")).alias("deviation_hundredths"))
        .unique("deviation_hundredths", keep="first", maintain_order=True)
    )
    listed = deviations.before.rename({"rating_hundredths": "listed_rating", "deviation_hundredths": "listed"})
    grown, published = pl.col("grown"), pl.col("deviation_hundredths")
    is_listed = (root(grown) == published).fill_null(value=False)
    return (
        players.unique()
        .join(listed, on="fide_id", how="left")
        .join(newcomers, on="deviation_hundredths", how="left")
        .with_columns(grown_variance(pl.col("listed"), months, rules).alias("grown"))
        .select(
            "fide_id",
            published,
            pl.when(is_listed)
            .then(grown)
            .otherwise(pl.coalesce("imported_variance", (published / 100) ** 2))
            .alias("variance"),
            pl.when(is_listed).then("listed").otherwise("imported").alias("before"),
            "listed_rating",
            root(grown).alias("listed_deviation"),
        )
    )


def _figures(calculated: Calculated, rules: GlickoRules) -> pl.DataFrame:
    found = learning(calculated.counted, calculated.deviations, rules)
    rating = pl.col("due_rating_hundredths")
    return (
        of_players(
            calculated,
            pl.col("rating_hundredths").first().alias("rating_before"),
            pl.col("deviation_hundredths").first().alias("deviation_grown"),
            pl.col("score_halves").cast(pl.Int64).sum(),
            pl.col("expected_thousandths").cast(pl.Int64).sum(),
        )
        .rename({"rating_hundredths": "rating_after", "deviation_hundredths": "deviation_after"})
        .join(found, on="fide_id", how="left")
        .with_columns(((rating + 50) // 100).alias("due_new_rating"))
        .with_columns(
            (pl.col("due_new_rating") - pl.coalesce("old_rating", pl.lit(rules.entry.rating))).alias("due_change")
        )
    )


def _due_of_games(calculated: Calculated, rules: GlickoRules) -> dict[str, pl.Expr]:
    del calculated
    has_weights = rules.expected_score.weights != "equal"
    return {
        "rating_hundredths": pl.col("listed_rating"),
        "deviation_hundredths": pl.col("listed_deviation"),
        "opponent_rating_hundredths": pl.coalesce("opponent_listed_rating", "opponent_own_rating"),
        "opponent_deviation_hundredths": pl.coalesce("opponent_listed_deviation", "opponent_own_deviation"),
        "expected_thousandths": half_up_thousandths(pl.col("expected")),
        **({"weight_thousandths": half_up_thousandths(pl.col("weight"))} if has_weights else {}),
    }


def _games(calculated: Calculated, rules: GlickoRules) -> pl.DataFrame:
    listed = ("listed_rating", "listed_deviation", "opponent_listed_rating", "opponent_listed_deviation")
    counted = calculated.counted
    terms = games_with_terms(counted, calculated.deviations, rules)
    # An account has the sides of one player alone: then nothing is known of the opponents' own.
    own = counted.select(
        *("event_id", "round", pl.col("fide_id").alias("opponent_id"), pl.col("opponent_id").alias("fide_id")),
        opponent_own_rating="rating_hundredths",
        opponent_own_deviation="deviation_hundredths",
    ).unique(["event_id", "round", "opponent_id", "fide_id"])
    with_own = counted.join(own, on=["event_id", "round", "opponent_id", "fide_id"], how="left")
    return with_own.join(terms.select("row", "expected", "weight", *listed), on="row", how="left")


SYSTEM = RatingSystem(
    GlickoRules,
    rate,
    SystemAccount(_figures, _due_of_games, games=_games),
    expected_of_white=expected_of_white,
)
"""The system as the program knows it."""
