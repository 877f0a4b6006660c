"""The rows of a table of games: what each row means, and what is wrong with it.

A row has the results of both players, as the two lines of a TRF report have them, and is judged by the same rules
(:mod:`~ratinglist.reports.pairings`). A row with one player is a bye, an absence or a forfeit without opponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import FINDINGS_PER_RULE, finding
from ratinglist.limits import PLAYERS, ROUNDS, TABLE_WRONG_ROWS
from ratinglist.reports.delivered_table import TableCells, UnreadableTableError
from ratinglist.reports.pairings import disagreements, verdicts_of_rows
from ratinglist.reports.table_events import shown
from ratinglist.result_codes import PLAYED, POINT_HALVES

REQUIRED: Final = ("event_id", "round", "white_id", "black_id", "white_result", "black_result")
OPTIONAL: Final = ("date",)
_SIDES: Final = ("white", "black")
ALLOWED: Final = {
    "round": f"a whole number from 1 to {ROUNDS}",
    "date": "YYYY-MM-DD, from 1970 to 2099, or blank",
    "white_id": "digits of a FIDE ID, or blank for a bye of Black",
    "black_id": "digits of a FIDE ID, or blank for a bye of White",
    "white_result": "1 = 0 + - W D L H F U Z or blank",
    "black_result": "1 = 0 + - W D L H F U Z or blank",
}
"""What the cells of every column but ``event_id`` may hold."""
_DAY: Final = r"^(?:19[7-9][0-9]|20[0-9]{2})-[0-9]{2}-[0-9]{2}$"
_MOST_ID: Final = 10**11 - 1
"""The greatest number that the eleven columns of a FIDE ID hold."""


@dataclass(frozen=True, slots=True)
class TableGames:
    """The rows of a table of games.

    ``rows``: ``file_no``, ``row``, ``round``, ``date``, ``white_id``, ``black_id`` (null: none), ``white_result``,
    ``black_result`` of the rows whose cells can be understood. ``findings``: :data:`~ratinglist.schemas.FILE_FINDING`,
    ``line`` the row and ``column`` the column of the file.
    """

    rows: pl.DataFrame
    findings: pl.DataFrame


def read(table: TableCells, numbers: pl.DataFrame) -> TableGames:
    """Read the rows of the table of games.

    ``numbers``: ``file_no`` of each registration ``code``, which the rows have as ``code`` (all codes are in it).
    Raises :class:`UnreadableTableError` for more than :data:`~ratinglist.limits.TABLE_WRONG_ROWS` rows with a cell that
    cannot be understood.
    """
    coded = table.rows.join(numbers, on="code", how="left", maintain_order="left")
    no_player = [pl.col(name).replace(["0", "0000", "0.0"], "") for name in ("white_id", "black_id")]
    rows = coded.with_columns(*no_player).with_columns(*_values())
    is_wrong = pl.any_horizontal(_wrong_cells().values())
    wrong, valued = rows.filter(is_wrong), rows.filter(~is_wrong)
    _check_number(table, wrong)
    valued = valued.select(
        "file_no",
        "row",
        *(pl.col(f"{name}_value").alias(name) for name in ALLOWED if not name.endswith("result")),
        *(pl.col(f"{side}_result_value").fill_null("").alias(f"{side}_result") for side in _SIDES),
    )
    column = table.numbers
    findings = pl.concat(
        [
            _broken(table, numbers),
            _unreadable(wrong, column),
            _without_players(valued, column),
            *_selves_and_singles(valued, column),
            _judged(valued, column),
            _second_in_round(valued, column),
            _pairs_repeated(valued),
            _allocated_twice(valued),
            _too_many_players(valued),
        ]
    )
    return TableGames(valued, findings)


def _values() -> list[pl.Expr]:
    """Return the value of every cell; null where it is blank or cannot be understood."""

    def number(name: str, most: int) -> pl.Expr:
        # A whole number in a column with missing values is written as a fraction by many programs.
        value = pl.col(name).str.strip_suffix(".0").cast(pl.Int64, strict=False)
        return pl.when(value.is_between(1, most)).then(value).alias(f"{name}_value")

    results = [pl.col(f"{side}_result").str.to_uppercase() for side in _SIDES]
    return [
        number("round", ROUNDS).cast(pl.Int32),
        pl.when(pl.col("date").str.contains(_DAY))
        .then(pl.col("date").str.to_date("%Y-%m-%d", strict=False))
        .alias("date_value"),
        *(number(name, _MOST_ID) for name in ("white_id", "black_id")),
        *(
            pl.when(result.is_in(list(POINT_HALVES))).then(result).alias(f"{side}_result_value")
            for side, result in zip(_SIDES, results, strict=True)
        ),
    ]


def _broken(table: TableCells, numbers: pl.DataFrame) -> pl.DataFrame:
    rows = table.broken.join(numbers, on="code")
    cells = pl.col("cells").cast(pl.String).fill_null("an open quotation mark in its")
    return finding("game_row", rows, line=pl.col("row"), value=cells, detail=pl.lit(table.width))


def _wrong_cells() -> dict[str, pl.Expr]:
    """Return, by column, whether its cell cannot be understood."""
    return {
        name: pl.col(f"{name}_value").is_null() & ((pl.col(name) != "") | (pl.lit(name) == "round")) for name in ALLOWED
    }


def _check_number(table: TableCells, wrong: pl.DataFrame) -> None:
    """Raise :class:`UnreadableTableError` where more rows are wrong than single events can explain."""
    if len(wrong) <= TABLE_WRONG_ROWS:
        return
    first = wrong.head(1)
    name = next(name for name, one in _wrong_cells().items() if first.select(one).item())
    raise UnreadableTableError(
        f"{table.name} has {len(wrong):,} rows with a cell that cannot be understood, the first in row "
        f"{first['row'].item()}, column {table.numbers.get(name, 0)}: '{first.select(shown(pl.col(name))).item()}' as "
        f"{name} (allowed: {ALLOWED[name]}). Correct the table, and deliver it again."
    )


def _unreadable(wrong: pl.DataFrame, column: dict[str, int]) -> pl.DataFrame:
    """Return the findings of the first cells of each event that cannot be understood, and how many more it has.

    They are not made for every cell, because a table may have millions of such cells. ``wrong``: in the order of rows;
    each has such a cell.
    """
    is_wrong = _wrong_cells()
    cells = wrong.group_by("file_no").agg(pl.sum_horizontal(one.sum() for one in is_wrong.values()).alias("cells"))
    first = wrong.filter(pl.int_range(pl.len()).over("file_no") < FINDINGS_PER_RULE)
    found = pl.concat(
        finding(
            "game_value",
            first.filter(is_wrong[name]),
            line=pl.col("row"),
            column=column.get(name),
            value=shown(pl.col(name)),
            detail=pl.lit(f"{name} (allowed: {allowed})"),
        )
        for name, allowed in ALLOWED.items()
    )
    found = found.sort("file_no", "line", "column").filter(pl.int_range(pl.len()).over("file_no") < FINDINGS_PER_RULE)
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
            for side in _SIDES
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
        *("file_no", "row", "round"),
        pl.min_horizontal("white_id", "black_id").alias("low"),
        pl.max_horizontal("white_id", "black_id").alias("high"),
    )
    hashes = games.select(pl.struct("file_no", "low", "high").hash()).to_series()
    doubtful = games.clear() if hashes.n_unique() == len(hashes) else games.filter(hashes.is_duplicated())
    pairs = (
        doubtful.group_by("file_no", "low", "high")
        .agg(pl.col("round").sort(), pl.col("row").min(), pl.len())
        .filter(pl.col("len") > 1)
    )
    return finding(
        "pair_repeated",
        pairs,
        line=pl.col("row"),
        value=pl.format("{} and {}", "low", "high"),
        detail=pl.format("rounds {}", pl.col("round").cast(pl.List(pl.String)).list.join(", ")),
    )


def _allocated_twice(rows: pl.DataFrame) -> pl.DataFrame:
    byes = pl.concat(rows.filter(pl.col(f"{side}_result") == "U").select("file_no", "round", "row") for side in _SIDES)
    rounds = byes.group_by("file_no", "round").agg(pl.col("row").max(), pl.len()).filter(pl.col("len") > 1)
    return finding("bye_allocated_twice", rounds, line=pl.col("row"), value=pl.col("round"), detail=pl.col("len"))


def _too_many_players(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a refusal of events with more players than a report can have, in which each has four digits."""
    large = rows.group_by("file_no").len().filter(pl.col("len") * 2 > PLAYERS).select("file_no")
    ids = [rows.join(large, on="file_no", how="semi").select("file_no", fide_id=f"{side}_id") for side in _SIDES]
    players = pl.concat(ids).drop_nulls().group_by("file_no").agg(pl.col("fide_id").n_unique().alias("players"))
    return finding(
        "too_many_players",
        players.filter(pl.col("players") > PLAYERS),
        value=pl.col("players"),
        detail=pl.lit(PLAYERS),
    )
