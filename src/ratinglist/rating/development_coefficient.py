"""The development coefficient K: who is new, a junior or a master, and the limit on K × games (8.3.3)."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.rules import DevelopmentCoefficientRules


def is_junior(
    rules: DevelopmentCoefficientRules, *, judged_on: pl.Expr, birth_date: pl.Expr, birth_year: pl.Expr
) -> pl.Expr:
    """Whether a player still counts as a junior by age on the day ``judged_on``.

    Where only the year of birth is known, the birthday is taken to be 31 December, the reading in the player's favour
    and the one the later texts made the rule. Unknown birth: not a junior. Born on 29 February: the 18th birthday is
    1 March.
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
    """K from the state on a list, before the limit on K × games.

    In order: ever 2400 on a published list, junior who never reached 2300, fewer than 30 games, else normal.
    ``reached_2400`` and ``reached_2300`` are the state's names for the marks ``master_from`` and ``junior_below``.
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
    """K after the limit: the largest whole number with K × games ≤ 700, for all ``games`` rated in the period."""
    if not rules.period_limit:
        return k
    return pl.when(k * games > rules.period_limit).then(rules.period_limit // games).otherwise(k).cast(pl.Int32)
