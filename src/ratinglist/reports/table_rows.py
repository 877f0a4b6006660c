"""The rows of a table of games, in the place of the lines of the reports that are made from it.

The officer has the table, and the text of a report made from it is only in the archive: so a player, a game and a
finding name the row and the column of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ratinglist.findings import finding, refuses
from ratinglist.reports.games import PairedGames
from ratinglist.reports.trf import ParsedReports
from ratinglist.schemas import PAIRED_GAME, PLAYER_LINE

FORMAT = "table"
"""The ``report_format`` of an event that was delivered in tables."""


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
