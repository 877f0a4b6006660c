"""Write reports as text, TRF16 and TRF26 in turn, and the manifest with the facts that a report lacks."""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.events import round_day
from ratinglist.simulation.player_lines import bye_lines, player_lines, reported_cells, team_lines

MANIFEST_COLUMNS = (
    *("file", "event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)
_TYPES = {
    "swiss": ("Individual: Swiss System", "FIDE_DUTCH"),
    "italian_swiss": ("Individual: Italian-Swiss System", "CUSTOM_SWISS"),
    "round_robin": ("Individual: Round Robin", "FIDE_ROUNDROBIN"),
    "double_round_robin": ("Individual: Double Round Robin", "FIDE_DOUBLEROUNDROBIN"),
    "team": ("Team: Round Robin", "FIDE_TEAM_ROUNDROBIN"),
    "match": ("Individual: Match", "CUSTOM_ROUNDROBIN"),
}
"""Records 092 and 192. The code is one of FIDE's table of tournament types, which names no match of two players."""
_ROUND_DATES = 91


def manifest(due: pl.DataFrame) -> pl.DataFrame:
    """Return the manifest of the reports ``due`` (deliveries with the columns of their events).

    The columns are :data:`MANIFEST_COLUMNS`. A TRF26 report contains its time control and thinking time, so they are
    empty in the manifest.
    """
    is_trf16 = ~pl.col("is_trf26")
    return due.select(
        *("file", "event_id", "version", "received_on", "event_type"),
        pl.when(is_trf16).then("time_control").alias("time_control"),
        pl.col("official").cast(pl.Int32),
        *("federation", "start_date", "end_date", "registered_on"),
        pl.when(is_trf16).then("minutes").alias("minutes_per_60_moves"),
    )


def report_texts(due: pl.DataFrame, entrants: pl.DataFrame, cells: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return ``delivery`` and ``text`` (lines ended by LF) of the reports ``due``, sorted by ``delivery``.

    ``due``: deliveries numbered by ``delivery``, with the columns of their events; the others as in
    :mod:`ratinglist.simulation.player_lines`.
    """
    reported = reported_cells(due, cells)
    players = player_lines(due, entrants, reported, seed)
    body = players.group_by("delivery", maintain_order=True).agg(
        pl.concat_str("line", pl.lit("\n")).str.join("").alias("players"), pl.len().alias("lines")
    )
    rated = (
        due.select("delivery", "event_no")
        .join(entrants.group_by("event_no").agg(pl.col("rating").count().alias("rated")), on="event_no")
        .select("delivery", "rated")
    )
    whole = due
    for part in (
        body,
        rated,
        _round_dates(due),
        team_lines(due, entrants, reported).rename({"lines": "team_lines"}),
        bye_lines(due, reported).rename({"lines": "bye_lines"}),
    ):
        whole = whole.join(part, on="delivery", how="left", maintain_order="left")
    text = _text()
    trimmed = pl.when("is_trimmed").then(text.str.replace_all("(?m) +$", "")).otherwise(text)
    return whole.select("delivery", trimmed.alias("text")).sort("delivery")


def _text() -> pl.Expr:
    newer = pl.col("is_trf26")
    return pl.concat_str(
        *_lines("012", "name"),
        *_lines("022", "city"),
        *_lines("032", "federation"),
        *_lines("042", pl.col("start_date").dt.to_string("%Y/%m/%d")),
        *_lines("052", pl.col("end_date").dt.to_string("%Y/%m/%d")),
        *_lines("062", pl.col("lines").cast(pl.String)),
        *_lines("072", pl.col("rated").cast(pl.String)),
        *_lines("082", pl.col("teams").cast(pl.String)),
        *_lines("092", _type(0)),
        *_lines("102", "arbiter"),
        *_lines("122", pl.format("{} minutes for 60 moves", "minutes")),
        *(pl.lit("132".ljust(_ROUND_DATES)), "round_dates", pl.lit("\n")),
        pl.when(newer).then(_coded()).otherwise(pl.concat_str(*_lines("XXR", pl.col("rounds").cast(pl.String)))),
        pl.when(newer).then(pl.col("bye_lines").fill_null("")).otherwise(pl.lit("")),
        "players",
        pl.col("team_lines").fill_null(""),
    )


def _coded() -> pl.Expr:
    """Return the lines that only TRF26 has."""
    points = pl.when(pl.col("teams") > 0).then(pl.lit("362 TW 2.0   TD 1.0   TL 0.0\n")).otherwise(pl.lit(""))
    return pl.concat_str(
        *_lines("142", pl.col("rounds").cast(pl.String)),
        *_lines("152", pl.lit("W")),
        *_lines("192", _type(1)),
        *_lines("222", "clock"),
        points,
    )


def _lines(code: str, value: str | pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    return pl.lit(f"{code} "), pl.col(value) if isinstance(value, str) else value, pl.lit("\n")


def _type(at: int) -> pl.Expr:
    return pl.col("system").replace_strict({name: texts[at] for name, texts in _TYPES.items()})


def _round_dates(due: pl.DataFrame) -> pl.DataFrame:
    """Return ``delivery`` and ``round_dates``: a date for every round up to the last one reported, ten columns each.

    The rounds of an earlier part of the event are blank.
    """
    day = (pl.col("begins_on") + pl.duration(days=round_day(pl.col("round")))).cast(pl.Date)
    return (
        due.select(
            *("delivery", "begins_on", "is_long", "days", "rounds", "first_round"),
            pl.int_ranges(1, pl.col("last_round") + 1, dtype=pl.Int64).alias("round"),
        )
        .explode("round")
        .with_columns(
            pl.when(pl.col("round") >= pl.col("first_round"))
            .then(day.dt.to_string("%y/%m/%d  "))
            .otherwise(pl.lit(" " * 10))
            .alias("round_dates")
        )
        .group_by("delivery", maintain_order=True)
        .agg(pl.col("round_dates").str.join("").str.strip_chars_end())
    )
