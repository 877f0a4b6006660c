"""One report in TRF16 for each event of a delivery of tables, written from its rows.

The text depends on the values of an event's rows alone, never on their order or their place in the file: the same event
delivered again, among other events or in the other format, has the same bytes and so the same digest. What TRF16 has no
field for is in lines that begin with ``#``, which readers of reports skip: the date of a game whose round has several
dates, and every row of an event that is refused. Such an event has no player lines: its text is refused by any reader.

The officer has the table, and the text of a report made from it is only in ``HOME/reports``: so a player, a game and a
finding name the row and the column of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ratinglist.findings import finding, refuses
from ratinglist.limits import ROUNDS
from ratinglist.reports.games import PairedGames
from ratinglist.reports.trf import ParsedReports
from ratinglist.reports.trf_players import CELL_WIDTH, CELLS_START
from ratinglist.result_codes import POINT_HALVES
from ratinglist.tables import PAIRED_GAME, PLAYER_LINE
from ratinglist.text import FORBIDDEN_IN_NAME

_BLANKS = pl.Series([" " * (CELL_WIDTH * rounds) for rounds in range(ROUNDS + 1)])
_GAME_DATE = (
    r"(?m)^# date of round (?<round>[0-9]{1,3}): (?<white_id>[0-9]{1,11}) - (?<black_id>[0-9]{1,11}), "
    r"(?<game_date>[0-9]{4}-[0-9]{2}-[0-9]{2})$"
)
_MOST_POINT_HALVES = 199
"""The most half points that the four columns of a player's points can show."""
FORMAT = "table"
"""The ``report_format`` of an event that was delivered in tables."""


@dataclass(frozen=True, slots=True)
class EventPlayers:
    """The players and the results of the events of a delivery.

    ``players``: ``file_no``, ``start_number`` (by FIDE ID, from 1), ``fide_id`` and ``row``, the first row that names
    the player. ``cells``: ``file_no``, ``start_number``, ``round``, ``opponent`` (null: none), ``colour``, ``result``.
    ``games``: ``file_no``, ``round``, ``white_number`` and ``row`` of every row with a White.
    """

    players: pl.DataFrame
    cells: pl.DataFrame
    games: pl.DataFrame


def players_of(rows: pl.DataFrame) -> EventPlayers:
    """Return the players of the events; ``rows``: see :class:`~ratinglist.reports.table_games.TableGames`."""
    sides = [
        rows.select(
            *("file_no", "row", "round"),
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.when(pl.col(f"{other}_id").is_null()).then(pl.lit("-")).otherwise(pl.lit(own[0])).alias("colour"),
            pl.col(f"{own}_result").alias("result"),
        ).drop_nulls("fide_id")
        for own, other in (("white", "black"), ("black", "white"))
    ]
    both = pl.concat(sides)
    players = (
        both.group_by("file_no", "fide_id")
        .agg(pl.col("row").min())
        .sort("file_no", "fide_id")
        .with_columns((pl.int_range(pl.len(), dtype=pl.Int32).over("file_no") + 1).alias("start_number"))
    )
    numbers = players.select("file_no", "fide_id", "start_number")
    opponents = numbers.rename({"fide_id": "opponent_id", "start_number": "opponent"})
    cells = (
        both.join(numbers, on=["file_no", "fide_id"], how="left")
        .join(opponents, on=["file_no", "opponent_id"], how="left")
        .sort("file_no", "start_number", "round")
    )
    games = rows.join(
        numbers.rename({"fide_id": "white_id", "start_number": "white_number"}), on=["file_no", "white_id"]
    ).select("file_no", "round", "white_number", "row")
    return EventPlayers(players, cells.drop("row", "fide_id", "opponent_id"), games)


def texts(events: pl.DataFrame, rows: pl.DataFrame, refused: pl.DataFrame, found: EventPlayers) -> pl.DataFrame:
    """Return ``file_no`` and ``text``, lines ended by LF, of the ``events``.

    ``events``: see :class:`~ratinglist.reports.table_events.TableEvents`. ``rows``: the rows of their games that make
    cells. ``refused``: ``file_no`` and ``cells``, as one text, of the rows of refused events.
    """
    round_dates = _round_dates(rows)
    whole = events.select("file_no", "name", "federation", "start_date", "end_date")
    for part in (_date_lines(round_dates), _player_lines(found), _remarks(rows, refused, round_dates)):
        whole = whole.join(part, on="file_no", how="left", maintain_order="left")
    return whole.select(
        "file_no",
        pl.concat_str(
            _line("012", pl.col("name")),
            _line("032", pl.col("federation")),
            _line("042", pl.col("start_date").dt.to_string("%Y/%m/%d")),
            _line("052", pl.col("end_date").dt.to_string("%Y/%m/%d")),
            _line("062", pl.col("players").cast(pl.String)),
            pl.col("dates").fill_null(""),
            pl.col("player_lines").fill_null(""),
            pl.col("remarks").fill_null(""),
        ).alias("text"),
    )


def game_dates(delivered: pl.DataFrame) -> pl.DataFrame:
    """Return the dates of single games that reports state (``file_no``, ``text``), as :func:`texts` writes them.

    Out: ``file_no``, ``round``, ``white_id``, ``black_id`` and ``game_date``.
    """
    dated = delivered.filter(pl.col("text").str.contains("\n# date of round ", literal=True))
    lines = dated.select("file_no", pl.col("text").str.extract_all(_GAME_DATE).alias("line")).explode(
        "line", empty_as_null=False
    )
    fields = lines.select("file_no", pl.col("line").str.extract_groups(_GAME_DATE).alias("fields")).unnest("fields")
    return fields.select(
        "file_no",
        pl.col("round").cast(pl.Int32),
        pl.col("white_id").cast(pl.Int64),
        pl.col("black_id").cast(pl.Int64),
        pl.col("game_date").str.to_date("%Y-%m-%d", strict=False),
    ).unique(["file_no", "round", "white_id", "black_id"], keep="first", maintain_order=True)


def _line(code: str, value: pl.Expr) -> pl.Expr:
    """Return a line; none where ``value`` is null or empty."""
    return pl.when(value.fill_null("") != "").then(pl.format(f"{code} {{}}\n", value)).otherwise(pl.lit(""))


def _round_dates(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``round`` and ``round_date`` of the rounds of which all rows have the same date."""
    return (
        rows.group_by("file_no", "round")
        .agg(pl.col("date").first().alias("round_date"), pl.col("date").n_unique().alias("dates"))
        .filter((pl.col("dates") == 1) & pl.col("round_date").is_not_null())
        .select("file_no", "round", "round_date")
    )


def _date_lines(round_dates: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no`` and ``dates``: record 132, ten columns for each round."""
    before = pl.col("round").shift(1, fill_value=0).over("file_no")
    cells = round_dates.sort("file_no", "round").with_columns((pl.col("round") - before - 1).alias("blank_rounds"))
    blanks = _BLANKS.gather(cells["blank_rounds"]).alias("blank")
    cell = pl.concat_str("blank", pl.col("round_date").dt.to_string("%y/%m/%d  "))
    return (
        cells.with_columns(blanks)
        .group_by("file_no", maintain_order=True)
        .agg(cell.str.join("").str.strip_chars_end().alias("dates"))
        .with_columns(pl.concat_str(pl.lit("132".ljust(CELLS_START)), "dates", pl.lit("\n")).alias("dates"))
    )


def _player_lines(found: EventPlayers) -> pl.DataFrame:
    """Return ``file_no``, ``player_lines`` and ``players``, their number."""
    key = ["file_no", "start_number"]
    before = pl.col("round").shift(1, fill_value=0).over(key)
    cells = found.cells.with_columns(
        (pl.col("round") - before - 1).alias("blank_rounds"),
        pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32).alias("halves"),
        pl.concat_str(
            pl.col("opponent").cast(pl.String).fill_null("0000").str.pad_start(4),
            pl.lit(" "),
            "colour",
            pl.lit(" "),
            pl.col("result").str.pad_end(1),
            pl.lit("  "),
        ).alias("cell"),
    )
    blanks = _BLANKS.gather(cells["blank_rounds"]).alias("blank")
    tails = (
        cells.with_columns(blanks)
        .group_by(key, maintain_order=True)
        .agg(pl.concat_str("blank", "cell").str.join("").alias("cells"), pl.col("halves").sum())
    )
    points = pl.when(pl.col("halves") <= _MOST_POINT_HALVES).then(
        pl.format("{}.{}", pl.col("halves") // 2, pl.col("halves") % 2 * 5)
    )
    line = pl.concat_str(
        pl.lit("001 "),
        pl.col("start_number").cast(pl.String).str.pad_start(4),
        pl.lit(" " * 49),
        pl.col("fide_id").cast(pl.String).str.pad_start(11),
        pl.lit(" " * 12),
        points.fill_null("").str.pad_start(4),
        pl.lit(" " * 7),
        "cells",
        pl.lit("\n"),
    )
    return (
        found.players.join(tails, on=key, how="left", maintain_order="left")
        .select("file_no", line.alias("line"))
        .group_by("file_no", maintain_order=True)
        .agg(pl.col("line").str.join("").alias("player_lines"), pl.len().alias("players"))
    )


def _remarks(rows: pl.DataFrame, refused: pl.DataFrame, round_dates: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no`` and ``remarks``: the dates of rounds on several days, and the rows that are refused."""
    dated = rows.join(round_dates, on=["file_no", "round"], how="anti").drop_nulls("date")
    ids = [pl.col(f"{side}_id").cast(pl.String).fill_null("") for side in ("white", "black")]
    dates = pl.concat_str(
        pl.lit("date of round "), pl.col("round"), pl.lit(": "), ids[0], pl.lit(" - "), ids[1], pl.lit(", "), "date"
    )
    refusals = pl.concat_str(pl.lit("refused: "), pl.col("cells").str.replace_all(FORBIDDEN_IN_NAME, "\ufffd"))
    remarks = pl.concat(
        [dated.select("file_no", dates.alias("remark")), refused.select("file_no", refusals.alias("remark"))]
    )
    line = pl.concat_str(pl.lit("# "), "remark", pl.lit("\n"))
    return remarks.group_by("file_no").agg(line.sort().str.join("").alias("remarks"))


@dataclass(frozen=True, slots=True)
class RowsOfReports:
    """Where the players and games of a batch of reports are in the table of games.

    ``players``: ``file_no``, ``start_number`` and ``row``. ``games``: ``file_no``, ``round``, ``white_number`` and
    ``row``. ``names``: ``file_no`` and ``name`` of every event, which a text without players does not give.
    """

    players: pl.DataFrame
    games: pl.DataFrame
    names: pl.DataFrame


def replace_lines(parsed: ParsedReports, paired: PairedGames, rows: RowsOfReports) -> tuple[ParsedReports, PairedGames]:
    """Return what was parsed with rows for lines.

    The rows were judged already (:mod:`~ratinglist.reports.table_games`). So of the findings of the text only those
    count that are on the event as a whole and on no line; that the text has no players or no arbiter is none of them.
    """
    players = parsed.players.drop("line").join(
        rows.players.rename({"row": "line"}), on=["file_no", "start_number"], how="left", maintain_order="left"
    )
    games = paired.games.drop("white_line", "black_line").join(
        rows.games.with_columns(pl.col("row").alias("white_line"), pl.col("row").alias("black_line")).drop("row"),
        on=["file_no", "round", "white_number"],
        how="left",
        maintain_order="left",
    )
    header = (
        parsed.header.join(rows.names, on="file_no", how="left", suffix="_in_table", maintain_order="left")
        .with_columns(pl.coalesce("name", "name_in_table").alias("name"), pl.lit(FORMAT).alias("report_format"))
        .drop("name_in_table")
    )
    of_event = [rule for rule in parsed.findings["rule"].unique() if refuses(rule) and rule != "not_a_report"]
    findings = parsed.findings.filter(pl.col("rule").is_in(of_event)).with_columns(
        pl.lit(None, pl.Int32).alias("line"), pl.lit(None, pl.Int32).alias("column")
    )
    return (
        replace(parsed, header=header, players=PLAYER_LINE.conform(players), findings=findings),
        replace(paired, games=PAIRED_GAME.conform(games), findings=finding("opponent_self", games.clear())),
    )
