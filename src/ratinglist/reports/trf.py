"""The parser of tournament reports (TRF16, TRF26): frames of headers, players, round cells and findings.

A batch of files is parsed in one pass of column operations, never line by line. All faults of a file are reported at
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule
from ratinglist.reports import trf_cells, trf_header, trf_lines, trf_players
from ratinglist.reports.dates_in_text import Circle, dates_in, was_born
from ratinglist.schemas import DELIVERED, HEADER

_NOTHING_STATED: Final = DELIVERED.empty()


@dataclass(frozen=True, slots=True)
class ParsedReports:
    """A batch of reports. ``header``: :data:`~ratinglist.schemas.HEADER`, one row for every file delivered.
    ``players``: :data:`~ratinglist.schemas.PLAYER_LINE`. ``cells``: :data:`~ratinglist.schemas.CELL`.
    ``findings``: :data:`~ratinglist.schemas.FILE_FINDING`; a file with a refusing one is refused whole.
    """  # noqa: D205 - four frames, four sentences

    header: pl.DataFrame
    players: pl.DataFrame
    cells: pl.DataFrame
    findings: pl.DataFrame


def parse(delivered: pl.DataFrame, stated: pl.DataFrame = _NOTHING_STATED) -> ParsedReports:
    """Parse a batch of reports.

    ``delivered`` needs ``file_no`` and ``text`` (decoded; see :data:`~ratinglist.schemas.DELIVERED`), in any order.
    A batch of some hundred files keeps memory low. A file that is no report has a header of nulls and the finding
    ``not_a_report``. Missing or unreadable dates are left null with their text, because the manifest may have them.
    ``stated``: the name of a tournament and the FIDE IDs of players as a manifest has them (``file_no``,
    ``event_name``, ``player_ids`` of :data:`~ratinglist.schemas.DELIVERED`); they count before the report's own.
    Source: C.04 Annex 2 (TRF16) and TRF26.
    """
    texts = delivered.select(pl.col("file_no").cast(pl.Int32), "text").sort("file_no")
    lines = trf_lines.split(texts)
    tournament = trf_header.read(lines.files, lines.coded, stated.select("file_no", "event_name").drop_nulls())
    players = trf_players.read(lines.players, _stated_ids(stated))
    rounds = trf_cells.read(players.texts, tournament.round_dates)
    header = (
        texts.select("file_no")
        .join(tournament.header, on="file_no", how="left")
        .join(lines.files, on="file_no", how="left")
        .join(rounds.cells.group_by("file_no").agg(pl.col("round").max().alias("last_round")), on="file_no", how="left")
        .sort("file_no")
    )
    notes = pl.concat(
        [
            _more_rounds(header),
            _players_missing(header, players.players),
            _birth_date_in_name(header, players.players),
            _points_differ(players.players, rounds.sums, lines.files),
        ]
    )
    return ParsedReports(
        HEADER.conform(
            header.with_columns(
                pl.coalesce("rounds", "last_round", 0).alias("rounds"),
                pl.col("teams").fill_null(0),
                pl.col("report_format").fill_null("TRF16"),
            )
        ),
        players.players,
        rounds.cells,
        limit_per_rule(pl.concat([lines.findings, tournament.findings, players.findings, rounds.findings, notes])),
    )


def _stated_ids(stated: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``start_number`` and ``stated_id`` of the players whose FIDE ID a manifest states."""
    stated = stated.select("file_no", pl.col("player_ids").str.split(" ")).drop_nulls().explode("player_ids")
    pair = pl.col("player_ids").str.split_exact("=", 1)
    return stated.select(
        "file_no",
        pair.struct.field("field_0").cast(pl.Int32).alias("start_number"),
        pair.struct.field("field_1").cast(pl.Int64).alias("stated_id"),
    )


def _more_rounds(header: pl.DataFrame) -> pl.DataFrame:
    return finding(
        "more_rounds",
        header.filter(pl.col("last_round") > pl.col("rounds")),
        line=pl.col("rounds_line"),
        column=5,
        value=pl.col("rounds"),
        detail=pl.col("last_round"),
    )


def _players_missing(header: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return a note where 062 announces another number of players than there are lines: the file may be truncated."""
    counted = header.join(players.group_by("file_no").len(), on="file_no", how="left")
    return finding(
        "player_count_differs",
        counted.filter(pl.col("players_announced") != pl.col("len")),
        line=pl.col("players_line"),
        column=5,
        value=pl.col("players_announced"),
        detail=pl.col("len"),
    )


def _birth_date_in_name(header: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return a refusal where the name of the event has the birth date of one of its players.

    A date in the :data:`~ratinglist.reports.dates_in_text.YOUNGEST` years before the event, or later, is a day of play.
    """
    days = dates_in(header["name"]).filter(pl.col("circle") <= Circle.EVENT)
    births = players.select(pl.col("file_no").cast(pl.Int32), day="birth_date")
    found = (
        header.select("file_no", "name_line", "start_date", text="name")
        .join(days, on="text")
        .filter(was_born(pl.col("day"), pl.col("start_date")))
        .join(births, on=["file_no", "day"], how="semi")
        .unique("file_no")
        .sort("file_no")
    )
    return finding("birth_date_in_name", found, line=pl.col("name_line"), column=5)


def _points_differ(players: pl.DataFrame, sums: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    """Return a note where the points (81-84) are not the sum of the results, unless the event has its own scoring.

    ``sums``: as in :class:`trf_cells.RoundCells`, one row for each of ``players``.
    """
    compared = (
        players.with_columns(sums)
        .filter(~pl.col("unreadable") & (pl.col("halves") * 5 != pl.col("points_tenths")))
        .join(files.filter(~pl.col("own_scoring")), on="file_no", how="semi")
    )
    return finding(
        "points_differ",
        compared,
        line=pl.col("line"),
        column=81,
        value=_decimal(pl.col("points_tenths")),
        detail=_decimal(pl.col("halves") * 5),
    )


def _decimal(tenths: pl.Expr) -> pl.Expr:
    return pl.format("{}.{}", tenths // 10, tenths % 10)
