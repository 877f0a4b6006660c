"""A batch of delivered files, read: text to reports, players, games and findings."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.findings import RULES
from ratinglist.reports import facts, games, trf


@dataclass(frozen=True, slots=True)
class Read:
    """A batch read: ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``, those of refused reports too."""

    reports: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    findings: pl.DataFrame


def read(delivered: pl.DataFrame, findings: pl.DataFrame) -> Read:
    """Read the files of a batch (``DELIVERED``), of which ``findings`` (``FILE_FINDING``) are known already."""
    # A file without text has been refused for what it is: nothing is gained by saying that it holds no players.
    parsed = trf.parse(delivered.filter(pl.col("text") != ""))
    paired = games.pair(parsed.players, parsed.cells)
    counts = (
        delivered.select("file_no")
        .join(
            parsed.players.group_by("file_no").agg(pl.len().cast(pl.Int32).alias("players")), on="file_no", how="left"
        )
        .join(paired.counts, on="file_no", how="left")
        .with_columns(pl.col("players", "games", "forfeits", "byes").fill_null(0))
    )
    found = pl.concat([findings, parsed.findings, paired.findings])
    described = facts.describe(delivered, parsed.header, counts, found)
    keys = described.keys
    numbered = parsed.players.select("file_no", "start_number", "fide_id").unique(
        ["file_no", "start_number"], keep="any", maintain_order=False
    )
    by_id = _dated(_with_fide_ids(paired.games, numbered), described.reports.join(keys, on="report_id"))
    digests = facts.games_digest(by_id)
    played = by_id.group_by("file_no").agg(first_round=pl.col("round").min(), last_round=pl.col("round").max())
    whole = (
        described.reports.drop("games_digest", "first_round", "last_round")
        .join(keys, on="report_id")
        .join(played, on="file_no", how="left")
        .join(digests, on="file_no", how="left")
        .with_columns(pl.col("games_digest").fill_null(""))
    )
    effects = {rule: one.effect for rule, one in RULES.items()}
    noted = (
        pl.concat([found, described.findings])
        .join(keys, on="file_no")
        .with_columns(pl.col("rule").replace_strict(effects, return_dtype=pl.String).alias("effect"))
    )
    return Read(whole, parsed.players.join(keys, on="file_no"), by_id.join(keys, on="file_no"), noted)


def _with_fide_ids(paired: pl.DataFrame, numbered: pl.DataFrame) -> pl.DataFrame:
    """Games with the FIDE IDs of both players beside their start numbers."""
    of_player = numbered.select(_key("start_number"), "fide_id")
    for side in ("white", "black"):
        paired = (
            paired.with_columns(_key(f"{side}_number"))
            .join(of_player.rename({"fide_id": f"{side}_id"}), on="key", how="left", maintain_order="left")
            .drop("key")
        )
    return paired


def _key(number: str) -> pl.Expr:
    """One integer for file and start number: a join on it is far cheaper than on two columns."""
    return (pl.col("file_no").cast(pl.Int64) * 2**32 + pl.col(number)).alias("key")


def _dated(paired: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """Games of a one-day event are of that day where the report dates no rounds."""
    one_day = described.filter(pl.col("start_date") == pl.col("end_date")).select("file_no", "start_date")
    return paired.join(one_day, on="file_no", how="left").with_columns(pl.coalesce("date", "start_date").alias("date"))
