"""Two cells that name each other: whether they make a game, and if not, what is wrong."""

from __future__ import annotations

from functools import cache
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.result_codes import BYES, CODES, COLOURS, PLAYED, PLAYED_HALVES, UNREADABLE
from ratinglist.schemas import FILE_FINDING

#: Unplayed results of the two lines of one game that go together.
_AGREED: Final = ("+-", "-+", "--", "WL", "LW", "DD", "LL")
#: Codes and colours of a cell together.
_DIFFERENT: Final = len(CODES) * len(COLOURS)
#: What a pair of cells has twice: as it is for the first player, with ``_b`` for the second.
TWICE: Final = ("line", "column", "start_number", "colour", "code")


def judge(cells: pl.DataFrame, first: pl.Series, second: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The games among pairs of cells that name each other, the pairs that are none, and what is wrong with those.

    ``cells``: :data:`~ratinglist.schemas.CELL`; ``first`` and ``second`` are the rows of each pair in it. Pairs with a
    cell that cannot be read are left out. Returns :data:`~ratinglist.schemas.PAIRED_GAME`, sorted by its key; pairs:
    ``file_no``, ``round``, ``date`` and, for each of the two players, the columns :data:`TWICE`; and
    :data:`~ratinglist.schemas.FILE_FINDING`. Source: TRF16 and TRF26, record 001; B.02 5.1.
    """
    # There are few different stories two cells can tell: all of them are judged once, and each pair's is looked up.
    verdicts = _verdicts()
    said = cells.select(
        pl.col("code").to_physical().cast(pl.UInt32) * len(COLOURS) + pl.col("colour").to_physical()
    ).to_series()
    story = said.gather(first) * _DIFFERENT + said.gather(second)
    is_game = verdicts["is_game"].gather(story)
    judged = (
        _twice(cells, first.filter(~is_game), second.filter(~is_game))
        .with_columns(verdicts["verdict"].gather(story.filter(~is_game)))
        .filter(pl.col("verdict") != UNREADABLE)
    )
    games = pl.DataFrame([first.alias("first"), second.alias("second"), story.alias("story")]).filter(is_game)
    return (
        _games(cells, games, verdicts),
        judged.drop("verdict"),
        _disagreements(judged.filter(pl.col("verdict") != "unplayed")),
    )


def _twice(cells: pl.DataFrame, first: pl.Series, second: pl.Series) -> pl.DataFrame:
    """Pairs of rows of ``cells``, side by side."""
    of_second = cells[second].select(pl.col(TWICE).name.suffix("_b"))
    return cells[first].select("file_no", "round", "date", *TWICE).with_columns(of_second)


def _games(cells: pl.DataFrame, pairs: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of rows of ``cells`` (``first``, ``second``, ``story``) that are games, by White and Black."""
    of_white = verdicts["first_is_white"].gather(pairs["story"])
    white = pairs["first"].zip_with(of_white, pairs["second"])
    # One integer for the key: to sort by it is far cheaper than by three.
    file_no, number, own = (cells[name].gather(white).cast(pl.Int64) for name in ("file_no", "round", "start_number"))
    order = ((file_no * 256 + number) * 16384 + own).arg_sort()
    white = white.gather(order)
    black = pairs["second"].zip_with(of_white, pairs["first"]).gather(order)
    story = pairs["story"].gather(order)
    return pl.DataFrame(
        [
            cells["file_no"].gather(white).set_sorted(),
            *(cells[name].gather(white) for name in ("round", "date")),
            cells["start_number"].gather(white).alias("white_number"),
            cells["start_number"].gather(black).alias("black_number"),
            *(verdicts[name].gather(story) for name in ("white_halves", "black_halves")),
            cells["line"].gather(white).alias("white_line"),
            cells["line"].gather(black).alias("black_line"),
        ]
    )


@cache
def _verdicts() -> pl.DataFrame:
    """What every two cells that name each other make, in the order of their stories.

    ``verdict``: empty for a game, ``unplayed``, ``?`` where a cell cannot be read, or the rule broken; ``is_game``;
    ``first_is_white``; ``white_halves`` and ``black_halves`` of a game.
    """
    said = pl.DataFrame({"code": CODES}).join(
        pl.DataFrame({"colour": COLOURS}), how="cross", maintain_order="left_right"
    )
    stories = said.join(said, how="cross", suffix="_b", maintain_order="left_right")
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
        pl.when((a == UNREADABLE) | (b == UNREADABLE))
        .then(pl.lit(UNREADABLE))
        .when(a_played & b_played)
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
    # One colour is enough: the other player had the other.
    first_is_white = (colour_a == "w") | (colour_b == "b")
    return stories.select(
        verdict.alias("verdict"),
        (verdict == "").alias("is_game"),
        first_is_white.alias("first_is_white"),
        pl.when(first_is_white).then(halves_a).otherwise(halves_b).alias("white_halves"),
        pl.when(first_is_white).then(halves_b).otherwise(halves_a).alias("black_halves"),
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
