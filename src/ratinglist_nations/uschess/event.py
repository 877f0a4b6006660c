"""Rate events by the sections of a rule file: all players of an event at once, from the ratings before it.

Several events may be rated at once where no two share a player. The steps are doubles, and the games of a player are
added by round: a result depends neither on the order of rows nor on threads. What an event gives is rounded
to 0.000001. Formulas whose constants are no whole numbers are named: the text of one is the only value that its key may
have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import SystemSections
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class FirstRules:
    """What an unrated player counts as: by the FIDE rating, else by age.

    ``fide_low_games`` and ``fide_high_games``: the games that the FIDE rating is worth, before ``weight`` reduces them.
    """

    fide_low: Literal["-1073 + 1.5667 × FIDE"]
    fide_high: Literal["20 + 1.02 × FIDE"]
    fide_high_above: Whole
    fide_low_games: Whole
    fide_high_games: Whole
    weight: Literal["exp(0.06 × (min(6, (X - P) / 350) - 6) × years)"]
    most_games: Whole
    points_per_year: Whole
    adult: Whole
    adult_above: Whole
    youngest: Whole
    youngest_below: Whole
    unknown: Whole
    unknown_below: Whole
    birth_of_year: Literal["07-01"]


@dataclass(frozen=True, slots=True)
class ProvisionalRules:
    """Who is established, who is rated by the special formula, and how many earlier games count."""

    established_above: Whole
    special_until: Whole
    effective_games: Literal["50 / sqrt(0.662 + 0.00000739 × (2569 - R)²)"]
    effective_most: Whole
    effective_most_above: Whole
    least: Whole
    most_special: Whole


@dataclass(frozen=True, slots=True)
class DevelopmentRules:
    """K of the standard formula, and of dual events, whose time control counts for two ratings."""

    k: Whole
    dual_above: Whole
    dual_factor: Literal["6.5 - 0.0025 × R"]
    dual_high_from: Whole
    dual_high_k: Whole
    dual_least_minutes: Whole
    dual_most_minutes: Whole


@dataclass(frozen=True, slots=True)
class BonusRules:
    """Points for a result far above the expected one: what exceeds ``multiplier`` × √games.

    ``meetings``: how often an opponent may have been met; with ``least_games`` games, once.
    """

    multiplier: Whole
    least_games: Whole
    games_counted_as_least: Whole
    meetings: Whole


@dataclass(frozen=True, slots=True)
class FloorRules:
    """The lowest rating of a player: by results, and by the highest established rating."""

    absolute: Whole
    absolute_most: Whole
    per_win: Whole
    per_draw: Whole
    per_event: Whole
    event_games: Whole
    below_highest: Whole
    least: Whole
    most: Whole
    of_titles_and_prizes: Literal["none"]


@dataclass(frozen=True, slots=True)
class MatchRules:
    """A match counts between established players who are near, and changes a rating by little."""

    most_difference: Whole
    most_change: Whole
    limits_over_time: Literal["none"]


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """What is kept after an event, in parts of a point, and what is listed."""

    kept: Literal["millionths"]
    listed: Literal["half_up"]


@dataclass(frozen=True, slots=True)
class UschessRules(SystemSections):
    """The rating of US Chess."""

    SYSTEM: ClassVar = "uschess"
    first_rating: FirstRules
    provisional: ProvisionalRules
    development: DevelopmentRules
    bonus: BonusRules
    floor: FloorRules
    match: MatchRules
    change: ChangeRules


MILLION = 1_000_000
REACH = 400
"""The special formula is linear within so many points of an opponent (4.1)."""
EPSILON = 1e-7
"""A balance of the special formula that counts as none (4.1)."""
NEAR = 1e-5
"""A rating so little below a half, in millionths, counts as one: a mean of two ratings often is a half."""
DAYS_OF_YEAR = 365.25
WINS, LOSSES, MIXED = "wins", "losses", "mixed"
"""What a player's earlier games were: all won, all lost, or neither."""


# ---------------------------------------------------------------------------------------------------- first ratings


def by_age(days: pl.Expr, of: FirstRules) -> pl.Expr:
    """Return the rating that goes with an age in days (2.3); null: not known."""
    years = days / DAYS_OF_YEAR
    return (
        pl.when(years < of.youngest_below)
        .then(float(of.youngest))
        .when(years <= of.adult_above)
        .then(of.points_per_year * years)
        .when(years.is_not_null())
        .then(float(of.adult))
        .otherwise(float(of.unknown))
    )


def by_fide(fide: pl.Expr, of: FirstRules) -> tuple[pl.Expr, pl.Expr]:
    """Return the rating that a FIDE rating is converted to, and the games that it is worth (2.1)."""
    is_high = fide > of.fide_high_above
    rating = pl.when(is_high).then(20 + 1.02 * fide).otherwise(-1073 + 1.5667 * fide)
    return rating, pl.when(is_high).then(of.fide_high_games).otherwise(of.fide_low_games)


def blended(sources: pl.DataFrame, of: FirstRules) -> pl.DataFrame:
    """Return the first ratings from ratings of other systems (2): ``seat``, ``first``, ``credited``.

    In: ``seat``, ``source`` (what the rating is converted to), ``games`` (that it is worth), ``age_rating`` (by the age
    on the day of its list) and ``days`` since that day; a row for each source.
    """
    above = pl.min_horizontal(pl.lit(6.0), (pl.col("source") - pl.col("age_rating")) / 350)
    weight = pl.col("games") * (0.06 * (above - 6) * pl.col("days") / DAYS_OF_YEAR).exp()
    sums = (
        sources.sort("seat", "days", "source")
        .with_columns(weight.alias("weight"))
        .group_by("seat", maintain_order=True)
        .agg((pl.col("weight") * pl.col("source")).sum().alias("weighted"), pl.col("weight").sum())
    )
    return sums.select(
        "seat",
        (pl.col("weighted") / pl.col("weight") + 0.5).floor().alias("first"),
        pl.col("weight").ceil().clip(upper_bound=of.most_games).cast(pl.Int64).alias("credited"),
    )


# --------------------------------------------------------------------------------------------------------- an event


def rate_events(games: pl.DataFrame, players: pl.DataFrame, rules: UschessRules) -> tuple[pl.DataFrame, pl.Series]:
    """Rate events by one rule set; return the players with what the events gave, and ``used_rating`` of every game.

    In: ``players``, a row for each player and event: ``start`` (the rating before, or that of step 1), ``is_new``
    (unrated, and no game credited), ``credited`` (games before), ``history`` (:data:`WINS`, :data:`LOSSES` or
    :data:`MIXED`), ``wins``, ``draws``, ``losses``, ``long_events``, ``highest`` (established rating, whole points;
    null: none), ``is_dual`` and ``is_match`` (of the event). ``games``: ``seat`` and ``opponent`` (rows of the
    players), ``round``, ``score_halves``.
    Out: the players after the event, in the columns given, and ``played``, ``score``, ``effective``, ``is_special``,
    ``k``, ``expected``, ``bonus`` (null: special formula), ``step_3`` (of the new), ``step_4``, ``floor`` (null: a
    match), in millionths ``formula`` (the last step) and ``after``, :func:`is_uncertain` before and after the event, as
    ``is_uncertain`` and ``stays_uncertain``, and ``shown``, ``shown_effective_games`` and ``shown_k``: the rating
    before in hundredths as it is published, and what follows from it.
    """
    seats = pl.int_range(len(players), dtype=pl.Int64, eager=True)
    table = players.with_columns(seats.alias("seat")).join(_sums(games), on="seat", how="left", maintain_order="left")
    table = table.with_columns(
        pl.min_horizontal("credited", effective_games(pl.col("start"), rules)).alias("effective"),
        is_special(rules).alias("is_special"),
        is_uncertain(rules, "credited", "wins", "losses").alias("is_uncertain"),
    )
    sides = games.select(pl.col("seat", "opponent", "round").cast(pl.Int64)).sort("seat", "round", "opponent")
    least = float(rules.provisional.least)
    new = table.filter("is_new").with_columns(effective=pl.lit(1.0), history=pl.lit(MIXED))
    step_3 = pl.repeat(None, len(players), dtype=pl.Float64, eager=True).scatter(
        new["seat"], special(new, _rated_sides(sides, table["start"]), rules).clip(lower_bound=least)
    )
    for_4 = step_3.zip_with(table["is_new"], table["start"])
    step_4 = _rated_once(table, _rated_sides(sides, for_4), rules)["result"].clip(lower_bound=least)
    last = _rated_once(table, _rated_sides(sides, step_4), rules)
    exact = pl.col("result").clip(lower_bound=least)
    limit = float(rules.match.most_change)
    limited = pl.min_horizontal(pl.max_horizontal(exact, pl.col("start") - limit), pl.col("start") + limit)
    floor = personal_floor(rules, _with_this("wins"), _with_this("draws"), _long_events(rules))
    floor = pl.when(~pl.col("is_match")).then(floor)
    after = pl.when("is_match").then(limited).otherwise(pl.max_horizontal(exact, floor.cast(pl.Float64)))
    rated = last.with_columns(
        step_3.alias("step_3"),
        step_4.alias("step_4"),
        floor.alias("floor"),
        *(
            (value * MILLION + (0.5 + NEAR)).floor().cast(pl.Int64).alias(name)
            for name, value in (("formula", exact), ("after", after))
        ),
    )
    now = rated.select(after_event(rules)).select(is_uncertain(rules, "credited", "wins", "losses")).to_series()
    rated = rated.with_columns(now.alias("stays_uncertain"), *_shown(rules))
    return rated.drop("result", "seat"), step_4.gather(games["opponent"]).alias("used_rating")


def after_event(rules: UschessRules) -> list[pl.Expr]:
    """Return what is kept of a player after an event, from the columns that :func:`rate_events` returns."""
    credited = pl.col("credited") + pl.col("played")
    reached = pl.when(credited > rules.provisional.established_above).then(listed(pl.col("after")))
    return [
        pl.col("after").alias("rating"),
        credited.alias("credited"),
        *(_with_this(name).alias(name) for name in ("wins", "draws", "losses")),
        _long_events(rules).alias("long_events"),
        pl.max_horizontal("highest", reached).alias("highest"),
    ]


def is_uncertain(rules: UschessRules, credited: str, wins: str, losses: str) -> pl.Expr:
    """Return whether a player is provisional, or has won or lost every game: then the rating may be that of the age."""
    games = pl.col(credited)
    return (games <= rules.provisional.established_above) | (pl.col(wins) == games) | (pl.col(losses) == games)


def listed(millionths: pl.Expr) -> pl.Expr:
    """Return the rating that is listed: half up to a whole number (7)."""
    return (2 * millionths + MILLION) // (2 * MILLION)


def shown_hundredths(millionths: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Return a rating as it is published: in hundredths, what is beyond cut off, or in whole points.

    The rating of a child who loses every game stays that of the age on a day: hundredths would tell the day of birth.
    """
    return pl.when(whole).then(100 * listed(millionths)).otherwise(millionths // 10_000)


def _shown(rules: UschessRules) -> list[pl.Expr]:
    """Return what is published of a rating before an event: ``shown`` in hundredths, effective games and K from it."""
    rating = shown_hundredths((pl.col("start") * MILLION).round().cast(pl.Int64), pl.col("is_uncertain"))
    start = rating / 100
    effective = pl.min_horizontal("credited", effective_games(start, rules))
    k = pl.when(pl.col("k").is_not_null()).then(coefficient(rules, start, effective))
    return [rating.alias("shown"), effective.alias("shown_effective_games"), k.alias("shown_k")]


def _sums(games: pl.DataFrame) -> pl.DataFrame:
    score = pl.col("score_halves").cast(pl.Int64)
    counts = {"wins_here": score == 2, "draws_here": score == 1, "losses_here": score == 0}
    met = games.group_by("seat", "opponent").agg(pl.len().cast(pl.Int64).alias("met"))
    return (
        games.group_by("seat")
        .agg(
            pl.len().cast(pl.Int64).alias("played"),
            score.sum().alias("score"),
            *(count.sum().cast(pl.Int64).alias(name) for name, count in counts.items()),
        )
        .join(met.group_by("seat").agg(pl.col("met").max().alias("most_met")), on="seat")
        .cast({"seat": pl.Int64})
        .with_columns(pl.col("score") / 2)
    )


def _rated_sides(sides: pl.DataFrame, ratings: pl.Series) -> pl.DataFrame:
    """Return the games of every player with ``opponent_rating``, the opponents at ``ratings``."""
    return sides.select("seat", ratings.gather(sides["opponent"]).alias("opponent_rating"))


def is_special(rules: UschessRules) -> pl.Expr:
    """Return whether a player is rated by the special formula (4)."""
    return (pl.col("credited") <= rules.provisional.special_until) | (pl.col("history") != MIXED)


def effective_games(rating: pl.Expr, rules: UschessRules) -> pl.Expr:
    """Return N*, the most games before that count at a rating (3)."""
    away = 2569 - rating
    formula = 50 / (0.662 + 0.00000739 * away * away).sqrt()
    of = rules.provisional
    return pl.when(rating > of.effective_most_above).then(float(of.effective_most)).otherwise(formula)


def _rated_once(table: pl.DataFrame, sides: pl.DataFrame, rules: UschessRules) -> pl.DataFrame:
    """Return the players, in order, with ``result`` by their formula against the opponents of ``sides``.

    ``k``, ``expected`` and ``bonus`` are those of the standard formula.
    """
    by_special, by_standard = table.filter("is_special"), table.filter(~pl.col("is_special"))
    rated = [
        by_special.with_columns(
            *(pl.lit(None, pl.Float64).alias(name) for name in ("k", "expected", "bonus")),
            special(by_special, sides, rules).alias("result"),
        ),
        standard(by_standard, sides, rules),
    ]
    return pl.concat(rated).sort("seat")


# --------------------------------------------------------------------------------------------- the special formula


def special(table: pl.DataFrame, sides: pl.DataFrame, rules: UschessRules) -> pl.Series:
    """Return the ratings of the special formula (4.1).

    In: ``table``: ``seat``, ``start``, ``effective``, ``history``, ``score``. ``sides``: ``seat`` and
    ``opponent_rating``, a row for each game, of other players too. Both in the order of the seats.
    """
    history, effective, start = pl.col("history"), pl.col("effective"), pl.col("start")
    own = pl.when(history == WINS).then(start - REACH).when(history == LOSSES).then(start + REACH).otherwise(start)
    points = pl.when(history == WINS).then(effective).when(history == LOSSES).then(0.0).otherwise(effective / 2)
    players = table.select("seat", "start", "effective", own.alias("m"), (pl.col("score") + points).alias("due"))
    games = sides.join(players, on="seat", how="semi", maintain_order="left")
    # The games before count as so many against an opponent of the own rating.
    of_rating = pl.concat(
        [
            players.select("seat", rating="m", weight="effective"),
            games.select("seat", rating="opponent_rating", weight=pl.lit(1.0)),
        ]
    ).sort("seat", maintain_order=True)
    against = of_rating.select(pl.col("seat").rle_id().alias("place"), "rating", "weight")
    m, z, f, g = (pl.col(name) for name in "mzfg")
    above, below = f > EPSILON, f < -EPSILON
    met = m - f * (m - z) / (f - g)
    moved = (
        pl.when(~(above | below))
        .then(m)
        .when((f - g).abs() < EPSILON)
        .then(z)
        .when(above)
        .then(pl.max_horizontal(met, z))
        .otherwise(pl.min_horizontal(met, z))
    )
    players = _with_balance(players, "m", "f", against)
    while players.select((above | below).any()).item():
        knot = pl.when(above).then("low").when(below).then("high").alias("z")
        players = _with_balance(_with_knots(players, against).with_columns(knot), "z", "g", against)
        players = _with_balance(players.with_columns(moved.alias("m")), "m", "f", against)
    flat = pl.min_horizontal(pl.max_horizontal("start", "low"), "high")
    most = float(rules.provisional.most_special)
    result = pl.when("is_near").then(m).otherwise(flat).clip(upper_bound=most)
    return _with_knots(players, against).select(result.alias("result")).to_series()


def _winning(rating: pl.Expr, opponent: pl.Expr) -> pl.Expr:
    """Return PW (4.1): the expected score that is linear within 400 points."""
    between = 0.5 + (rating - opponent) / (2 * REACH)
    return pl.when(rating <= opponent - REACH).then(0.0).when(rating >= opponent + REACH).then(1.0).otherwise(between)


def _with_balance(players: pl.DataFrame, at: str, name: str, against: pl.DataFrame) -> pl.DataFrame:
    """Add what is expected at a rating more than was scored (f of 4.1)."""
    there = against.with_columns(players[at].gather(against["place"]).alias("at"))
    expected_there = pl.col("weight") * _winning(pl.col("at"), pl.col("rating"))
    return players.with_columns(_sums_of(there.select("place", expected_there)).alias(name) - pl.col("due"))


def _with_knots(players: pl.DataFrame, against: pl.DataFrame) -> pl.DataFrame:
    """Add the nearest knots of the formula below and above ``m``, and whether an opponent is within reach of it."""
    m, rating = pl.col("m"), pl.col("rating")
    low, high = rating - REACH, rating + REACH
    return players.drop("low", "high", "is_near", strict=False).with_columns(
        against.select("place", "rating", m=players["m"].gather(against["place"]))
        .group_by("place", maintain_order=True)
        .agg(
            pl.when(high < m).then(high).when(low < m).then(low).max().alias("low"),
            pl.when(low > m).then(low).when(high > m).then(high).min().alias("high"),
            ((m >= low) & (m <= high)).any().alias("is_near"),
        )
        .drop("place")
    )


def _sums_of(values: pl.DataFrame) -> pl.Series:
    """Return the sums of the second column, added in the order of the rows, for each value of the first."""
    key, value = values.columns
    return values.group_by(key, maintain_order=True).agg(pl.col(value).sum()).get_column(value)


# -------------------------------------------------------------------------------------------- the standard formula


def expected(rating: pl.Expr, opponent: pl.Expr) -> pl.Expr:
    """Return the expected score of a game (4.2)."""
    return 1 / (1 + pl.lit(10.0).pow((opponent - rating) / 400))


def coefficient(rules: UschessRules, start: pl.Expr, effective: pl.Expr) -> pl.Expr:
    """Return K (4.2) of a rating and effective games."""
    of = rules.development
    games = effective + pl.col("played")
    k = of.k / games
    dual = pl.when(start >= of.dual_high_from).then(of.dual_high_k / games).otherwise(k * (6.5 - 0.0025 * start))
    return pl.when(pl.col("is_dual") & (start > of.dual_above)).then(dual).otherwise(k)


def standard(table: pl.DataFrame, sides: pl.DataFrame, rules: UschessRules) -> pl.DataFrame:
    """Return the players with ``k``, ``expected``, ``bonus`` and ``result`` by the standard formula (4.2).

    In: ``table``: ``seat`` and what :func:`rate_events` has of a player. ``sides``: as for :func:`special`.
    """
    of, start, played = rules.bonus, pl.col("start"), pl.col("played")
    games = sides.join(table.select("seat", "start"), on="seat", maintain_order="left")
    expected_there = _sums_of(games.select("seat", expected(start, pl.col("opponent_rating")).alias("expected")))
    meetings = pl.when(played == of.least_games).then(1).otherwise(of.meetings)
    may_have_bonus = (played >= of.least_games) & (pl.col("most_met") <= meetings)
    change = pl.col("k") * (pl.col("score") - pl.col("expected"))
    threshold = of.multiplier * pl.max_horizontal(played, pl.lit(of.games_counted_as_least)).sqrt()
    return (
        table.with_columns(coefficient(rules, start, pl.col("effective")).alias("k"), expected_there)
        .with_columns(
            pl.when(may_have_bonus).then((change - threshold).clip(lower_bound=0.0)).otherwise(0.0).alias("bonus")
        )
        .with_columns((start + change + pl.col("bonus")).alias("result"))
    )


# ----------------------------------------------------------------------------------------------------------- floors


def personal_floor(rules: UschessRules, wins: pl.Expr, draws: pl.Expr, long_events: pl.Expr) -> pl.Expr:
    """Return the lowest rating of a player (5), by these results and by ``highest``."""
    of = rules.floor
    results = of.absolute + of.per_win * wins + of.per_draw * draws + of.per_event * long_events
    by_highest = (pl.col("highest") - of.below_highest) // 100 * 100
    return pl.max_horizontal(
        results.clip(upper_bound=of.absolute_most),
        pl.when(by_highest >= of.least).then(by_highest.clip(upper_bound=of.most)),
    )


def _with_this(name: str) -> pl.Expr:
    return pl.col(name) + pl.col(f"{name}_here")


def _long_events(rules: UschessRules) -> pl.Expr:
    return pl.col("long_events") + (pl.col("played") >= rules.floor.event_games).cast(pl.Int64)
