"""The starting list of a world, and the registrations of each month."""

from __future__ import annotations

import polars as pl

from ratinglist.simulation import people
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.people import FLOOR, NUMBER
from ratinglist.simulation.plan import TIME_CONTROLS, World

PLAYER_COLUMNS = ("fide_id", "name", "federation", "sex", "title", "women_title", "other_titles", "birth_date")
LIST_COLUMNS = (
    *PLAYER_COLUMNS,
    *(
        "birth_year",
        "time_control",
        "rating",
        "k",
        "games_played",
        "reached_2400",
        "reached_2300",
        "last_played",
        "flag",
    ),
)
_INACTIVE_FROM = 12
_JUNIOR_UNTIL, _STRONG_JUNIOR, _MASTER = 18, 2300, 2400
_GAMES_TO_ENTER, _GAMES_TO_SETTLE = 5, 30
_GAMES_A_YEAR = (4, 12, 30, 70)
_MONTHS_AWAY = (60, 16, 4, 2)
"""By activity: the most games in a year, and the number of months within which the last game was."""
_OTHER_RATING_ERROR = 130


def starting_list(world: World) -> pl.DataFrame:
    """Return the list before the first month: a row for each player and time control in which they are rated.

    An unrated player has one row, standard without a rating. The columns are :data:`LIST_COLUMNS`, sorted by player
    and time control.
    """
    year = world.period(0).first_day.year
    players = _with_state(_players(people.numbers(world, 0), world, 0), world)
    rated = players.filter(pl.col("rating").is_not_null())
    parts = [players.with_columns(pl.lit("standard").alias("time_control"))]
    for time_control, chance in (("rapid", world.plan.rapid), ("blitz", world.plan.blitz)):
        chosen = rated.filter(per_thousand(world.seed, f"plays {time_control}", NUMBER, chance=chance))
        parts.append(_faster_rows(chosen, world, time_control))
    return (
        pl.concat(with_k(part, year).select(*LIST_COLUMNS, "number") for part in parts)
        .with_columns(pl.col("time_control").cast(pl.Enum(TIME_CONTROLS)))
        .sort("number", "time_control")
        .select(LIST_COLUMNS)
    )


def registrations(world: World, month: int) -> pl.DataFrame:
    """Return the players who are new or have changed data before the reports of ``month`` (from 1).

    The columns are :data:`PLAYER_COLUMNS`.
    """
    registered = people.numbers(world, month - 1)
    changed = registered.filter(people.is_changed(world, month))
    frame = pl.concat([changed, people.newcomers(world, month)])
    return _players(frame, world, month).select(PLAYER_COLUMNS)


def _players(frame: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``frame`` (``number``) with everything a list has of a player but the state."""
    frame = people.with_strength(people.with_biography(frame, world), world, month)
    return people.with_list_data(people.with_rating(frame, world), world, month)


def _with_state(players: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``players`` with the state that K depends on, for standard, and the flag."""
    seed, period = world.seed, world.period(0)
    rated = pl.col("rating").is_not_null()
    years = ((people.age_months(pl.col("birth_date"), period) - 84) // 12).clip(0)
    games = roll(seed, "games", NUMBER, sides=1 + years * _by_activity(_GAMES_A_YEAR))
    away = roll(seed, "months away", NUMBER, sides=_by_activity(_MONTHS_AWAY))
    last = period.index - away
    flag = pl.concat_str(
        pl.when("woman").then(pl.lit("w")).otherwise(pl.lit("")),
        pl.when(rated & (away >= _INACTIVE_FROM)).then(pl.lit("i")).otherwise(pl.lit("")),
    )
    return players.with_columns(
        pl.col("birth_date").dt.year().alias("birth_year"),
        pl.when(rated).then(_GAMES_TO_ENTER + games).otherwise(0).alias("games_played"),
        pl.when(rated).then(pl.date(last // 12, last % 12 + 1, 1)).alias("last_played"),
        flag.alias("flag"),
    )


def _faster_rows(rated: pl.DataFrame, world: World, time_control: str) -> pl.DataFrame:
    """Return the rapid or blitz rows of ``rated``: other ratings, fewer games, no higher rating before."""
    error = roll(world.seed, f"{time_control} error", NUMBER, sides=2 * _OTHER_RATING_ERROR + 1) - _OTHER_RATING_ERROR
    return (
        rated.with_columns((pl.col("strength") + error).alias("rating"))
        .filter(pl.col("rating") >= FLOOR)
        .with_columns(
            pl.lit(time_control).alias("time_control"),
            pl.col("rating").alias("highest"),
            (_GAMES_TO_ENTER + pl.col("games_played") // 3).alias("games_played"),
        )
    )


def with_k(rows: pl.DataFrame, year: int) -> pl.DataFrame:
    """Return ``rows`` with ``reached_2300``, ``reached_2400`` and the ``k`` that follows from them (B.02 8.3.3).

    ``rows`` has ``rating`` (null: no K), ``highest``, ``birth_year`` and ``games_played``; ``year`` is of the list.
    """
    strong, master = pl.col("highest") >= _STRONG_JUNIOR, pl.col("highest") >= _MASTER
    junior = (year - pl.col("birth_year") <= _JUNIOR_UNTIL) & ~strong
    k = pl.when(master).then(10).when(junior | (pl.col("games_played") < _GAMES_TO_SETTLE)).then(40).otherwise(20)
    return rows.with_columns(
        strong.cast(pl.Int32).alias("reached_2300"),
        master.cast(pl.Int32).alias("reached_2400"),
        pl.when(pl.col("rating").is_not_null()).then(k).alias("k"),
    )


def _by_activity(values: tuple[int, ...]) -> pl.Expr:
    return pl.lit(pl.Series(values, dtype=pl.Int64)).gather("activity")
