"""The events that a list rated, as reports in TRF26: one file for each event, and the manifest of the delivery.

What is published of an event is written: its facts, its games with both results, and of each player the rating that was
used. TRF26 has no place for K and for a change of rating, so comment lines (``###``) at the end of a report have them.
Left out is what is not published: the city, the arbiter, the clock, forfeits and byes, teams, and dates of birth. A
player who played no game is in no file. Points and ranks are those of the games that are written.

Source: TRF26, records 001, 012-092, 132, 142 and 192.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import polars as pl

from ratinglist.errors import ExportError, NothingReadError
from ratinglist.files.atomic_file import zip_entry
from ratinglist.limits import PLAYERS, ROUNDS
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.schemas import EVENT, GAME, LISTED, UNRATED
from ratinglist.store.table_files import csv_text

TABLES: Final = ("events", "games", "unrated")
"""The published tables that are read besides the lists, which have the players' names."""
COLUMNS: Final = ("fide_id", "name", "federation", "sex", "title", "women_title")
"""The columns of the lists that a report carries; the rating is the one that the event was rated with."""
_MANIFEST: Final = "manifest.csv"
_FACTS: Final = (
    *("event_id", "version", "received_on", "event_type", "time_control", "federation", "start_date", "end_date"),
    *("official", "registered_on", "minutes_per_60_moves"),
)
_OF_GAME: Final = (
    *("event_id", "round", "fide_id", "date", "opponent_id", "colour", "score_halves", "rating", "k"),
    *("change_hundredths", "change_thousandths", "rated"),
)
_NEEDED: Final = ("opponent_id", "colour", "score_halves")
_EVENTS_AT_ONCE: Final = 500
_NAME: Final = 33
_NAME_IN_FILE: Final = 40
_ROUND_DATES: Final = 91
_TYPES: Final = {
    "swiss": ("Individual: Swiss System", ""),
    "roundrobin": ("Individual: Round Robin", "FIDE_ROUNDROBIN"),
    "double_roundrobin": ("Individual: Double Round Robin", "FIDE_DOUBLEROUNDROBIN"),
    "team": ("Team", ""),
    "match": ("Individual: Match", ""),
}
"""Records 092 and 192 by event type. There is a code where the type alone decides it: engines refuse unknown ones."""


def prepare(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the reports: the facts of each event with its ``file`` and ``text``, by the event's code.

    Raises :class:`NothingReadError` if the list rated no event that is requested, or the office leaves out of its games
    what makes a report; :class:`ExportError` if an event has more players or rounds than a report has room for.
    """
    known, games = published.tables["events"], published.tables["games"]
    missing = [name for name in _NEEDED if name not in games.columns]
    if missing:
        raise NothingReadError(
            f"{published.manifest} leaves {', '.join(missing)} out of the games, and without that there is no report."
        )
    events = _with_all(known, EVENT.columns.keys(), EVENT.schema).filter(
        pl.col("federation") == request.federation if request.federation else pl.lit(value=True),
        pl.col("time_control") == request.time_control if request.time_control else pl.lit(value=True),
    )
    has_thousandths = "change_thousandths" in games.columns
    games = _with_all(games, _OF_GAME, {**GAME.schema, "change_thousandths": pl.Int32()})
    rated = events.filter(pl.col("status") == "rated").join(games.select("event_id"), on="event_id", how="semi")
    if rated.is_empty():
        requested = "".join(
            f" {of} {one}" for of, one in (("of", request.federation), ("at", request.time_control)) if one
        )
        raise NothingReadError(f"The list of {request.period} rated no event{requested}: there is no report to write.")
    persons = _persons(published).join(games.select("fide_id"), on="fide_id", how="semi", maintain_order="left")
    counts = {"games": 0, "events_left_out": events.height - rated.height, "texts_cut": 0}
    reports = []
    for part in rated.sort("event_id").with_row_index("number", offset=1).iter_slices(_EVENTS_AT_ONCE):
        of_part = games.join(part.select("event_id"), on="event_id", how="semi")
        players, cut = _players(of_part, persons)
        _check_room(part, players, of_part)
        counts["games"] += of_part.height // 2
        counts["texts_cut"] += cut
        reports.append(
            part.join(_lines(players, _cells(of_part, players)), on="event_id", maintain_order="left")
            .join(_comments(players, request, has_thousandths=has_thousandths), on="event_id", maintain_order="left")
            .join(_round_dates(of_part), on="event_id", maintain_order="left")
            .with_columns(pl.col("official").cast(pl.Int8))
            .select(_file(), *_FACTS, _text())
        )
    return PreparedExport(pl.concat(reports), counts)


def write(path: Path, prepared: PreparedExport, _request: ExportRequest) -> None:
    """Write a zip of the manifest and the reports; the bytes are the same on every day and system."""
    texts = dict(prepared.rows.select("file", "text").iter_rows())
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {_MANIFEST: csv_text(prepared.rows.drop("text")), **texts}.items():
            archive.writestr(zip_entry(name), text.encode())


def _with_all(table: pl.DataFrame, names: Iterable[str], types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return the columns ``names`` of a published table, null where the office leaves one out."""
    return table.select(
        pl.col(name) if name in table.columns else pl.lit(None, dtype=types[name]).alias(name) for name in names
    )


def _persons(published: PublishedLists) -> pl.DataFrame:
    """Return :data:`COLUMNS` of every player of the month, of the first list that has the player."""
    unrated = _with_all(published.tables["unrated"], COLUMNS, {**LISTED.schema, **UNRATED.schema})
    every = pl.concat([*(rows.select(COLUMNS) for rows in published.lists.values()), unrated.select(COLUMNS)])
    return every.unique("fide_id", keep="first", maintain_order=True)


def _players(games: pl.DataFrame, persons: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return the players of each event with their start numbers, points and changes, and the number of names cut."""
    change = pl.coalesce(pl.col("change_hundredths") * 10, "change_thousandths")
    k = pl.col("k").drop_nulls().unique()
    players = (
        games.group_by("event_id", "fide_id")
        .agg(
            pl.col("rating").max(),
            pl.col("score_halves").sum().alias("halves"),
            pl.when(k.len() == 1).then(k.first()).alias("k"),
            pl.col("rated").sum().alias("rated_games"),
            change.filter("rated").sum().alias("change"),
        )
        .sort("event_id", "rating", "fide_id", descending=[False, True, False], nulls_last=True)
        .with_columns(pl.int_range(1, pl.len() + 1).over("event_id").alias("start_number"))
        .join(persons, on="fide_id", how="left", maintain_order="left")
        .with_columns(pl.col(COLUMNS[1:]).fill_null(""))
    )
    rank = pl.struct(-pl.col("halves"), "start_number").rank("ordinal").over("event_id")
    cut = int(players.select((pl.col("name").str.len_chars() > _NAME).sum()).item())
    return players.with_columns(rank.alias("rank"), pl.col("name").str.head(_NAME)), cut


def _check_room(events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame) -> None:
    """Raise :class:`ExportError` if an event does not fit a report."""
    sizes = (
        players.group_by("event_id")
        .len("players")
        .join(games.group_by("event_id").agg(pl.col("round").max()), on="event_id")
    )
    large = sizes.filter((pl.col("players") > PLAYERS) | (pl.col("round") > ROUNDS)).sort("event_id")
    if large.is_empty():
        return
    code, many, last = large.row(0)
    name = events.filter(pl.col("event_id") == code)["name"].item()
    raise ExportError(
        f"Nothing was exported: the event {code} ({name}) has {many:,} players and {last:,} rounds, and a report has "
        f"room for {PLAYERS:,} players and {ROUNDS} rounds. Export the games with ratinglist sql instead, or the "
        "events of another time control or federation."
    )


def _cells(games: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id``, ``start_number`` and ``cells``: ten columns for each round of the event."""
    numbers = players.select("event_id", "fide_id", "start_number")
    opponents = numbers.rename({"fide_id": "opponent_id", "start_number": "opponent"})
    result = pl.col("score_halves").replace_strict({0: "0", 1: "=", 2: "1"}, return_dtype=pl.String)
    number = pl.col("opponent").cast(pl.String).str.pad_start(4)
    played = (
        games.join(numbers, on=["event_id", "fide_id"])
        .join(opponents, on=["event_id", "opponent_id"])
        .select(
            *("event_id", "start_number", "round"),
            pl.concat_str(pl.lit("  "), number, pl.lit(" "), "colour", pl.lit(" "), result).alias("cell"),
        )
    )
    rounds = games.group_by("event_id").agg(pl.col("round").max().alias("rounds"))
    return (
        numbers.join(rounds, on="event_id", maintain_order="left")
        .select("event_id", "start_number", pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int32).alias("round"))
        .explode("round")
        .join(played, on=["event_id", "start_number", "round"], how="left", maintain_order="left")
        .group_by("event_id", "start_number", maintain_order=True)
        .agg(pl.col("cell").fill_null(" " * 10).str.join("").alias("cells"))
    )


def _lines(players: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id``, ``players`` (their lines), ``entrants`` and ``rated_entrants``."""
    blank = pl.lit(" ")
    sex = pl.col("sex").replace_strict({"M": "m", "F": "w"}, default=" ", return_dtype=pl.String)
    title = pl.when(pl.col("title") == "").then("women_title").otherwise("title").str.head(3)
    points = pl.format("{}.{}", pl.col("halves") // 2, pl.col("halves") % 2 * 5)
    line = pl.concat_str(
        *(pl.lit("001 "), pl.col("start_number").cast(pl.String).str.pad_start(4), blank, sex, title.str.pad_start(3)),
        *(blank, pl.col("name").str.pad_end(_NAME), blank),
        *(pl.col("rating").cast(pl.String).fill_null("").str.pad_start(4), blank),
        *(pl.col("federation").str.head(3).str.pad_end(3), blank),
        # The place of the birth stays blank.
        *(pl.col("fide_id").cast(pl.String).str.pad_start(11), pl.lit(" " * 11), points.str.pad_start(5), blank),
        *(pl.col("rank").cast(pl.String).str.pad_start(4), "cells"),
    ).str.strip_chars_end(" ")
    return (
        players.join(cells, on=["event_id", "start_number"], maintain_order="left")
        .group_by("event_id", maintain_order=True)
        .agg(
            pl.concat_str(line, pl.lit("\n")).str.join("").alias("player_lines"),
            pl.len().cast(pl.String).alias("entrants"),
            pl.col("rating").count().cast(pl.String).alias("rated_entrants"),
        )
    )


def _comments(players: pl.DataFrame, request: ExportRequest, *, has_thousandths: bool) -> pl.DataFrame:
    """Return ``event_id`` and ``comments``: a line for each player with the K and the change of the event."""
    places = 3 if has_thousandths else 2
    change, scale = pl.col("change") // 10 ** (3 - places), 10**places
    sign = pl.when(change < 0).then(pl.lit("-")).when(change > 0).then(pl.lit("+")).otherwise(pl.lit(""))
    fraction = (change.abs() % scale).cast(pl.String).str.pad_start(places, "0")
    text = pl.concat_str(sign, (change.abs() // scale).cast(pl.String), pl.lit("."), fraction)
    cells = (
        *(("start_number", 5), ("fide_id", 12), ("rating", 7), ("k", 4), ("rated_games", 6)),
        ("change", 10),
    )
    line = pl.concat_str(
        pl.lit("###"),
        *(
            (pl.when(pl.col("rated_games") > 0).then(text) if name == "change" else pl.col(name).cast(pl.String))
            .fill_null("-")
            .str.pad_start(width)
            for name, width in cells
        ),
        pl.lit("\n"),
    )
    head = (
        f"### Rated in the list of {request.period}: start number, FIDE ID, rating used, K, rated games, exact change\n"
    )
    return players.group_by("event_id", maintain_order=True).agg(
        pl.concat_str(pl.lit(head), line.str.join("")).first().alias("comments")
    )


def _round_dates(games: pl.DataFrame) -> pl.DataFrame:
    """Return ``event_id``, ``rounds`` and ``round_dates``: ten columns for each round, blank without a known day."""
    return (
        games.group_by("event_id")
        .agg(pl.col("round").max())
        .select(
            "event_id",
            pl.col("round").alias("rounds"),
            pl.int_ranges(1, pl.col("round") + 1, dtype=pl.Int32).alias("round"),
        )
        .explode("round")
        .join(games.group_by("event_id", "round").agg(pl.col("date").min()), on=["event_id", "round"], how="left")
        .sort("event_id", "round")
        .group_by("event_id", "rounds", maintain_order=True)
        .agg(pl.col("date").dt.to_string("%y/%m/%d").fill_null("").str.pad_end(10).str.join("").alias("round_dates"))
        .with_columns(pl.col("rounds").cast(pl.String), pl.col("round_dates").str.strip_chars_end(" "))
    )


def _file() -> pl.Expr:
    """Return the name of the file: a number, so that no two are one, and the event's code as far as a name holds it."""
    code = pl.col("event_id").str.replace_all(r"[^A-Za-z0-9._-]+", "-").str.head(_NAME_IN_FILE)
    return pl.format("{}-{}.trf", pl.col("number").cast(pl.String).str.pad_start(4, "0"), code).alias("file")


def _text() -> pl.Expr:
    """Return the report. A record without a known value is left out."""
    records = {
        "012": pl.when(pl.col("name").fill_null("") == "").then("event_id").otherwise("name"),
        "032": pl.col("federation"),
        "042": pl.col("start_date").dt.to_string("%Y/%m/%d"),
        "052": pl.col("end_date").dt.to_string("%Y/%m/%d"),
        "062": pl.col("entrants"),
        "072": pl.col("rated_entrants"),
        "092": _type(0),
        "132".ljust(_ROUND_DATES - 1): pl.col("round_dates"),
        "142": pl.col("rounds"),
        "192": _type(1),
    }
    known = [
        pl.when(value.fill_null("") != "")
        .then(pl.concat_str(pl.lit(f"{code} "), value, pl.lit("\n")))
        .otherwise(pl.lit(""))
        for code, value in records.items()
    ]
    return pl.concat_str(*known, "player_lines", "comments").alias("text")


def _type(at: int) -> pl.Expr:
    texts = {name: both[at] for name, both in _TYPES.items()}
    return pl.col("event_type").replace_strict(texts, default="", return_dtype=pl.String)
