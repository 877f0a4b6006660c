"""The rows of a table of games: which cells can be understood, what each row means, and what is wrong with it.

A row has the results of both players, as the two lines of a TRF report have them, and is judged by the same rules
(:mod:`~ratinglist.reports.games`). A row with one player is a bye, an absence or a forfeit without opponent.

The rows are read some hundred thousand at once, and of each only its values are kept: whole numbers, a day, two result
codes. So a table of millions of rows takes some hundred megabytes, whatever its cells hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import FINDINGS_PER_RULE, finding, limit_per_rule
from ratinglist.limits import PLAYERS, ROUNDS, TABLE_EVENT_ROWS, TABLE_EVENTS, TABLE_WRONG_ROWS
from ratinglist.reports import table_events
from ratinglist.reports.games import disagreements, pairs_repeated, verdicts_of_rows
from ratinglist.reports.table_events import TableCells, UnreadableTableError, day_first_turned, shown
from ratinglist.result_codes import PLAYED, POINT_HALVES

REQUIRED: Final = ("event_id", "round", "white_id", "black_id", "white_result", "black_result")
OPTIONAL: Final = ("date",)
SIDES: Final = ("white", "black")
ALLOWED: Final = {
    "round": f"a whole number from 1 to {ROUNDS}",
    "date": "YYYY-MM-DD, from 1970 to 2099, or blank",
    "white_id": "digits of a FIDE ID, or blank for a bye of Black",
    "black_id": "digits of a FIDE ID, or blank for a bye of White",
    "white_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
    "black_result": "1 = 0 + - W D L H F U Z or blank; = is a draw",
}
"""What the cells of every column but ``event_id`` may hold."""
_YEAR: Final = "(?:19[7-9][0-9]|20[0-9]{2})"
_DAY: Final = rf"^(?:{_YEAR}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}\.[0-9]{{1,2}}\.{_YEAR})$"
_MOST_ID: Final = 10**11 - 1
"""The greatest number that the eleven columns of a FIDE ID hold."""
_RESULT: Final = pl.Enum(["", *(code for code in POINT_HALVES if code)])
_ROWS_AT_ONCE: Final = 100_000
"""Rows that are judged at once, if no event has more."""


@dataclass(frozen=True, slots=True)
class TableValues:
    """The rows of a table of games, before it is known which event each is of.

    ``codes``: the registration codes in it; ``code_no`` is a place in it. ``rows``: ``code_no``, ``row``, ``round``,
    ``date``, ``white_id``, ``black_id`` (null: none), ``white_result``, ``black_result`` of the rows whose cells can be
    understood, in their order. ``wrong``: ``code_no``, ``row`` and the text of every column of the first rows of each
    event with a cell that cannot, and by column ``is_wrong_...``. ``wrong_cells``: ``code_no`` and ``cells``: how many
    there are. ``broken``: ``code_no``, ``row`` and ``cells`` of the lines that do not fit the header.
    ``name``, ``numbers``, ``width``, ``notes``: of :class:`~ratinglist.reports.table_cells.TableCells`.
    """

    name: str
    numbers: dict[str, int]
    width: int
    notes: tuple[str, ...]
    codes: pl.Series
    rows: pl.DataFrame
    wrong: pl.DataFrame
    wrong_cells: pl.DataFrame
    broken: pl.DataFrame


def read_values(slices: Iterable[TableCells]) -> TableValues:
    """Read the rows of a table of games.

    Raises :class:`UnreadableTableError` for more than :data:`~ratinglist.limits.TABLE_WRONG_ROWS` rows with a cell that
    cannot be understood, and for more than :data:`~ratinglist.limits.TABLE_EVENTS` events.
    """
    codes = pl.DataFrame(schema={"code": pl.String, "code_no": pl.Int32})
    parts: dict[str, list[pl.DataFrame]] = {"rows": [], "wrong": [], "wrong_cells": [], "broken": []}
    first = ""
    wrong_rows = 0
    for cells in slices:
        rows, broken = (frame.with_columns(table_events.code().alias("code")) for frame in (cells.rows, cells.broken))
        codes = _with_codes(codes, pl.concat([rows["code"], broken["code"]]), cells.name)
        rows, broken = (_numbered(frame, codes) for frame in (rows, broken))
        valued = rows.with_columns(_no_player()).with_columns(_values()).with_columns(_is_wrong())
        is_wrong = pl.any_horizontal(f"is_wrong_{name}" for name in ALLOWED)
        wrong = valued.filter(is_wrong)
        wrong_rows += wrong.height
        first = first or _first_wrong(cells, wrong)
        if wrong_rows > TABLE_WRONG_ROWS:
            raise UnreadableTableError(
                f"{cells.name} has more than {TABLE_WRONG_ROWS:,} rows with a cell that cannot be understood, the "
                f"first in {first}. Correct the table, and deliver it again."
            )
        parts["rows"].append(valued.filter(~is_wrong).select(_kept_values()))
        parts["wrong"].append(_first_rows(wrong))
        parts["wrong_cells"].append(_number_of_cells(wrong))
        parts["broken"].append(broken.select("code_no", "row", "cells"))
    frames = {name: pl.concat(some) for name, some in parts.items()}
    return TableValues(cells.name, cells.numbers, cells.width, cells.notes, codes["code"], **frames)


def _with_codes(codes: pl.DataFrame, found: pl.Series, name: str) -> pl.DataFrame:
    """Return ``code`` and ``code_no`` of the codes of the rows before and of those ``found``."""
    new = (
        found.unique(maintain_order=True)
        .alias("code")
        .to_frame()
        .join(codes, on="code", how="anti", maintain_order="left")
    )
    numbered = new.with_columns(pl.int_range(codes.height, codes.height + pl.len(), dtype=pl.Int32).alias("code_no"))
    if codes.height + new.height > TABLE_EVENTS:
        raise UnreadableTableError(f"{name} has more than {TABLE_EVENTS} events. Deliver the events in several parts.")
    return pl.concat([codes, numbered])


def _numbered(rows: pl.DataFrame, codes: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the number of the code of each."""
    return rows.join(codes, on="code", how="left", maintain_order="left")


def _no_player() -> list[pl.Expr]:
    """Return the IDs, blank where a cell says that there is no player."""
    return [pl.col(f"{side}_id").replace(["0", "0000", "0.0"], "") for side in SIDES]


def _values() -> list[pl.Expr]:
    """Return the value of every cell; null where it is blank or cannot be understood."""

    def number(name: str, most: int) -> pl.Expr:
        # A whole number in a column with missing values is written as a fraction by many programs.
        value = pl.col(name).str.strip_suffix(".0").cast(pl.Int64, strict=False)
        has_sign = pl.col(name).str.starts_with("+")
        return pl.when(value.is_between(1, most) & ~has_sign).then(value).alias(f"{name}_value")

    results = [pl.col(f"{side}_result").str.to_uppercase() for side in SIDES]
    return [
        number("round", ROUNDS).cast(pl.Int32),
        pl.when(pl.col("date").str.contains(_DAY))
        .then(day_first_turned("date").str.to_date("%Y-%m-%d", strict=False))
        .alias("date_value"),
        *(number(name, _MOST_ID) for name in ("white_id", "black_id")),
        *(
            pl.when(result.is_in(list(POINT_HALVES))).then(result).alias(f"{side}_result_value")
            for side, result in zip(SIDES, results, strict=True)
        ),
    ]


def _is_wrong() -> list[pl.Expr]:
    """Return of every column whether its cell cannot be understood."""
    return [
        (pl.col(f"{name}_value").is_null() & ((pl.col(name) != "") | (pl.lit(name) == "round"))).alias(
            f"is_wrong_{name}"
        )
        for name in ALLOWED
    ]


def _kept_values() -> list[pl.Expr]:
    return [
        pl.col("code_no"),
        pl.col("row"),
        *(pl.col(f"{name}_value").alias(name) for name in ALLOWED if not name.endswith("result")),
        *(pl.col(f"{side}_result_value").fill_null("").cast(_RESULT).alias(f"{side}_result") for side in SIDES),
    ]


def _first_rows(wrong: pl.DataFrame) -> pl.DataFrame:
    """Return the first wrong rows of each event: more are not shown."""
    first = wrong.filter(pl.int_range(pl.len()).over("code_no") < FINDINGS_PER_RULE)
    return first.select("code_no", "row", *ALLOWED, *(f"is_wrong_{name}" for name in ALLOWED))


def _number_of_cells(wrong: pl.DataFrame) -> pl.DataFrame:
    cells = pl.sum_horizontal(pl.col(f"is_wrong_{name}").sum() for name in ALLOWED).cast(pl.Int64)
    return wrong.group_by("code_no").agg(cells.alias("cells"))


def _first_wrong(table: TableCells, wrong: pl.DataFrame) -> str:
    """Return the place, the text and the rule of the first wrong cell; empty where there is none."""
    if wrong.is_empty():
        return ""
    first = wrong.row(0, named=True)
    name = next(name for name in ALLOWED if first[f"is_wrong_{name}"])
    text = wrong.head(1).select(table_events.shown(pl.col(name))).item()
    return f"row {first['row']}, column {table.numbers.get(name, 0)}: '{text}' as {name} (allowed: {ALLOWED[name]})"


@dataclass(frozen=True, slots=True)
class TableGames:
    """The rows of a table of games.

    ``rows``: ``file_no`` and the columns of ``TableValues.rows`` but ``code_no``. ``findings``:
    :data:`~ratinglist.tables.FILE_FINDING`, ``line`` the row and ``column`` the column of the file, limited for each
    event and rule.
    """

    rows: pl.DataFrame
    findings: pl.DataFrame


def read(table: TableValues, numbers: pl.DataFrame) -> TableGames:
    """Judge the rows of the table of games.

    ``numbers``: ``file_no`` of each registration ``code``; all codes are in it.
    """
    file_no = (
        table.codes.alias("code").to_frame().join(numbers, on="code", how="left", maintain_order="left")["file_no"]
    )
    rows, wrong, wrong_cells, broken = (
        frame.select(file_no.gather(frame["code_no"]).alias("file_no"), pl.exclude("code_no"))
        for frame in (table.rows, table.wrong, table.wrong_cells, table.broken)
    )
    sizes = pl.concat([rows["file_no"], wrong["file_no"], broken["file_no"]]).value_counts(name="rows").sort("file_no")
    is_large = pl.col("rows") > TABLE_EVENT_ROWS
    large = finding("event_too_large", sizes.filter(is_large), value=pl.col("rows"), detail=pl.lit(TABLE_EVENT_ROWS))
    findings = [
        limit_per_rule(_findings(table, *(frame.filter(some) for frame in (rows, wrong, wrong_cells, broken))))
        for some in _some_events(sizes.filter(~is_large))
    ]
    return TableGames(rows, pl.concat([large, *findings]))


def _some_events(sizes: pl.DataFrame) -> Iterator[pl.Expr]:
    """Yield conditions that each hold for the rows of some events, and together for all in ``sizes``.

    ``sizes``: ``file_no``, in its order, and ``rows``.
    """
    parts = sizes.group_by(pl.col("rows").cum_sum() // _ROWS_AT_ONCE).agg("file_no")
    for some in parts["file_no"]:
        yield pl.col("file_no").is_in(some.implode())


def _findings(
    table: TableValues, rows: pl.DataFrame, wrong: pl.DataFrame, wrong_cells: pl.DataFrame, broken: pl.DataFrame
) -> pl.DataFrame:
    """Return what is wrong with the rows of some events."""
    column = table.numbers
    valued = rows.with_columns(pl.col(f"{side}_result").cast(pl.String) for side in SIDES)
    return pl.concat(
        [
            _broken(table, broken),
            _unreadable(wrong, wrong_cells, column),
            _without_players(valued, column),
            *_selves_and_singles(valued, column),
            _judged(valued, column),
            _second_in_round(valued, column),
            _pairs_repeated(valued),
            _allocated_twice(valued),
            _too_many_players(valued),
        ]
    )


def _broken(table: TableValues, rows: pl.DataFrame) -> pl.DataFrame:
    cells = pl.col("cells").cast(pl.String).fill_null("a misplaced quotation mark in its")
    return finding("game_row", rows, line=pl.col("row"), value=cells, detail=pl.lit(table.width))


def _unreadable(wrong: pl.DataFrame, wrong_cells: pl.DataFrame, column: dict[str, int]) -> pl.DataFrame:
    """Return the findings of the first cells of each event that cannot be understood, and how many more it has.

    They are not made for every cell, because a table may have millions of such cells.
    """
    found = pl.concat(
        finding(
            "game_value",
            wrong.filter(f"is_wrong_{name}"),
            line=pl.col("row"),
            column=column.get(name),
            value=shown(pl.col(name)),
            detail=pl.lit(f"{name} (allowed: {allowed})"),
        )
        for name, allowed in ALLOWED.items()
    )
    found = found.sort("file_no", "line", "column").filter(pl.int_range(pl.len()).over("file_no") < FINDINGS_PER_RULE)
    cells = wrong_cells.group_by("file_no").agg(pl.col("cells").sum())
    more = finding(
        "more_findings",
        cells.filter(pl.col("cells") > FINDINGS_PER_RULE),
        value=pl.col("cells") - FINDINGS_PER_RULE,
        detail=pl.lit("game_value"),
    )
    return pl.concat([found, more])


def _without_players(rows: pl.DataFrame, column: dict[str, int]) -> pl.DataFrame:
    neither = rows.filter(pl.col("white_id").is_null() & pl.col("black_id").is_null())
    return finding("game_without_players", neither, line=pl.col("row"), column=column["white_id"])


def _selves_and_singles(rows: pl.DataFrame, column: dict[str, int]) -> list[pl.DataFrame]:
    """Return the findings of rows whose players are one, and of games played that have one player."""
    selves = rows.filter(pl.col("white_id") == pl.col("black_id"))
    single = rows.filter(pl.col("white_id").is_null() != pl.col("black_id").is_null())
    return [
        finding(
            "opponent_self",
            selves,
            line=pl.col("row"),
            column=column["black_id"],
            value=pl.col("black_id"),
            detail=pl.col("round"),
        ),
        *(
            finding(
                "opponent_missing",
                single.filter(pl.col(f"{side}_result").is_in(PLAYED)),
                line=pl.col("row"),
                column=column[f"{side}_result"],
                value=pl.col(f"{side}_result"),
                detail=pl.col("round"),
            )
            for side in SIDES
        ),
    ]


def _judged(rows: pl.DataFrame, column: dict[str, int]) -> pl.DataFrame:
    """Return the findings of rows whose two results do not make a game or an agreed forfeit."""
    broken = verdicts_of_rows().filter(~pl.col("verdict").is_in(["", "unplayed", "?"]))
    pairs = rows.filter(pl.col("white_id") != pl.col("black_id")).select(
        *("file_no", "round", pl.col("row").alias("line"), pl.col("row").alias("line_b")),
        *(pl.col("white_id").alias("start_number"), pl.col("black_id").alias("start_number_b")),
        *(pl.lit("w").alias("colour"), pl.lit("b").alias("colour_b")),
        *(pl.col("white_result").alias("code"), pl.col("black_result").alias("code_b")),
        # A cell of a TRF report has its result in the eighth column.
        *(pl.lit(column["white_result"] - 7).alias("column"), pl.lit(column["black_result"] - 7).alias("column_b")),
    )
    return disagreements(pairs.join(broken, on=["code", "code_b"]))


def _second_in_round(rows: pl.DataFrame, column: dict[str, int]) -> pl.DataFrame:
    """Return a finding for every further row of a player in a round."""
    sides = {
        "white_id": rows,
        # A player against themselves is another finding.
        "black_id": rows.filter(pl.col("black_id").ne_missing(pl.col("white_id"))),
    }
    places = pl.concat(
        some.select("file_no", "row", "round", pl.col(name).alias("fide_id"), pl.lit(column[name]).alias("column"))
        for name, some in sides.items()
    ).drop_nulls("fide_id")
    key = ["file_no", "round", "fide_id"]
    # Nearly always there are none.
    hashes = places.select(pl.struct(key).hash()).to_series()
    doubtful = places.clear() if hashes.n_unique() == len(hashes) else places.filter(hashes.is_duplicated())
    again = doubtful.with_columns(pl.col("row").min().over(key).alias("first_row")).filter(
        pl.col("row") > pl.col("first_row")
    )
    return finding(
        "game_second_in_round",
        again,
        line=pl.col("row"),
        column=pl.col("column"),
        value=pl.col("fide_id"),
        detail=pl.format("round {}: the first is in row {}", "round", "first_row"),
    )


def _pairs_repeated(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a note for each two players with more than one game: correct in a double round robin, rare elsewhere."""
    games = rows.filter(pl.col("white_result").is_in(PLAYED) & pl.col("black_result").is_in(PLAYED)).select(
        *("file_no", "round", pl.col("row").alias("line")),
        pl.min_horizontal("white_id", "black_id").alias("low"),
        pl.max_horizontal("white_id", "black_id").alias("high"),
    )
    hashes = games.select(pl.struct("file_no", "low", "high").hash()).to_series()
    return pairs_repeated(games.clear() if hashes.n_unique() == len(hashes) else games.filter(hashes.is_duplicated()))


def _allocated_twice(rows: pl.DataFrame) -> pl.DataFrame:
    byes = pl.concat(rows.filter(pl.col(f"{side}_result") == "U").select("file_no", "round", "row") for side in SIDES)
    rounds = byes.group_by("file_no", "round").agg(pl.col("row").max(), pl.len()).filter(pl.col("len") > 1)
    return finding("bye_allocated_twice", rounds, line=pl.col("row"), value=pl.col("round"), detail=pl.col("len"))


def _too_many_players(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a refusal of events with more players than a report can have, in which each has four digits."""
    large = rows.group_by("file_no").len().filter(pl.col("len") * 2 > PLAYERS).select("file_no")
    ids = [rows.join(large, on="file_no", how="semi").select("file_no", fide_id=f"{side}_id") for side in SIDES]
    players = pl.concat(ids).drop_nulls().group_by("file_no").agg(pl.col("fide_id").n_unique().alias("players"))
    return finding(
        "too_many_players",
        players.filter(pl.col("players") > PLAYERS),
        value=pl.col("players"),
        detail=pl.lit(PLAYERS),
    )
