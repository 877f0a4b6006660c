"""Rate events by the sections of a rule file: all players of an event at once, from the ratings before it.

Several events may be rated at once where no two share a player. Sums and ratings are whole numbers: an expected score
is in units of 1e-9.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import SystemSections
from ratinglist.strict_toml import Allowed, Whole


def _numbers(value: str) -> None:
    if value and not re.fullmatch(r"\d+(, \d+){10}", value):
        raise ValueError(
            f"is '{value}': write eleven numbers such as '60, 60, 48, ...', for the index 1 to 10 and above"
        )


ByIndex = Annotated[str, Allowed(_numbers)]


@dataclass(frozen=True, slots=True)
class ExpectedRules:
    """The expected score: a normal distribution, as the table that the package has."""

    distribution: Literal["normal_200"]
    precision: Literal["billionths"]


@dataclass(frozen=True, slots=True)
class PlayerRules:
    """Age groups, by the year of the event's end less the year of birth, and players with a FIDE rating."""

    young_until: Whole
    junior_until: Whole
    unknown_age: Literal["adult"]
    foreign_index: Whole
    foreign_development_index: Whole
    fide_from: Whole


@dataclass(frozen=True, slots=True)
class DevelopmentRules:
    """The development coefficient: K by index in the text of 2026, E by the rating's fourth power in that of 2014."""

    formula: Literal["index_table", "fourth_power"]
    k_under_26: ByIndex
    under_26_below: Whole
    k_adult: ByIndex
    adult_below: Whole
    k_others: ByIndex
    brake_below: Whole
    brake_added: Whole
    young_bonus_below: Whole
    young_bonus_divisor: Whole
    others_bonus_below: Whole
    junior_bonus: Whole
    adult_bonus: Whole
    most: Whole
    factor: Whole
    young: Whole
    junior: Whole
    adult: Whole
    least: Whole
    per_index: Whole
    most_braked: Whole


@dataclass(frozen=True, slots=True)
class DwzChangeRules:
    """From the exact rating to a whole number, and the lowest rating; 0: none."""

    halves: Literal["away_from_zero"]
    minimum: Whole


@dataclass(frozen=True, slots=True)
class FirstRatingRules:
    """First ratings: how many games, how many rounds, how long games are stored, and what is published."""

    games: Whole
    rounds: Whole
    root: Literal["smallest_integer"]
    stored_years: Whole
    at_all_points: Literal["none"]
    published: Literal["eighth_below_800", "towards_2000"]
    r_hundredths: Whole


@dataclass(frozen=True, slots=True)
class PerformanceRules:
    """The performance in an event: from how many games on, and where all points were won or lost.

    ``at_all_points``: the mean of the opponents and ``difference``, for no point less it; or, for all points, with one
    more draw against that mean, and for no point none.
    """

    games: Whole
    at_all_points: Literal["mean_and_difference", "one_more_draw"]
    difference: Whole


@dataclass(frozen=True, slots=True)
class DwzRules(SystemSections):
    """The rating of the German Chess Federation."""

    SYSTEM: ClassVar = "dwz"
    expected_score: ExpectedRules
    players: PlayerRules
    development: DevelopmentRules
    change: DwzChangeRules
    first_rating: FirstRatingRules
    performance: PerformanceRules


POINT = 10**9
"""A point in the units of expected scores."""

FIRST, STORED, LOST, COUNTS = "first", "stored", "lost", "counts"
"""What a game is for its player: of a first rating, kept for one, for nothing, or of a rated player."""


@dataclass(frozen=True, slots=True)
class RatedEvents:
    """What rating events gave, row for row of the players and of the games.

    ``players``: those given, with ``first`` (the first rating; null: none), ``games``, ``score_halves`` and
    ``expected`` (of the counted games, in 1e-9), ``k_tenths``, ``development`` (that of the rule set, else null),
    ``rating_after`` (null: the event changes nothing) and ``performance`` (null: none). ``games``:
    ``opponent_rating`` (null: unrated), ``use`` and ``expected`` of the game (null: not one of a rated player).
    """

    players: pl.DataFrame
    games: pl.DataFrame


@cache
def expected_table() -> pl.Series:
    """Return the expected scores of the differences from 0 on."""
    text = files(__package__).joinpath("expected_billionths.csv").read_bytes()
    return pl.read_csv(text, schema={"difference": pl.Int64, "expected_billionths": pl.Int64})["expected_billionths"]


def expected(difference: pl.Expr) -> pl.Expr:
    """Return the expected score of a difference of ratings (3.3.1)."""
    table = expected_table()
    score = pl.lit(table).gather(difference.abs().clip(upper_bound=len(table) - 1))
    return pl.when(difference < 0).then(POINT - score).otherwise(score)


def rate_events(games: pl.DataFrame, players: pl.DataFrame, stored: pl.DataFrame, rules: DwzRules) -> RatedEvents:
    """Rate events by one rule set.

    In: ``players``, a row for each player and event: ``rating`` before (null: unrated), ``index`` before,
    ``development_index`` (the index that E of 2014 counts) and ``age`` (null: not known). ``games``: ``seat`` and
    ``opponent`` (rows of the players), ``score_halves``. ``stored``: games of unrated players from earlier events:
    ``seat``, ``opponent_rating``, ``score_halves``.
    """
    rating = players["rating"].cast(pl.Int64)
    played = games.select(
        pl.col("seat", "opponent").cast(pl.Int64),
        pl.col("score_halves").cast(pl.Int64),
        rating.gather(games["seat"]).alias("own"),
        rating.gather(games["opponent"]).alias("opponent_rating"),
    )
    first, stage = _first_ratings(played.filter(pl.col("own").is_null()), stored, rules)
    firsts = pl.repeat(None, len(players), dtype=pl.Int64, eager=True).scatter(first["seat"], first["first"])
    stages = pl.repeat(0, len(players), dtype=pl.Int64, eager=True).scatter(stage["seat"], stage["stage"])
    played = played.with_columns(
        pl.coalesce("opponent_rating", firsts.gather(played["opponent"])).alias("opponent_rating"),
        pl.col("opponent_rating").is_not_null().alias("opponent_rated"),
        stages.gather(played["seat"]).alias("stage"),
        stages.gather(played["opponent"]).alias("opponent_stage"),
    )
    is_known = pl.col("opponent_rating").is_not_null()
    use = (
        pl.when(pl.col("own").is_not_null())
        .then(pl.when(is_known).then(pl.lit(COUNTS)).otherwise(pl.lit(LOST)))
        .when(pl.col("stage") > 0)
        .then(pl.when(is_known).then(pl.lit(FIRST)).otherwise(pl.lit(LOST)))
        .when(pl.col("opponent_rated") | (pl.col("opponent_stage") == 1))
        .then(pl.lit(STORED))
        .otherwise(pl.lit(LOST))
    )
    played = played.with_columns(use.alias("use")).with_columns(
        pl.when(pl.col("use") == COUNTS).then(expected(pl.col("own") - pl.col("opponent_rating"))).alias("expected")
    )
    counted = played.filter(pl.col("use").is_in([COUNTS, FIRST]))
    sums = counted.group_by("seat").agg(
        pl.len().cast(pl.Int64).alias("games"), pl.col("score_halves").sum(), pl.col("expected").sum()
    )
    rated = (
        players.with_row_index("seat")
        .with_columns(pl.col("seat").cast(pl.Int64), firsts.alias("first"))
        .join(sums, on="seat", how="left", maintain_order="left")
        .join(performances(counted, rules), on="seat", how="left", maintain_order="left")
    )
    return RatedEvents(_new_ratings(rated.drop("seat"), rules), played.select("opponent_rating", "use", "expected"))


# ------------------------------------------------------------------------------------------------- a rated player


def _new_ratings(players: pl.DataFrame, rules: DwzRules) -> pl.DataFrame:
    """Add ``k_tenths``, ``development`` and ``rating_after``."""
    is_rated = pl.col("rating").is_not_null() & (pl.col("games") > 0)
    surplus = pl.col("score_halves") * (POINT // 2) - pl.col("expected")
    wide = players.with_columns(pl.col("rating", "index", "development_index", "age").cast(pl.Int64))
    none = pl.lit(None, pl.Int64)
    if rules.development.formula == "index_table":
        k_tenths = coefficient_tenths(rules, surplus)
        exact, development = pl.col("rating") * (10 * POINT) + pl.col("k_tenths") * surplus, none
        unit = pl.lit(10 * POINT)
    else:
        k_tenths, development = none, development_coefficient(rules, surplus)
        divisor = pl.col("development") + pl.col("games")
        exact = pl.col("rating") * divisor * POINT + rules.development.factor * surplus
        unit = divisor * POINT
    rounded = away(exact, unit)
    if rules.change.minimum:
        rounded = rounded.clip(lower_bound=rules.change.minimum)
    return wide.with_columns(
        pl.when(is_rated).then(k_tenths).alias("k_tenths"), pl.when(is_rated).then(development).alias("development")
    ).with_columns(pl.coalesce(pl.when(is_rated).then(rounded), "first").alias("rating_after"))


def coefficient_tenths(rules: DwzRules, surplus: pl.Expr) -> pl.Expr:
    """Return K of the text of 2026 in tenths: of ``rating``, ``index`` and ``age``; ``surplus``: score − expected."""
    of = rules.development
    rating, age = pl.col("rating"), pl.col("age")
    is_young = (age <= rules.players.young_until).fill_null(value=False)
    is_junior = ~is_young & (age <= rules.players.junior_until).fill_null(value=False)
    under_26, adult, others = (
        pl.lit(pl.Series([int(part) for part in text.split(", ")], dtype=pl.Int64)).gather(
            pl.col("index").clip(1, 11) - 1
        )
        for text in (of.k_under_26, of.k_adult, of.k_others)
    )
    is_adult = ~is_young & ~is_junior
    whole = (
        pl.when(~is_adult & (rating < of.under_26_below))
        .then(under_26)
        .when(is_adult & (rating < of.adult_below))
        .then(adult)
        .otherwise(others)
    )
    braked = away(10 * whole * (rating + of.brake_added), of.brake_below + of.brake_added)
    bonus = (
        pl.when(is_young)
        .then(
            pl.when(rating < of.young_bonus_below)
            .then(away(10 * (of.young_bonus_below - rating), of.young_bonus_divisor))
            .otherwise(0)
        )
        .when(rating < of.others_bonus_below)
        .then(10 * pl.when(is_junior).then(of.junior_bonus).otherwise(of.adult_bonus))
        .otherwise(0)
    )
    lost = surplus < 0
    k = pl.when(lost & (rating < of.brake_below)).then(braked).when(lost).then(10 * whole).otherwise(10 * whole + bonus)
    return k.clip(upper_bound=10 * of.most)


def development_coefficient(rules: DwzRules, surplus: pl.Expr) -> pl.Expr:
    """Return E of the text of 2014: of ``rating``, ``development_index`` and ``age``.

    E0 × fB is exact. The addition below ``brake_below`` is calculated in doubles: of E the whole number alone is used.
    """
    of = rules.development
    rating, age = pl.col("rating"), pl.col("age")
    is_young = (age <= rules.players.young_until).fill_null(value=False)
    is_junior = (age <= rules.players.junior_until).fill_null(value=False)
    by_age = pl.when(is_young).then(of.young).when(is_junior).then(of.junior).otherwise(of.adult).cast(pl.Int64)
    # E0 in 1e-12; fB in 1/2000.
    base = rating.pow(4) + by_age * 10**12
    is_braked = (surplus < 0) & (rating < of.brake_below)
    share = pl.when(is_young & (surplus >= 0)).then(rating.clip(1000, 2000)).otherwise(2000)
    plain = away(base * share, 2000 * 10**12)
    addition = ((of.brake_below - rating) / 150).exp() - 1
    braked = (base / 10**12 + addition + 0.5).floor().cast(pl.Int64, strict=False)
    index = pl.col("development_index").clip(lower_bound=1)
    most = pl.min_horizontal(pl.lit(of.most, pl.Int64), of.per_index * index)
    return (
        pl.when(is_braked)
        .then(braked.clip(of.least, of.most_braked))
        .otherwise(pl.min_horizontal(plain.clip(lower_bound=of.least), most))
    )


def away(numerator: pl.Expr, denominator: pl.Expr | int) -> pl.Expr:
    """Return the quotient of two integers rounded to a whole number, halves away from zero."""
    return numerator.sign() * ((2 * numerator.abs() + denominator) // (2 * denominator))


# --------------------------------------------------------------------------------------------------- first ratings


def _first_ratings(games: pl.DataFrame, stored: pl.DataFrame, rules: DwzRules) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the first ratings (``seat``, ``first``), and the ``stage`` of each of these players, 1 or 2 (3.4)."""
    of_game = ("seat", "opponent_rating", "score_halves")
    fixed = pl.concat(
        [games.filter(pl.col("opponent_rating").is_not_null()).select(of_game), stored.select(of_game).cast(pl.Int64)]
    )
    stage_one = _qualified(fixed, rules)
    start_of_one = roots(fixed.filter(_among("seat", stage_one)))
    left = ~_among("seat", stage_one)
    against_one = games.filter(left, _among("opponent", stage_one)).drop("opponent_rating")
    against_one = against_one.join(start_of_one.rename({"seat": "opponent", "root": "opponent_rating"}), on="opponent")
    to_two = pl.concat([fixed.filter(left), against_one.select(of_game)])
    stage_two = _qualified(to_two, rules)
    start = pl.concat([start_of_one, roots(to_two.filter(_among("seat", stage_two)))]).sort("seat")
    entering = start["seat"]
    fixed = fixed.filter(_among("seat", entering))
    between = games.filter(_among("seat", entering), _among("opponent", entering)).drop("opponent_rating")
    values = start
    for _ in range(rules.first_rating.rounds if len(between) else 0):
        opponents = values.rename({"seat": "opponent", "root": "opponent_rating"})
        following = roots(pl.concat([fixed, between.join(opponents, on="opponent").select(of_game)]))
        is_settled = following.equals(values)
        values = following
        if is_settled:
            break
    first = values.select("seat", published_first(pl.col("root"), rules).alias("first"))
    stages = [
        pl.DataFrame({"seat": seats, "stage": pl.repeat(number, len(seats), eager=True, dtype=pl.Int64)})
        for number, seats in ((1, stage_one), (2, stage_two))
    ]
    return first, pl.concat(stages)


def _among(name: str, seats: pl.Series) -> pl.Expr:
    return pl.col(name).is_in(seats.implode())


def _qualified(games: pl.DataFrame, rules: DwzRules) -> pl.Series:
    """Return the players with enough of these games who have neither none nor all of their points."""
    sums = games.group_by("seat").agg(pl.len().cast(pl.Int64).alias("games"), pl.col("score_halves").sum())
    enough = pl.col("games") >= rules.first_rating.games
    between = (pl.col("score_halves") > 0) & (pl.col("score_halves") < 2 * pl.col("games"))
    return sums.filter(enough, between)["seat"].sort()


def roots(games: pl.DataFrame) -> pl.DataFrame:
    """Return the smallest whole rating whose expected score is the score or more (``seat``, ``root``), sorted.

    In: ``seat``, ``opponent_rating``, ``score_halves``; each player has some points, and not all.
    """
    beyond = len(expected_table())
    bounds = (
        games.group_by("seat")
        .agg(
            (pl.col("score_halves").sum() * (POINT // 2)).alias("score"),
            (pl.col("opponent_rating").min() - beyond).alias("low"),
            (pl.col("opponent_rating").max() + beyond).alias("high"),
        )
        .sort("seat")
    )
    row = bounds["seat"].search_sorted(games["seat"]).alias("row")
    opponents = games.select(row, "opponent_rating").sort("row")
    while bounds.select((pl.col("high") - pl.col("low") > 1).any()).item():
        middle = bounds.select((pl.col("low") + pl.col("high")) // 2).to_series()
        of_middle = (
            opponents.with_columns((middle.gather(opponents["row"]) - pl.col("opponent_rating")).alias("difference"))
            .select("row", expected(pl.col("difference")).alias("expected"))
            .group_by("row")
            .agg(pl.col("expected").sum())
            .sort("row")["expected"]
        )
        reaches = of_middle >= bounds["score"]
        bounds = bounds.with_columns(
            pl.when(reaches).then(middle).otherwise("high").alias("high"),
            pl.when(reaches).then("low").otherwise(middle).alias("low"),
        )
    return bounds.select("seat", root="high")


def performances(games: pl.DataFrame, rules: DwzRules) -> pl.DataFrame:
    """Return the performance in an event of the players with enough games (``seat``, ``performance``).

    In: ``seat``, ``opponent_rating``, ``score_halves``.
    """
    of = rules.performance
    whole = games.select("seat", "opponent_rating", "score_halves")
    count, points = pl.len().over("seat").cast(pl.Int64), pl.col("score_halves").sum().over("seat")
    mean = away(pl.col("opponent_rating").sum().over("seat"), count)
    whole = whole.with_columns(count.alias("games"), points.alias("points"), mean.alias("mean")).filter(
        pl.col("games") >= of.games
    )
    is_all, is_none = pl.col("points") == 2 * pl.col("games"), pl.col("points") == 0
    by_root = whole.filter(~is_all, ~is_none).select("seat", "opponent_rating", "score_halves")
    beyond = whole.filter(is_all | is_none).unique("seat")
    if of.at_all_points == "one_more_draw":
        draw = beyond.filter(is_all).select("seat", opponent_rating="mean", score_halves=pl.lit(1, pl.Int64))
        won = whole.filter(is_all).select("seat", "opponent_rating", "score_halves")
        return roots(pl.concat([by_root, won, draw])).rename({"root": "performance"})
    at_ends = pl.col("mean") + pl.when(is_all).then(of.difference).otherwise(-of.difference)
    return pl.concat(
        [roots(by_root).rename({"root": "performance"}), beyond.select("seat", at_ends.alias("performance"))]
    )


def published_first(root: pl.Expr, rules: DwzRules) -> pl.Expr:
    """Return the first rating that is published from the root."""
    if rules.first_rating.published == "eighth_below_800":
        return pl.when(root < 800).then(away(5600 + root, 8)).otherwise(root)
    r, minimum = rules.first_rating.r_hundredths, rules.change.minimum
    towards = away(100 * root + r * (2000 - root), 100)
    low = away(1100 * 1100 + 9 * r * root, 1100).clip(lower_bound=minimum)
    return pl.when(root >= 2000).then(root).when(root >= 1100).then(towards).otherwise(low)
