"""The program's own kernel: the functions that ``rate`` calls, on frames read from Parquet.

In the program a player has a row number before the games are rated. Here the other implementations start from FIDE IDs,
so finding the row numbers is measured too. Every side gets its expected score, K and change, as in the program.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from benchmarks.month import MONTH, MONTH_BEFORE
from ratinglist.period import Period
from ratinglist.rating.change import sum_changes
from ratinglist.rating.player_games import REASON, coefficients, limit_coefficients, rate_by_coefficients
from ratinglist.store.rule_files import rule_book

SIDES = ("event_row", "fide_id", "rating", "opponent_rating", "score_halves")


def rate(folder: Path, out: Path) -> None:
    """Read sides, events and state, rate the sides, write the changes."""
    book = rule_book()
    rule_set = book.on("fide", "standard", Period.parse(MONTH).first_day)
    if rule_set is None:
        raise ValueError(f"there is no rule set for {MONTH}")
    judged_events = pl.read_parquet(folder / "events.parquet").with_columns(
        pl.lit("rated").alias("status"), pl.lit("standard").alias("time_control")
    )
    rated_participants = pl.read_parquet(folder / "state.parquet").with_columns(
        # Juniors are judged on the list before, whatever the event; any event has the time control.
        pl.lit(0, dtype=pl.UInt32).alias("event_row"),
        pl.lit(None, dtype=pl.Date).alias("birth_date"),
        pl.lit(Period.parse(MONTH_BEFORE).first_day).alias("list_before"),
    )
    rows = rated_participants.lazy().select("fide_id").with_row_index("participant_row")
    sides = (
        pl.scan_parquet(folder / "sides.parquet")
        .select(SIDES)
        .join(rows, on="fide_id")
        .select(pl.exclude("fide_id"), pl.lit("", dtype=REASON).alias("reason"))
        .collect()
    )
    rules = {"standard": rule_set}
    limited = limit_coefficients(coefficients(sides, judged_events, rated_participants, rules), rules)
    rated = rate_by_coefficients(sides, judged_events, rated_participants, limited, book)
    sums = (
        rated.lazy()
        .group_by("participant_row")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("k").max(), pl.col("change_hundredths").sum())
        .with_columns(pl.lit(rated_participants["fide_id"]).gather("participant_row").alias("fide_id"))
        .collect()
    )
    changes = sum_changes(sums, rule_set.change).sort("fide_id")
    changes.write_parquet(out, compression="zstd", compression_level=3)
