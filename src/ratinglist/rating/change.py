"""K, and the change of a rated player: summed exactly, rounded in one place (8.3.2 to 8.3.4)."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.fide_rules import ChangeRules
from ratinglist.rating.rules import DevelopmentCoefficientRules


def surplus_hundredths(score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return the score less the expected score, of one game or of several, in hundredths."""
    return score_halves * 50 - expected_hundredths


def change_hundredths(k: pl.Expr, score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return K × (score − expected score) of one game, in hundredths of a point."""
    return k * surplus_hundredths(score_halves, expected_hundredths)


def rounded(hundredths: pl.Expr) -> pl.Expr:
    """Round hundredths to whole points, .5 away from zero: 250 becomes 3 and −250 becomes −3 (8.3.4)."""
    return hundredths.sign() * ((hundredths.abs() + 50) // 100)


def sum_changes(rated: pl.DataFrame, rules: ChangeRules) -> pl.DataFrame:
    """Sum the changes of each player over the events of the period.

    In: one row per player and event with ``fide_id``, ``games``, ``k`` and ``change_hundredths`` (the sum of the
    event's rated games). Out: one row per player: ``fide_id``, ``games``, ``k`` (null where the events had different
    ones), ``change_hundredths`` (exact) and ``change`` (in points, rounded once per period or once per event, as
    ``rounded_per`` of the rule set states).
    """
    sum_of_rounded = rounded(pl.col("change_hundredths")).sum()
    rounded_sum = rounded(pl.col("change_hundredths").sum())
    return (
        rated.lazy()
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("k").min().alias("least_k"),
            pl.col("k").max().alias("largest_k"),
            pl.col("change_hundredths").sum(),
            (sum_of_rounded if rules.rounded_per == "event" else rounded_sum).alias("change"),
        )
        .select(
            "fide_id",
            "games",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            "change",
        )
        .collect()
    )


def is_junior(
    rules: DevelopmentCoefficientRules, *, judged_on: pl.Expr, birth_date: pl.Expr, birth_year: pl.Expr
) -> pl.Expr:
    """Return whether a player still counts as a junior by age on the day ``judged_on``.

    Where only the year of birth is known, the birthday is taken to be 31 December: the reading in the player's favour,
    which the later texts made the rule. A player whose birth is unknown is not a junior. A player born on 29 February
    has the 18th birthday on 1 March.
    """
    year = pl.coalesce(birth_date.dt.year(), birth_year)
    if rules.junior_until == "end_of_year_of_eighteenth_birthday":
        junior = judged_on.dt.year() - year <= 18
    else:
        birthday = pl.coalesce(birth_date.dt.month().cast(pl.Int32) * 100 + birth_date.dt.day(), pl.lit(1231))
        day = judged_on.dt.month().cast(pl.Int32) * 100 + judged_on.dt.day()
        junior = judged_on.dt.year() * 10_000 + day < (year + 18) * 10_000 + birthday
    return junior.fill_null(value=False)


def development_coefficient(
    rules: DevelopmentCoefficientRules,
    *,
    games_played: pl.Expr,
    reached_2400: pl.Expr,
    reached_2300: pl.Expr,
    junior: pl.Expr,
) -> pl.Expr:
    """Return K from the state on a list, before the limit on K × games.

    The first of these that holds decides: the player ever had 2400 on a published list; the player is a junior and
    never reached 2300; the player has fewer than 30 games; else K is normal. The columns ``reached_2400`` and
    ``reached_2300`` stand for the rule set's values ``master_from`` and ``junior_below``.
    """
    if rules.fixed:
        return pl.lit(rules.fixed)
    return (
        pl.when(reached_2400)
        .then(rules.master)
        .when(junior & ~reached_2300)
        .then(rules.junior)
        .when(games_played < rules.new_until_games)
        .then(rules.new)
        .otherwise(rules.normal)
    )


def limited_coefficient(rules: DevelopmentCoefficientRules, k: pl.Expr, games: pl.Expr) -> pl.Expr:
    """Return K after the limit: at most the largest whole number with K × games ≤ 700.

    ``games`` are all games of the player that are rated in the period.
    """
    if not rules.period_limit:
        return k
    return pl.when(k * games > rules.period_limit).then(rules.period_limit // games).otherwise(k).cast(pl.Int32)
