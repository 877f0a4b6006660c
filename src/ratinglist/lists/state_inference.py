"""Infer the state that K depends on, for a list without it: games played, 2300, 2400, the last game.

A value in the list is kept. A missing one is inferred from K and the rating, and its column is named in ``inferred``.
K is the federation's own summary of that state (B.02 article 8.3.3), so it is trusted:

- ``reached_2400``: the rating is 2400 or more, or K is 10, which only a published 2400 gives.
- ``reached_2300``: the rating is 2300 or more, or 2400 was reached, or K is 20 in a junior year: a junior who had never
  been 2300 would have 40.
- ``games_played``: 30, the number that ends the beginner's K, unless K is 40 and neither age nor rating explain it.
  Then 5 to 29 by the games of the period: 5 is what an entry needs, 29 the most that still gives 40. An unrated player
  has 0. Any other K (missing, or of the regulations before 2014-07-01) gives no information.
- ``last_played``: this list if games were counted; twelve lists ago for a player flagged inactive, the latest day that
  makes the player inactive; else the list before, the assumption that keeps the player active longest.
- ``k`` if it is missing or 0: as the state above gives it.

Ages are counted in calendar years, the junior's last being that of the 18th birthday: a list gives only the year.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import polars as pl

from ratinglist.period import Period
from ratinglist.tables import LIST_STATE

STATE = ("games_played", "reached_2400", "reached_2300", "last_played")
"""If one of these is given, an unrated player has a state too, such as a delisted player."""
GAMES_TO_SETTLE = 30
GAMES_TO_ENTER = 5
LISTS_TO_INACTIVE = 12
LAST_JUNIOR_AGE = 18


def infer_state(rows: pl.DataFrame, month: Period, *, uniform_k: Collection[str] = ()) -> pl.DataFrame:
    """Return the list state of ``month`` for the ``rows`` of a list.

    ``rows``: ``fide_id``, ``time_control``, ``rating``, ``k``, ``games`` (of the period), ``games_played``,
    ``reached_2400``, ``reached_2300``, ``last_played``, ``flag``, ``birth_year``, ``birth_date``; everything but the
    first two may be null. ``uniform_k``: time controls in which every player of that list had the same K in any state
    (rapid and blitz up to the list of 2022-12), so that K gives no information there.

    Out: ``LIST_STATE``, sorted by time control and FIDE ID: every rated row, and every unrated one with a value in a
    column of :data:`STATE`. ``inferred`` holds the names of the inferred columns, alphabetical, joined by
    commas. ``last_played`` is the first day of a list: a day inside a month counts for the list after it; an unrated
    player without one keeps null.
    """
    rated = pl.col("rating").is_not_null()
    given_k = pl.when(rated & (pl.col("k") > 0)).then("k")
    is_uniform = pl.col("time_control").is_in(pl.Series(list(uniform_k), dtype=pl.String).implode())
    missing = {
        "games": pl.col("games").is_null(),
        "games_played": pl.col("games_played").is_null(),
        "k": rated & given_k.is_null(),
        "last_played": pl.col("last_played").is_null() & (rated | (pl.col("games") > 0)),
        "reached_2300": pl.col("reached_2300").is_null(),
        "reached_2400": pl.col("reached_2400").is_null(),
    }
    state = (
        rows.filter(pl.col("time_control").is_not_null() & (rated | pl.any_horizontal(pl.col(STATE).is_not_null())))
        .with_columns(
            inferred=pl.concat_str(
                [pl.when(absent).then(pl.lit(name)) for name, absent in missing.items()],
                separator=",",
                ignore_nulls=True,
            ),
            k=given_k,
            informative_k=pl.when(~is_uniform).then(given_k),
            games=pl.col("games").fill_null(0),
            junior=_junior(month),
            last_played=_first_day_after("last_played"),
        )
        .with_columns(reached_2400=pl.coalesce("reached_2400", _true(_reached(2400) | (pl.col("informative_k") == 10))))
        .with_columns(
            reached_2300=pl.coalesce(
                "reached_2300",
                _true(pl.col("reached_2400") | _reached(2300) | ((pl.col("informative_k") == 20) & pl.col("junior"))),
            )
        )
        .with_columns(
            games_played=pl.coalesce("games_played", _games_played(rated)),
            last_played=pl.coalesce("last_played", _last_played(rated, month)),
        )
        .with_columns(month=pl.lit(str(month)), k=pl.when(rated).then(pl.coalesce("k", _k())))
    )
    return LIST_STATE.conform(state).sort("time_control", "fide_id")


def _junior(month: Period) -> pl.Expr:
    born = pl.coalesce(pl.col("birth_year"), pl.col("birth_date").dt.year().cast(pl.Int32))
    return _true(born >= month.first_day.year - LAST_JUNIOR_AGE)


def _reached(rating: int) -> pl.Expr:
    return pl.col("rating") >= rating


def _true(condition: pl.Expr) -> pl.Expr:
    """Return ``condition`` with null as false."""
    return condition.fill_null(value=False)


def _games_played(rated: pl.Expr) -> pl.Expr:
    explained = pl.col("junior") & ~pl.col("reached_2300")
    beginner = _true(pl.col("informative_k") == 40) & ~explained
    return (
        pl.when(~rated)
        .then(0)
        .when(beginner)
        .then(pl.col("games").clip(GAMES_TO_ENTER, GAMES_TO_SETTLE - 1))
        .otherwise(GAMES_TO_SETTLE)
    )


def _last_played(rated: pl.Expr, month: Period) -> pl.Expr:
    inactive = _true(pl.col("flag").str.contains("i", literal=True))
    return (
        pl.when(pl.col("games") > 0)
        .then(_day(month.first_day))
        .when(rated & inactive)
        .then(_day((month - LISTS_TO_INACTIVE).first_day))
        .when(rated)
        .then(_day((month - 1).first_day))
    )


def _k() -> pl.Expr:
    return (
        pl.when("reached_2400")
        .then(10)
        .when(pl.col("junior") & ~pl.col("reached_2300"))
        .then(40)
        .when(pl.col("games_played") < GAMES_TO_SETTLE)
        .then(40)
        .otherwise(20)
    )


def _first_day_after(column: str) -> pl.Expr:
    """Return the first day of the list that counted a game of this day; the first of a month means its own list."""
    day = pl.col(column)
    return pl.when(day.dt.day() == 1).then(day).otherwise(day.dt.month_start().dt.offset_by("1mo"))


def _day(day: date) -> pl.Expr:
    return pl.lit(day, dtype=pl.Date)
