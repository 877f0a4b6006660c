"""Every game counts once: a game may stand in two slices of a long event, or in one event under two codes."""

from __future__ import annotations

import polars as pl

SAME_GAME = ["time_control", "round", "white_id", "black_id"]


def on_two_days(other: str) -> pl.Expr:
    """Whether two games of one code were played on two different days, so that they are not one game.

    Needs ``date``, ``start_date`` and ``end_date`` of both, those of the second with the suffix ``other``. A date
    outside the days of its report says nothing: a file with all rounds so far may put right the date of an old one.
    """
    days = []
    for suffix in ("", other):
        day, start, end = (pl.col(f"{name}{suffix}") for name in ("date", "start_date", "end_date"))
        days.append(pl.when(day.is_between(start, end)).then(day))
    return (days[0] != days[1]).fill_null(value=False)


def find_duplicate_sides(games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The games of this list's rated events that count in another event or slice: ``event_row``, ``round``, ``fide_id``.

    ``games``: one row per game with the columns of :data:`~ratinglist.schemas.EARLIER_GAME`, ``event_row`` given;
    ``earlier``: games that earlier lists rated.

    Within one registration code the same players in the same round are the same game, whatever the result, unless they
    met on two different days: the newest version counts it. Under two codes it takes the same result as well, and the
    same date, or, where a report gives none, an event of the same name and federation at the same time: the one
    received first counts it. What an earlier list rated stays.
    """
    both = pl.concat([earlier, games.select(earlier.columns)])
    suspicious = both.filter(pl.struct(SAME_GAME).is_duplicated())
    stands = pl.col("event_row").is_null()  # true goes first: what an earlier list rated stays
    newest_first: list[pl.Expr | str] = [
        ~stands,
        -pl.col("version"),
        -pl.col("received_on").to_physical(),
        "start_date",
        "event_row",
    ]
    in_code = _repeated(
        suspicious, newest_first, (pl.col("event_code") == pl.col("event_code_first")) & ~on_two_days("_first")
    )
    left = suspicious.join(in_code, on=["event_row", *SAME_GAME], how="anti", nulls_equal=True)
    dated = pl.col("date").is_not_null() & pl.col("date_first").is_not_null()
    at_the_same_time = (pl.col("start_date") <= pl.col("end_date_first")) & (
        pl.col("end_date") >= pl.col("start_date_first")
    )
    # What is left of one code has two dates, which differ.
    same = (
        (pl.col("white_halves") == pl.col("white_halves_first"))
        & (pl.col("black_halves") == pl.col("black_halves_first"))
        & pl.when(dated)
        .then(pl.col("date") == pl.col("date_first"))
        .otherwise(
            (pl.col("name") == pl.col("name_first"))
            & (pl.col("federation") == pl.col("federation_first"))
            & at_the_same_time
        )
    )
    first_received: list[pl.Expr | str] = [~stands, "received_on", "event_code", "start_date", "event_row"]
    return _sides(pl.concat([in_code, _repeated(left, first_received, same)]))


def _repeated(games: pl.DataFrame, order: list[pl.Expr | str], same: pl.Expr) -> pl.DataFrame:
    """The games of this list that are the ``same`` as one before them, in ``order``, that counts."""
    turn = pl.int_range(pl.len(), dtype=pl.UInt32).over(SAME_GAME, order_by=order)
    in_turn = games.with_columns(turn.alias("turn"))
    pairs = (
        in_turn.filter(pl.col("event_row").is_not_null())
        .join(in_turn, on=SAME_GAME, suffix="_first")
        .filter((pl.col("turn_first") < pl.col("turn")) & same)
        .select("event_row", *SAME_GAME, "turn", "turn_first")
    )
    repeated = pairs.clear().select("event_row", *SAME_GAME, "turn")
    for number in pairs["turn"].unique().sort():
        found = (
            pairs.filter(pl.col("turn") == number)
            .join(repeated, left_on=[*SAME_GAME, "turn_first"], right_on=[*SAME_GAME, "turn"], how="anti")
            .select("event_row", *SAME_GAME, "turn")
            .unique()
        )
        repeated = pl.concat([repeated, found])
    return repeated.select("event_row", *SAME_GAME)


def _sides(games: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        games.select("event_row", "round", pl.col(side).alias("fide_id")) for side in ("white_id", "black_id")
    )
