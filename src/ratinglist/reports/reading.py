"""Reading of a batch: the texts of delivered files become reports, players, games and findings."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.findings import RULES
from ratinglist.reports import games, metadata, table_texts, trf
from ratinglist.reports.table_texts import RowsOfReports


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """A batch as ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``, with those of refused reports.

    In ``players`` and ``games`` the ``report_id`` is an Enum.
    """

    reports: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    findings: pl.DataFrame


def read(
    delivered: pl.DataFrame, findings: pl.DataFrame, default_time: str = "", rows: RowsOfReports | None = None
) -> ReadBatch:
    """Read the files of a batch (``DELIVERED``); ``findings`` (``FILE_FINDING``) are those of its decoding.

    ``default_time``: the office's time control, for reports that state none. ``rows``: the places of the players and
    games of events that were delivered as tables, in the place of the lines of the texts.
    """
    # A file without text is refused already; the finding that it has no players would add nothing.
    parsed = trf.parse(delivered.filter(pl.col("text") != ""), delivered)
    paired = games.pair(parsed.players, parsed.cells)
    if rows is not None:
        parsed, paired = table_texts.replace_lines(parsed, paired, rows)
    counts = (
        delivered.select("file_no")
        .join(
            parsed.players.group_by("file_no").agg(pl.len().cast(pl.Int32).alias("players")), on="file_no", how="left"
        )
        .join(paired.counts, on="file_no", how="left")
        .with_columns(pl.col("players", "games", "forfeits", "byes").fill_null(0))
    )
    found = pl.concat([findings, parsed.findings, paired.findings])
    own_dates = table_texts.game_dates(delivered)
    described = metadata.describe(delivered, _with_days_of_games(parsed.header, own_dates), counts, found, default_time)
    keys = described.keys
    white, black = (
        paired.numbers.rows(paired.games["file_no"], paired.games[f"{side}_number"]) for side in ("white", "black")
    )
    by_id = _dated(
        _with_own_dates(_with_ids(paired.games, parsed.players["fide_id"], white, black), own_dates),
        described.reports.join(keys, on="report_id"),
    )
    # A player has many games: each ID is cast to text once.
    digests = metadata.games_digest(_with_ids(paired.games, parsed.players["fide_id"].cast(pl.String), white, black))
    played = by_id.group_by("file_no").agg(first_round=pl.col("round").min(), last_round=pl.col("round").max())
    whole = (
        described.reports.drop("games_digest", "first_round", "last_round")
        .join(keys, on="report_id")
        .join(played, on="file_no", how="left")
        .join(digests, on="file_no", how="left")
        .with_columns(pl.col("games_digest").fill_null(""))
    )
    effects = {rule: one.effect for rule, one in RULES.items()}
    all_findings = (
        pl.concat([_without_expected(found, described), described.findings])
        .join(keys, on="file_no")
        .with_columns(pl.col("rule").replace_strict(effects, return_dtype=pl.String).alias("effect"))
    )
    return ReadBatch(whole, _with_report_ids(parsed.players, keys), _with_report_ids(by_id, keys), all_findings)


def _without_expected(found: pl.DataFrame, described: metadata.ReportMetadata) -> pl.DataFrame:
    """Return ``found`` without repeated pairs in a match or double round robin, and colours where it is no Swiss."""
    types = described.keys.join(described.reports.select("report_id", "event_type"), on="report_id")
    rule, file = pl.col("rule"), pl.col("file_no")
    repeating, swiss = (
        file.is_in(types.filter(pl.col("event_type").is_in(kinds))["file_no"].implode())
        for kinds in (["match", "double_roundrobin"], ["swiss"])
    )
    return found.filter((rule != "pair_repeated") | ~repeating, (rule != "colours_exchanged") | swiss)


def _with_ids(paired: pl.DataFrame, ids: pl.Series, white: pl.Series, black: pl.Series) -> pl.DataFrame:
    """Return the games with the ``ids`` of both players, whose rows are ``white`` and ``black``."""
    return paired.with_columns(ids.gather(white).alias("white_id"), ids.gather(black).alias("black_id"))


def _with_report_ids(rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Return the ``rows`` of the files in ``keys``, each with its ``report_id``, looked up by the number of the file.

    The ids are dictionary-encoded as an Enum: a text of 64 letters is stored once, not in every row.
    """
    files = rows.select(pl.max("file_no").fill_null(0) + 1).item()
    ids = pl.Enum(keys["report_id"])
    of_file = keys.filter(pl.col("file_no") < files).with_columns(pl.col("report_id").cast(ids))
    empty = pl.Series("report_id", [None], dtype=ids).new_from_index(0, files)
    found = rows.with_columns(empty.scatter(of_file["file_no"], of_file["report_id"]).gather(rows["file_no"]))
    return found.drop_nulls("report_id") if found["report_id"].has_nulls() else found


def _with_days_of_games(header: pl.DataFrame, dates: pl.DataFrame) -> pl.DataFrame:
    """Return the headers, with the first and the last of the dates of single games among those of the rounds."""
    days = dates.group_by("file_no").agg(
        pl.col("game_date").min().alias("first"), pl.col("game_date").max().alias("last")
    )
    return (
        header.join(days, on="file_no", how="left", maintain_order="left")
        .with_columns(
            pl.min_horizontal("first_round_date", "first").alias("first_round_date"),
            pl.max_horizontal("last_round_date", "last").alias("last_round_date"),
        )
        .drop("first", "last")
    )


def _with_own_dates(paired: pl.DataFrame, dates: pl.DataFrame) -> pl.DataFrame:
    """Return the games with the dates that the reports state of single games, in place of their rounds' dates."""
    if dates.is_empty():
        return paired
    own = paired.join(dates, on=["file_no", "round", "white_id", "black_id"], how="left", maintain_order="left")
    return own.with_columns(pl.coalesce("game_date", "date").alias("date")).drop("game_date")


def _dated(paired: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """Return the games with their date; without a round date it is that of the event, if the event has one day."""
    one_day = described.filter(pl.col("start_date") == pl.col("end_date")).select("file_no", "start_date")
    return paired.join(one_day, on="file_no", how="left").with_columns(pl.coalesce("date", "start_date").alias("date"))
