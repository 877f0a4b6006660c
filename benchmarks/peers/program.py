"""The program's own kernel: the functions that ``rate`` calls, on frames read from Parquet.

In the program a side comes with the ratings of its players. Here it is read with them, as the other implementations
read it. Every side gets its expected score, K and change, as in the program.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from benchmarks.month import MONTH, MONTH_BEFORE
from ratinglist.period import Period
from ratinglist.rating.change import sum_changes
from ratinglist.rating.player_games import REASON, add_changes, add_expected_scores, rate_players
from ratinglist.store.rule_files import rule_book

RULE = ("cap", "cap_applies_to", "cap_players_below", "table")
SIDES = ("event_row", "fide_id", "rating", "opponent_rating", "score_halves")


def rate(folder: Path, out: Path) -> None:
    """Read sides and state, rate the sides, write the changes."""
    book = rule_book()
    rule_set = book.on("fide", "standard", Period.parse(MONTH).first_day)
    if rule_set is None:
        raise ValueError(f"there is no rule set for {MONTH}")
    events = pl.read_parquet(folder / "events.parquet", columns=list(RULE)).with_row_index("event_id")
    texts = events.select(RULE).unique().sort(RULE).with_row_index("rule_set")
    rule_sets = {
        str(text.pop("rule_set")): replace(rule_set, expected_score=replace(rule_set.expected_score, **text))
        for text in texts.to_dicts()
    }
    of_event = events.join(texts, on=RULE).select("event_id", pl.col("rule_set").cast(pl.String))
    sides = (
        pl.read_parquet(folder / "sides.parquet", columns=list(SIDES))
        .rename({"event_row": "event_id"})
        .with_columns(pl.lit("", dtype=REASON).alias("reason"))
        .join(of_event, on="event_id", maintain_order="left")
    )
    # A player of the list in an event, with the state that K depends on.
    players = (
        sides.select("event_id", "fide_id", old_rating="rating")
        .unique(["event_id", "fide_id"])
        .join(pl.read_parquet(folder / "state.parquet"), on="fide_id")
        .with_columns(
            # Juniors are judged on the list before, whatever the event.
            pl.lit("standard").alias("time_control"),
            pl.lit(None, dtype=pl.Date).alias("start_date"),
            pl.lit(None, dtype=pl.Date).alias("birth_date"),
            pl.lit(Period.parse(MONTH_BEFORE).first_day).alias("list_before"),
        )
    )
    sides = add_expected_scores(sides, rule_sets, book.expected_score)
    rated = rate_players(sides, players, {"standard": rule_set})
    add_changes(sides, rated, rated.clear().select("event_id", "fide_id", reason=pl.lit("")))
    changes = sum_changes(rated, rule_set.change).sort("fide_id")
    changes.write_parquet(out, compression="zstd", compression_level=3)
