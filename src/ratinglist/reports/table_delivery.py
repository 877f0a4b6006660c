"""Deliveries as tables: a table of events and one of games in one folder become reports, one for each event.

Each event is written as a report in TRF16 (:mod:`~ratinglist.reports.table_texts`), which is kept under its digest
and read as any other. So everything behind treats it as a report: versions, corrections, explanations, a rebuild.
What is wrong is found in the rows, and keeps the row and the column of the file that was delivered.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial

import polars as pl

from ratinglist.findings import finding, limit_per_rule, refuses
from ratinglist.limits import REPORT_BYTES, TABLE_BYTES, TABLE_EVENTS
from ratinglist.reports import table_cells, table_events, table_games, table_texts
from ratinglist.reports.discovery import DeliveredFile, Reader
from ratinglist.reports.table_events import TableCells, TableEvents, UnreadableTableError, shown
from ratinglist.reports.table_games import TableGames
from ratinglist.reports.table_texts import RowsOfReports
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.tables import DELIVERED, FILE_FINDING

_ENDINGS = (".csv", ".parquet")
_EVENTS, _GAMES = "events", "games"
_EVENTS_AT_ONCE = 500
_ROWS_AT_ONCE = 200_000
_BYTES_AT_ONCE = 8 * 2**20


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The two files of a delivery as tables, not yet read."""

    events: DeliveredFile
    games: DeliveredFile


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files of a delivery, read and decoded.

    ``delivered``: :data:`~ratinglist.tables.DELIVERED`, numbered from 1. ``originals``: the bytes by sha256.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING` on encodings and manifests; ``line`` and ``column`` are null.
    ``repeated``: names of files left out because another file of the delivery has the same bytes and facts.
    ``problems``: files that could not be read after all, one sentence each. Of events that were delivered as tables,
    ``rows`` has the places of their players and games; the first batch of two tables has their bytes, by name, in
    ``tables``, and in ``notes`` one sentence for each column that is not read. ``continues``: the batch before has
    events of the same part of these tables, which is how the digest of their reports is cut.
    """

    delivered: pl.DataFrame
    originals: Mapping[str, bytes]
    findings: pl.DataFrame
    repeated: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    rows: RowsOfReports | None = None
    tables: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    continues: bool = False


@dataclass(frozen=True, slots=True)
class TableDelivery:
    """Two tables that were read.

    ``games``: without the rows of refused events. ``refused``: ``file_no`` and ``cells`` of those; of an event with too
    many, their number and digest.
    """

    games_name: str
    events: TableEvents
    games: TableGames
    refused: pl.DataFrame
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def is_table(name: str) -> bool:
    """Return whether a file is a table of events or of games, by its name."""
    stem, ending = posixpath.splitext(posixpath.basename(name).casefold())
    return stem in (_EVENTS, _GAMES) and ending in _ENDINGS


def find(files: Sequence[DeliveredFile]) -> tuple[list[TableFiles], list[tuple[DeliveredFile, str]], list[str]]:
    """Return the pairs of tables among ``files`` (all :func:`is_table`).

    Also returns the files that are no part of a pair, each with the reason, and a sentence for each folder whose tables
    cannot be read. A folder with one table alone has no delivery as tables: an ``events.csv`` may be anything.
    """
    folders: dict[str, dict[str, list[DeliveredFile]]] = {}
    for file in files:
        stem = posixpath.splitext(posixpath.basename(file.name).casefold())[0]
        folders.setdefault(posixpath.dirname(file.name), {}).setdefault(stem, []).append(file)
    pairs: list[TableFiles] = []
    others: list[tuple[DeliveredFile, str]] = []
    problems: list[str] = []
    for found in folders.values():
        several = [tables for tables in found.values() if len(tables) > 1]
        if len(found) == 1:
            missing = _GAMES if _EVENTS in found else _EVENTS
            others += [
                (file, f"a table is read only where {missing}.csv or {missing}.parquet is in the same folder")
                for tables in found.values()
                for file in tables
            ]
        elif several:
            names = " and ".join(file.name for tables in several for file in tables)
            problems.append(f"{names} were not read: leave one of them out, and deliver the tables again.")
        else:
            pairs.append(TableFiles(found[_EVENTS][0], found[_GAMES][0]))
    return pairs, others, problems


def read(files: TableFiles) -> tuple[TableDelivery, dict[str, bytes]]:
    """Read both tables, and return their bytes, by name, as well.

    Raises :class:`UnreadableTableError` or :class:`NothingReadError` where one cannot be used.
    """
    originals = {}
    with Reader() as reader:
        for file in (files.events, files.games):
            if file.size > TABLE_BYTES:
                raise UnreadableTableError(
                    f"{file.name} has {file.size} bytes, and at most {TABLE_BYTES} are read. Deliver the events in "
                    "several parts."
                )
            originals[file.name] = reader.read(file, TABLE_BYTES + 1)
    return tables(originals, files.events.name, files.games.name), originals


def tables(originals: Mapping[str, bytes], events_name: str, games_name: str) -> TableDelivery:
    """Return the delivery of two tables from their bytes, by name."""
    event_cells = table_cells.read(events_name, originals[events_name], table_events.REQUIRED, table_events.OPTIONAL)
    if event_cells.rows.height > TABLE_EVENTS:
        raise UnreadableTableError(
            f"{events_name} has {event_cells.rows.height} events, and at most {TABLE_EVENTS} are read. Deliver the "
            "events in several parts."
        )
    slices = partial(table_cells.slices, games_name, originals[games_name], table_games.REQUIRED, table_games.OPTIONAL)
    values = table_games.read_values(slices())
    notes = (*event_cells.notes, *values.notes)
    events = table_events.read(event_cells, values.codes)
    games = table_games.read(values, events.events.select("code", "file_no"))
    refused = _refused(events, games)
    refused_rows = pl.DataFrame(schema={"file_no": pl.Int32, "cells": pl.String})
    if len(refused):
        games = replace(games, rows=games.rows.join(refused, on="file_no", how="anti", maintain_order="left"))
        numbers = events.events.join(refused, on="file_no", how="semi").select("code", "file_no")
        # The values of refused events are not needed, and their cells take the memory.
        del values
        refused_rows = _with_digests(pl.concat(_cells_of(cells, numbers) for cells in slices()))
    return TableDelivery(games_name, events, games, refused_rows, events.problems, notes)


def _cells_of(table: TableCells, numbers: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no`` and ``cells``, as one text, of the rows of the events in ``numbers``."""
    columns = (*table_games.REQUIRED, *table_games.OPTIONAL)
    cells = pl.concat_str([pl.col(name) for name in columns if name != "event_id"], separator=",")
    rows = table.rows.with_columns(table_events.code().alias("code")).join(numbers, on="code")
    return rows.select("file_no", cells.alias("cells"))


def _with_digests(refused: pl.DataFrame) -> pl.DataFrame:
    """Return ``refused`` with one row for each event whose rows have more bytes than a report: their number and digest.

    The rows themselves are in the table, which is kept as it was delivered.
    """
    sizes = refused.group_by("file_no").agg(pl.col("cells").str.len_bytes().sum().alias("bytes"))
    large = sizes.filter(pl.col("bytes") > REPORT_BYTES)["file_no"].sort()
    if large.is_empty():
        return refused
    digests = []
    for file_no in large:
        rows = refused.filter(pl.col("file_no") == file_no)["cells"].sort()
        digest = hashlib.sha256()
        for part in rows.to_frame().iter_slices(_ROWS_AT_ONCE):
            digest.update(("\n".join(part["cells"]) + "\n").encode())
        digests.append((file_no, f"{len(rows)} rows with the SHA-256 {digest.hexdigest()}"))
    shown_rows = pl.DataFrame(digests, schema=refused.schema, orient="row")
    return pl.concat([refused.filter(~pl.col("file_no").is_in(large.implode())), shown_rows])


def _refused(events: TableEvents, games: TableGames) -> pl.DataFrame:
    """Return ``file_no`` of the events that a finding refuses."""
    findings = pl.concat([events.findings, games.findings])
    rules = [rule for rule in findings["rule"].unique() if refuses(rule)]
    return findings.filter(pl.col("rule").is_in(rules)).select("file_no").unique()


def batches(delivery: TableDelivery, received_on: date, today: date) -> Iterator[Batch]:
    """Yield the events of a delivery as reports, in the order of their codes, some hundred at once.

    ``received_on``: the day of arrival where the table gives none; one that gives a day after ``today`` refuses the
    event.
    """
    without = _without_games(delivery)
    first, part = 1, -1
    for last, part_of_last in _last_events(delivery).iter_rows():
        reports = _reports(delivery, without, first, last, received_on, today)
        yield replace(reports, continues=part_of_last == part)
        first, part = last + 1, part_of_last


def _last_events(delivery: TableDelivery) -> pl.DataFrame:
    """Return ``last``, the number of the last event of each batch, and ``part``, the number of its part.

    A part is some hundred events with some hundred thousand rows. It is cut into batches of some bytes of text: many
    rows of one player make few bytes, rows of players with one late game each make many.
    """
    text = pl.col("players") * (CELLS_START + CELL_WIDTH * pl.col("rounds"))
    of_event = delivery.games.rows.group_by("file_no").agg(
        pl.len().alias("rows"),
        pl.sum_horizontal(pl.col(f"{side}_id").n_unique() for side in table_games.SIDES).alias("players"),
        pl.col("round").max().alias("rounds"),
    )
    refused = delivery.refused.group_by("file_no").agg(pl.col("cells").str.len_bytes().sum().alias("refused"))
    sizes = delivery.events.events.select("file_no")
    for one in (of_event, refused):
        sizes = sizes.join(one, on="file_no", how="left", maintain_order="left")
    events, rows = (pl.col("file_no") - 1) // _EVENTS_AT_ONCE, pl.col("rows").cum_sum() // _ROWS_AT_ONCE
    size = (text + pl.col("refused")).cum_sum().over("part") // _BYTES_AT_ONCE
    return (
        sizes.fill_null(0)
        .with_columns(pl.struct(events, rows).rle_id().alias("part"))
        .group_by("part", size.alias("batch"))
        .agg(pl.col("file_no").max().alias("last"))
        .sort("last")
        .select("last", "part")
    )


def _without_games(delivery: TableDelivery) -> pl.DataFrame:
    """Return a refusal of each event that no row of the table of games names."""
    named = pl.concat([delivery.games.rows.select("file_no"), delivery.refused.select("file_no")])
    in_findings = delivery.games.findings.select("file_no")
    events = delivery.events.events.join(pl.concat([named, in_findings]), on="file_no", how="anti")
    return finding("event_without_games", events, value=shown(pl.col("code")))


def _reports(
    delivery: TableDelivery, without: pl.DataFrame, first: int, last: int, received_on: date, today: date
) -> Batch:
    """Return the events numbered ``first`` to ``last``, numbered from 1."""

    def part(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.filter(pl.col("file_no").is_between(first, last)).with_columns(pl.col("file_no") - (first - 1))

    results = [pl.col(f"{side}_result").cast(pl.String) for side in table_games.SIDES]
    events, rows = part(delivery.events.events), part(delivery.games.rows).with_columns(results)
    found = table_texts.players_of(rows)
    text = table_texts.texts(events, rows, part(delivery.refused), found)
    encoded = [one.encode() for one in text["text"]]
    digests = [hashlib.sha256(one).hexdigest() for one in encoded]
    name = pl.concat_str(
        pl.lit(f"{delivery.games_name}/"),
        pl.when(pl.col("code") == "").then(pl.lit("(no event_id)")).otherwise(shown(pl.col("code"))),
    )
    delivered = events.join(text, on="file_no", how="left", maintain_order="left").with_columns(
        name.alias("file_name"),
        pl.Series("sha256", digests, dtype=pl.String),
        pl.col("received_on").fill_null(received_on),
        pl.lit(None).alias("event_name"),
        pl.lit(None).alias("player_ids"),
    )
    future = finding(
        "received_in_the_future", delivered.filter(pl.col("received_on") > today), value=pl.col("received_on")
    )
    findings = pl.concat([part(delivery.events.findings), part(delivery.games.findings), part(without), future])
    return Batch(
        DELIVERED.conform(delivered),
        dict(zip(digests, encoded, strict=True)),
        FILE_FINDING.conform(limit_per_rule(findings)),
        rows=RowsOfReports(
            found.players.select("file_no", "start_number", "row"), found.games, events.select("file_no", "name")
        ),
    )
