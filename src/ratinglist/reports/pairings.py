"""Two cells that name each other: whether they make a game, and if not, what is wrong."""

from __future__ import annotations

from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.reports.results import BYES, PLAYED, PLAYED_HALVES
from ratinglist.schemas import FILE_FINDING

#: Unplayed results of the two lines of one game that go together.
_AGREED: Final = ("+-", "-+", "--", "WL", "LW", "DD", "LL")
#: What a pair of cells has twice: as it is for the first player, with ``_b`` for the second.
TWICE: Final = ("line", "column", "start_number", "colour", "code")


def judge(both: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The games among pairs of cells that name each other, the pairs that are none, and what is wrong with those.

    ``both``: ``file_no``, ``round``, ``date`` and, for each of the two players, the columns :data:`TWICE`. Returns the
    columns of :data:`~ratinglist.schemas.PAIRED_GAME`, rows of ``both``, and :data:`~ratinglist.schemas.FILE_FINDING`.
    Source: TRF16 and TRF26, record 001; B.02 5.1.
    """
    # There are few different stories two cells can tell: each is judged once.
    judged = both.with_columns(_story())
    stories = judged.select("story", "code", "colour", "code_b", "colour_b").unique("story", keep="any")
    judged = judged.join(_verdicts(stories), on="story", how="left", maintain_order="left")

    def of_white(name: str) -> pl.Expr:
        return pl.when("first_is_white").then(name).otherwise(f"{name}_b")

    def of_black(name: str) -> pl.Expr:
        return pl.when("first_is_white").then(f"{name}_b").otherwise(name)

    is_game = judged["verdict"] == ""
    games = judged.filter(is_game).select(
        "file_no",
        "round",
        "date",
        of_white("start_number").alias("white_number"),
        of_black("start_number").alias("black_number"),
        of_white("halves").alias("white_halves"),
        of_black("halves").alias("black_halves"),
        of_white("line").alias("white_line"),
        of_black("line").alias("black_line"),
    )
    others = judged.filter(~is_game)
    return games, others.select(both.columns), _disagreements(others.filter(pl.col("verdict") != "unplayed"))


def _story() -> pl.Expr:
    """Both codes and colours in one integer: each is one letter of ASCII, or nothing."""
    code, colour, code_b, colour_b = (
        pl.col(name).cast(pl.Binary).bin.get(0, null_on_oob=True).fill_null(0).cast(pl.UInt32)
        for name in ("code", "colour", "code_b", "colour_b")
    )
    return (((code * 256 + colour) * 256 + code_b) * 256 + colour_b).alias("story")


def _verdicts(stories: pl.DataFrame) -> pl.DataFrame:
    """What two cells that name each other make.

    ``verdict``: empty for a game, ``unplayed``, or the rule broken; ``halves``, ``halves_b``; ``first_is_white``.
    """
    a, b = pl.col("code"), pl.col("code_b")
    a_played, b_played = a.is_in(PLAYED), b.is_in(PLAYED)
    colour_a, colour_b = pl.col("colour"), pl.col("colour_b")
    halves_a = a.replace_strict(PLAYED_HALVES, default=None, return_dtype=pl.Int32)
    halves_b = b.replace_strict(PLAYED_HALVES, default=None, return_dtype=pl.Int32)
    game = (
        pl.when((colour_a == "") & (colour_b == ""))
        .then(pl.lit("colours_missing"))
        .when(colour_a == colour_b)
        .then(pl.lit("colours_equal"))
        .when(halves_a + halves_b > 2)
        .then(pl.lit("results_exceed"))
        .otherwise(pl.lit(""))
    )
    verdict = (
        pl.when(a_played & b_played)
        .then(game)
        .when(a_played | b_played)
        .then(pl.lit("half_played"))
        .when((a == "") & (b == ""))
        .then(pl.lit("pairing_without_result"))
        .when((a == "+") & (b == "+"))
        .then(pl.lit("forfeit_won_twice"))
        .when(a.is_in(BYES) | b.is_in(BYES))
        .then(pl.lit("bye_with_opponent"))
        .when((a + b).is_in(_AGREED))
        .then(pl.lit("unplayed"))
        .otherwise(pl.lit("forfeit_not_agreed"))
    )
    return stories.select(
        "story",
        verdict.alias("verdict"),
        halves_a.alias("halves"),
        halves_b.alias("halves_b"),
        # One colour is enough: the other player had the other.
        ((colour_a == "w") | (colour_b == "b")).alias("first_is_white"),
    )


def _disagreements(judged: pl.DataFrame) -> pl.DataFrame:
    """Findings of pairs that name each other: at the first player's cell, or at the cell that is at fault."""
    if judged.is_empty():
        return FILE_FINDING.empty()
    # Where only one line says the game was played, the finding stands at the other one.
    turned = judged.filter((pl.col("verdict") == "half_played") & ~pl.col("code_b").is_in(PLAYED))
    straight = judged.join(turned, on=["file_no", "line", "column"], how="anti")
    turned = turned.with_columns(
        *(pl.col(f"{name}_b").alias(name) for name in TWICE), *(pl.col(name).alias(f"{name}_b") for name in TWICE)
    )
    rows = pl.concat([straight, turned]).with_columns(
        pl.when(pl.col("verdict") != "half_played")
        .then("verdict")
        .when(pl.col("code") == "")
        .then(pl.lit("result_missing"))
        .when(pl.col("code").is_in(BYES))
        .then(pl.lit("bye_played"))
        .otherwise(pl.lit("results_disagree"))
        .alias("verdict")
    )
    other = pl.format("'{}' on line {} (round {}, player {})", "code_b", "line_b", "round", "start_number_b")
    of = {
        "colours_missing": ("code", other),
        "colours_equal": ("colour", other),
        "pairing_without_result": ("start_number_b", pl.col("round")),
        "bye_with_opponent": ("code", pl.format("player {} on line {}", "start_number_b", "line_b")),
    }
    return pl.concat(
        finding(
            rule,
            rows.filter(pl.col("verdict") == rule),
            line=pl.col("line"),
            column=pl.col("column") + (5 if rule.startswith("colours") else 7),
            value=pl.col(of.get(rule, ("code", other))[0]),
            detail=of.get(rule, ("code", other))[1],
        )
        for rule in sorted(rows["verdict"].unique())
    )
