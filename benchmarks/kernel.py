"""Extract the inputs of the rating kernel, the sides of a month's games, from a month that was rated and published.

``python -m benchmarks.kernel HOME FOLDER [COPIES]`` reads the standard games of the benchmark's month from an office
and writes into ``FOLDER``:

``sides.parquet``: one row per rated side: ``event_row``, ``round``, ``fide_id``, ``opponent_id``, ``rating``,
``opponent_rating``, ``score_halves``; in the published order.
``state.parquet``: one row per player of the list before: ``fide_id``, ``games_played``, ``reached_2400``,
``reached_2300``, ``birth_year`` (0: unknown); sorted by ``fide_id``.
``events.parquet``: the rule of each event, by row number: ``start_date``, ``rule_set``, ``cap``, ``cap_applies_to``,
``cap_players_below`` (the largest integer where the cap holds for all players), ``table``.
``truth.parquet``: the published changes of these players, with the columns of :data:`CHANGES`; sorted by ``fide_id``.
``games.parquet``: the same games once each, for libraries without sides: ``day``, ``white_id``, ``black_id``,
``white_rating``, ``black_rating``, ``white_halves``; sorted by day and players. Only games rated on both sides.

``COPIES`` writes the month that many times over, each with events and players of its own. Prints the number of sides.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import polars as pl

from benchmarks.month import MONTH, MONTH_BEFORE
from benchmarks.peers.given import SCORES

CHANGES = {
    "fide_id": pl.Int64,
    "games": pl.Int32,
    "k": pl.Int32,
    "change_hundredths": pl.Int32,
    "change": pl.Int32,
}
"""The columns that every implementation writes: one row per player with rated games, sorted by ``fide_id``."""
ALL_PLAYERS = 2**31 - 1
SIDES = ("event_row", "round", "fide_id", "opponent_id", "rating", "opponent_rating", "score_halves")


def extract(home: Path, folder: Path, copies: int = 1) -> int:
    """Write the inputs of the kernel and the published truth into ``folder``; return the number of sides.

    Raises ``ValueError`` where the month has events of a rule set that the plain versions do not implement.
    """
    published = home / "published" / MONTH / "r1"
    games = pl.read_parquet(published / "games.parquet").filter((pl.col("time_control") == "standard") & "rated")
    events = _events(games, pl.read_parquet(published / "events.parquet"))
    sides = games.join(events.select("event_id", "event_row"), on="event_id", maintain_order="left").select(SIDES)
    truth = pl.read_parquet(published / "changes.parquet").filter(
        (pl.col("time_control") == "standard") & (pl.col("games") > 0) & pl.col("change_hundredths").is_not_null()
    )
    tables = {
        "sides": sides,
        "state": _state(home),
        "events": events.drop("event_id", "event_row"),
        "truth": truth.select(pl.col(name).cast(dtype) for name, dtype in CHANGES.items()).sort("fide_id"),
        "games": _games(games, events),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        many = _copied(frame, copies, len(events))
        many.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=3)
    return len(sides) * copies


def _events(games: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return the events with rated games, numbered, each with the rule it is rated by."""
    from ratinglist.store.rule_files import rule_book

    rules = pl.DataFrame(
        [{"rule_set": one.name} | asdict(one.expected_score) for one in rule_book().rule_sets], infer_schema_length=None
    ).select("rule_set", pl.col("cap", "cap_players_below").cast(pl.Int32), "cap_applies_to", "table")
    events = (
        games.select("event_id", "rule_set")
        .unique()
        .join(rules, on="rule_set")
        .join(published.select("event_id", "start_date"), on="event_id")
        .sort("event_id")
        .with_columns(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("event_row"),
            pl.when(pl.col("cap_applies_to") == "every_game")
            .then(pl.lit(ALL_PLAYERS, dtype=pl.Int32))
            .otherwise("cap_players_below")
            .alias("cap_players_below"),
        )
    )
    unknown = events.filter(
        ~pl.col("cap_applies_to").is_in(["every_game", "players_below"]) | (pl.col("table") != SCORES.stem)
    )
    if len(unknown):
        raise ValueError(f"the plain versions do not implement the rule of {unknown['rule_set'].unique().to_list()}")
    return events


def _state(home: Path) -> pl.DataFrame:
    """Return the state K is judged on, from the store: the list before the one computed."""
    from ratinglist.config import Settings
    from ratinglist.workflows.opening import open_to_read

    with open_to_read(Settings.read(home=home)) as store:
        return store.read(
            """
            select fide_id, games_played, reached_2400, reached_2300,
                   coalesce(year(birth_date)::integer, birth_year, 0)::integer as birth_year
            from list_state
            join (select * from player
                  qualify row_number() over (partition by fide_id order by known_on desc, source_no desc) = 1)
                 using (fide_id)
            where time_control = 'standard' and month = $month
            order by fide_id
            """,
            month=MONTH_BEFORE,
        )


def _games(sides: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return the games of which both sides are rated, White's columns first."""
    both = ["event_id", "round"]
    black = sides.filter(pl.col("colour") == "b").select(*both, pl.col("fide_id").alias("opponent_id"))
    return (
        sides.filter(pl.col("colour") == "w")
        .join(black, on=[*both, "opponent_id"])
        .join(events.select("event_id", "start_date"), on="event_id")
        .select(
            (pl.col("start_date") + pl.duration(days=pl.col("round") - 1)).alias("day"),
            pl.col("fide_id").alias("white_id"),
            pl.col("opponent_id").alias("black_id"),
            pl.col("rating").alias("white_rating"),
            pl.col("opponent_rating").alias("black_rating"),
            pl.col("score_halves").alias("white_halves"),
        )
        .sort("day", "white_id", "black_id")
    )


def _copied(frame: pl.DataFrame, copies: int, events: int) -> pl.DataFrame:
    """Return ``frame`` repeated ``copies`` times; the FIDE IDs of the copies are interleaved, as real ones are."""
    if copies == 1:
        return frame
    ids = [name for name in ("fide_id", "opponent_id", "white_id", "black_id") if name in frame.columns]
    numbers = [name for name in ("event_row",) if name in frame.columns]
    many = pl.concat(
        frame.with_columns(
            *(pl.col(name) * copies + copy for name in ids), *(pl.col(name) + copy * events for name in numbers)
        )
        for copy in range(copies)
    )
    if "white_id" in ids:
        return many.sort("day", "white_id", "black_id")
    return many.sort("fide_id") if "fide_id" in ids and not numbers else many


if __name__ == "__main__":
    print(extract(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])))
