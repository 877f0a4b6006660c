"""Every game counts once: a game may stand in two slices of a long event, or in one event under two codes."""

from __future__ import annotations

import polars as pl

SAME_GAME = ["time_control", "round", "white_id", "black_id"]
SAME_RESULT = [*SAME_GAME, "white_halves", "black_halves"]


def counted_elsewhere(games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The games of this list's rated events that count in another event or slice: ``event_no``, ``round``, ``fide_id``.

    ``games``: one row per game with the columns of :data:`~ratinglist.schemas.EARLIER_GAME`, ``event_no`` given;
    ``earlier``: games that earlier lists rated.

    Within one registration code the same players in the same round are the same game, whatever the result: the newest
    version counts it. Under two codes it takes the same result as well, and the same date, or, where a report gives
    none, an event of the same name and federation at the same time: the one received first counts it. What an earlier
    list rated stays.
    """
    columns = earlier.columns
    both = pl.concat([earlier, games.select(columns)])
    suspicious = both.filter(pl.struct(SAME_GAME).is_duplicated())
    if suspicious.is_empty():
        return _sides(suspicious)
    settled = pl.col("event_no").is_not_null()  # false sorts first: what an earlier list rated stays
    newest_first = [settled, -pl.col("version"), -pl.col("received_on").to_physical(), pl.col("start_date")]
    in_code = _after_the_first(suspicious, ["event_code", *SAME_GAME], newest_first)
    left = suspicious.join(in_code, on=["event_no", *SAME_GAME], how="anti", nulls_equal=True)
    first_received = [settled, pl.col("received_on"), pl.col("event_code"), pl.col("start_date")]
    dated = _after_the_first(left.drop_nulls("date"), ["date", *SAME_RESULT], first_received)
    named = _after_the_first(
        left.filter(pl.col("date").is_null().any().over(SAME_RESULT)),
        ["name", "federation", *SAME_RESULT],
        first_received,
        at_the_same_time=True,
    )
    return _sides(pl.concat([in_code, dated, named]).unique())


def _after_the_first(
    games: pl.DataFrame, same: list[str], order: list[pl.Expr], *, at_the_same_time: bool = False
) -> pl.DataFrame:
    """The games of this list that are not the first of their kind: ``event_no`` and what identifies the game.

    ``at_the_same_time``: only those whose event and that of the first have a day in common.
    """
    turn = pl.struct(*[key.alias(f"key_{place}") for place, key in enumerate(order)]).rank("ordinal").over(same)
    first = games.with_columns(turn.alias("turn"))
    start = pl.col("start_date").sort_by("turn").first().over(same)
    end = pl.col("end_date").sort_by("turn").first().over(same)
    overlaps = (pl.col("start_date") <= end) & (pl.col("end_date") >= start) if at_the_same_time else True
    return first.filter(pl.col("turn") > 1, pl.col("event_no").is_not_null(), overlaps).select("event_no", *SAME_GAME)


def _sides(games: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        games.select("event_no", "round", pl.col(side).alias("fide_id")) for side in ("white_id", "black_id")
    )
