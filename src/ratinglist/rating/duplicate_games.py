"""Games that two reports contain: two slices of a long event, or one event under two codes. Each game counts once."""

from __future__ import annotations

import polars as pl

SAME_GAME = ["time_control", "round", "white_id", "black_id"]


def on_two_days(other: str) -> pl.Expr:
    """Return whether two games of one code were played on two different days and so are two games.

    Needs ``date``, ``start_date`` and ``end_date`` of both, those of the second with the suffix ``other``. A date
    outside the days of its report is ignored: a file with all rounds so far may correct the date of an earlier round.
    """
    days = []
    for suffix in ("", other):
        day, start, end = (pl.col(f"{name}{suffix}") for name in ("date", "start_date", "end_date"))
        days.append(pl.when(day.is_between(start, end)).then(day))
    return (days[0] != days[1]).fill_null(value=False)


def find_duplicate_sides(games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Return the sides in this list's rated events whose game counts in another event or slice.

    In: ``games``: one row per game with the columns of :data:`~ratinglist.schemas.EARLIER_GAME`, ``event_row`` not
    null; ``earlier``: games that earlier lists rated. Out: ``event_row``, ``round``, ``fide_id``; two rows per game.

    Within one registration code, two games of the same players in the same round are the same game, whatever the
    result, unless they were played on two different days; the newest version counts it. Under two codes, they are the
    same game if the result is the same too, and the date, or, where a report gives no date, the name and federation of
    two events with a day in common; the event received first counts it. A game that an earlier list rated stays.
    """
    both = pl.concat([earlier, games.select(earlier.columns)])
    paired = both.filter(pl.struct(SAME_GAME).is_duplicated())
    is_earlier = pl.col("event_row").is_null()  # sorted first: a game that an earlier list rated stays
    newest_first: list[pl.Expr | str] = [
        ~is_earlier,
        -pl.col("version"),
        -pl.col("received_on").to_physical(),
        "start_date",
        "event_row",
    ]
    in_code = _repeated(
        paired, newest_first, (pl.col("event_code") == pl.col("event_code_first")) & ~on_two_days("_first")
    )
    remaining = paired.join(in_code, on=["event_row", *SAME_GAME], how="anti", nulls_equal=True)
    dated = pl.col("date").is_not_null() & pl.col("date_first").is_not_null()
    at_the_same_time = (pl.col("start_date") <= pl.col("end_date_first")) & (
        pl.col("end_date") >= pl.col("start_date_first")
    )
    # The pairs of one code that remain have two different dates.
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
    first_received: list[pl.Expr | str] = [~is_earlier, "received_on", "event_code", "start_date", "event_row"]
    return _sides(pl.concat([in_code, _repeated(remaining, first_received, same)]))


def _repeated(games: pl.DataFrame, order: list[pl.Expr | str], same: pl.Expr) -> pl.DataFrame:
    """Return the games of this list that are the ``same`` as a game that counts and precedes them in ``order``."""
    position = pl.int_range(pl.len(), dtype=pl.UInt32).over(SAME_GAME, order_by=order)
    ordered = games.with_columns(position.alias("position"))
    pairs = (
        ordered.filter(pl.col("event_row").is_not_null())
        .join(ordered, on=SAME_GAME, suffix="_first")
        .filter((pl.col("position_first") < pl.col("position")) & same)
        .select("event_row", *SAME_GAME, "position", "position_first")
    )
    # By position, because a game that is repeated itself does not count and so repeats no other.
    repeated = pairs.clear().select("event_row", *SAME_GAME, "position")
    for number in pairs["position"].unique().sort():
        found = (
            pairs.filter(pl.col("position") == number)
            .join(repeated, left_on=[*SAME_GAME, "position_first"], right_on=[*SAME_GAME, "position"], how="anti")
            .select("event_row", *SAME_GAME, "position")
            .unique()
        )
        repeated = pl.concat([repeated, found])
    return repeated.select("event_row", *SAME_GAME)


def _sides(games: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        games.select("event_row", "round", pl.col(side).alias("fide_id")) for side in ("white_id", "black_id")
    )
