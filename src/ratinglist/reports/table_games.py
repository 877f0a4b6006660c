"""The rows of a table of games: what each row means, and what is wrong with it.

A row has the results of both players, as the two lines of a TRF report have them, and is judged by the same rules
(:mod:`~ratinglist.reports.pairings`). A row with one player is a bye, an absence or a forfeit without opponent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import FINDINGS_PER_RULE, finding, limit_per_rule
from ratinglist.limits import PLAYERS, TABLE_EVENT_ROWS
from ratinglist.reports.pairings import disagreements, verdicts_of_rows
from ratinglist.reports.table_events import shown
from ratinglist.reports.table_values import ALLOWED, SIDES, TableValues
from ratinglist.result_codes import PLAYED

_ROWS_AT_ONCE: Final = 100_000
"""Rows that are judged at once, if no event has more."""


@dataclass(frozen=True, slots=True)
class TableGames:
    """The rows of a table of games.

    ``rows``: ``file_no`` and the columns of ``TableValues.rows`` but ``code_no``. ``findings``:
    :data:`~ratinglist.schemas.FILE_FINDING`, ``line`` the row and ``column`` the column of the file, limited for each
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
