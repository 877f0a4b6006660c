"""Verdicts on two cells that name each other: a game, an unplayed pairing, or a rule that they break."""

from __future__ import annotations

from functools import cache
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.result_codes import BYES, CODES, COLOURS, PLAYED, PLAYED_HALVES, UNREADABLE
from ratinglist.tables import FILE_FINDING

#: Unplayed results that agree on the two lines of one pairing.
_AGREED: Final = ("+-", "-+", "--", "WL", "LW", "DD", "LL")
#: How many games with one colour, running or more than with the other, no player of a Swiss has.
_TOO_MANY: Final = 3
#: The number of combinations of a code and a colour in a cell.
_CELL_KINDS: Final = len(CODES) * len(COLOURS)
#: Columns that a pair of cells has for both players: by this name for the first, with ``_b`` for the second.
PER_PLAYER: Final = ("line", "column", "start_number", "colour", "code")


def judge(cells: pl.DataFrame, first: pl.Series, second: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the games among pairs of cells that name each other, the pairs that are no games, and their findings.

    ``cells``: :data:`~ratinglist.tables.CELL`; ``first`` and ``second`` are the rows of each pair in it. Pairs with a
    cell that cannot be read are left out. Returns :data:`~ratinglist.tables.PAIRED_GAME`, sorted by its key; pairs:
    ``file_no``, ``round``, ``date`` and, for each of the two players, the columns :data:`PER_PLAYER`; and
    :data:`~ratinglist.tables.FILE_FINDING`. Source: TRF16 and TRF26, record 001; B.02 5.1.
    """
    # There are few combinations of two cells: all of them are judged once, and the verdict of each pair is looked up.
    verdicts = _verdicts()
    kind = cells.select(
        pl.col("code").to_physical().cast(pl.UInt32) * len(COLOURS) + pl.col("colour").to_physical()
    ).to_series()
    combination = kind.gather(first) * _CELL_KINDS + kind.gather(second)
    is_game = verdicts["is_game"].gather(combination)
    judged = (
        _side_by_side(cells, first.filter(~is_game), second.filter(~is_game))
        .with_columns(verdicts["verdict"].gather(combination.filter(~is_game)))
        .filter(pl.col("verdict") != UNREADABLE)
    )
    games = pl.DataFrame([first.alias("first"), second.alias("second"), combination.alias("combination")]).filter(
        is_game
    )
    return (
        _games(cells, games, verdicts),
        judged.drop("verdict"),
        disagreements(judged.filter(pl.col("verdict") != "unplayed")),
    )


def _side_by_side(cells: pl.DataFrame, first: pl.Series, second: pl.Series) -> pl.DataFrame:
    """Return pairs of rows of ``cells``, the second with the suffix ``_b``."""
    of_second = cells[second].select(pl.col(PER_PLAYER).name.suffix("_b"))
    return cells[first].select("file_no", "round", "date", *PER_PLAYER).with_columns(of_second)


def _games(cells: pl.DataFrame, pairs: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Return as games the pairs of rows of ``cells`` (``first``, ``second``, ``combination``), sorted by the key."""
    of_white = verdicts["first_is_white"].gather(pairs["combination"])
    white = pairs["first"].zip_with(of_white, pairs["second"])
    # One integer as the key: sorting by it is far cheaper than sorting by three columns.
    file_no, number, own = (cells[name].gather(white).cast(pl.Int64) for name in ("file_no", "round", "start_number"))
    order = ((file_no * 256 + number) * 16384 + own).arg_sort()
    white = white.gather(order)
    black = pairs["second"].zip_with(of_white, pairs["first"]).gather(order)
    combination = pairs["combination"].gather(order)
    return pl.DataFrame(
        [
            cells["file_no"].gather(white).set_sorted(),
            *(cells[name].gather(white) for name in ("round", "date")),
            cells["start_number"].gather(white).alias("white_number"),
            cells["start_number"].gather(black).alias("black_number"),
            *(verdicts[name].gather(combination) for name in ("white_halves", "black_halves")),
            cells["line"].gather(white).alias("white_line"),
            cells["line"].gather(black).alias("black_line"),
        ]
    )


@cache
def _verdicts() -> pl.DataFrame:
    """Return the verdict on every combination of two cells that name each other, in the order of the combinations.

    ``verdict``: empty for a game, ``unplayed``, ``?`` where a cell cannot be read, or the rule broken; ``is_game``;
    ``first_is_white``; ``white_halves`` and ``black_halves`` of a game.
    """
    kinds = pl.DataFrame({"code": CODES}).join(
        pl.DataFrame({"colour": COLOURS}), how="cross", maintain_order="left_right"
    )
    combinations = kinds.join(kinds, how="cross", suffix="_b", maintain_order="left_right")
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
    # One colour is enough: the other player has the opposite one.
    first_is_white = (colour_a == "w") | (colour_b == "b")
    return combinations.select(
        verdict.alias("verdict"),
        (verdict == "").alias("is_game"),
        first_is_white.alias("first_is_white"),
        pl.when(first_is_white).then(halves_a).otherwise(halves_b).alias("white_halves"),
        pl.when(first_is_white).then(halves_b).otherwise(halves_a).alias("black_halves"),
    )


def verdicts_of_rows() -> pl.DataFrame:
    """Return the verdict on every two codes of a game whose White and Black are known.

    Out: ``code`` of White, ``code_b`` of Black, and ``verdict``: empty for a game, ``unplayed``, or the rule broken.
    """
    white, black = COLOURS.index("w"), COLOURS.index("b")
    combinations = pl.DataFrame(
        [
            (first, second, (one * len(COLOURS) + white) * _CELL_KINDS + other * len(COLOURS) + black)
            for one, first in enumerate(CODES)
            for other, second in enumerate(CODES)
        ],
        schema={"code": pl.String, "code_b": pl.String, "combination": pl.UInt32},
        orient="row",
    )
    verdicts = _verdicts()["verdict"].gather(combinations["combination"])
    return combinations.select("code", "code_b").with_columns(verdicts.alias("verdict"))


def disagreements(judged: pl.DataFrame) -> pl.DataFrame:
    """Return findings of pairs that name each other: at the first player's cell, or at the cell that is at fault.

    ``judged``: ``file_no``, ``round``, ``verdict`` and, for each of the two players, the columns :data:`PER_PLAYER`.
    """
    if judged.is_empty():
        return FILE_FINDING.empty()
    # Where only one line reports a game played, the finding is at the other line.
    swapped = judged.filter((pl.col("verdict") == "half_played") & ~pl.col("code_b").is_in(PLAYED))
    unswapped = judged.join(swapped, on=["file_no", "line", "column"], how="anti")
    swapped = swapped.with_columns(
        *(pl.col(f"{name}_b").alias(name) for name in PER_PLAYER),
        *(pl.col(name).alias(f"{name}_b") for name in PER_PLAYER),
    )
    rows = pl.concat([unswapped, swapped]).with_columns(
        pl.when(pl.col("verdict") != "half_played")
        .then("verdict")
        .when(pl.col("code") == "")
        .then(pl.lit("result_missing"))
        .when(pl.col("code").is_in(BYES))
        .then(pl.lit("bye_played"))
        .otherwise(pl.lit("results_disagree"))
        .alias("verdict")
    )
    # A report has a line for each player; a delivery as tables has both in one row.
    is_one_row = pl.col("line_b") == pl.col("line")
    place = pl.when(is_one_row).then(pl.lit("in the same row")).otherwise(pl.format("on line {}", "line_b"))
    other = pl.format("'{}' {} (round {}, player {})", "code_b", place, "round", "start_number_b")
    texts = {
        "colours_missing": ("code", other),
        "colours_equal": ("colour", other),
        "pairing_without_result": ("start_number_b", pl.col("round")),
        "bye_with_opponent": ("code", pl.format("player {} {}", "start_number_b", place)),
    }
    return pl.concat(
        finding(
            rule,
            rows.filter(pl.col("verdict") == rule),
            line=pl.col("line"),
            column=pl.col("column") + (5 if rule.startswith("colours") else 7),
            value=pl.col(texts.get(rule, ("code", other))[0]),
            detail=texts.get(rule, ("code", other))[1],
        )
        for rule in sorted(rows["verdict"].unique())
    )


def pairs_repeated(games: pl.DataFrame) -> pl.DataFrame:
    """Return a note for each two players, ``low`` and ``high``, with several of ``games`` (``round``, ``line``)."""
    pairs = (
        games.group_by("file_no", "low", "high")
        .agg(pl.col("round").sort(), pl.col("line").min(), pl.len())
        .filter(pl.col("len") > 1)
    )
    return finding(
        "pair_repeated",
        pairs,
        line=pl.col("line"),
        value=pl.format("{} and {}", "low", "high"),
        detail=pl.format("rounds {}", pl.col("round").cast(pl.List(pl.String)).list.join(", ")),
    )


def colours_exchanged(games: pl.DataFrame) -> pl.DataFrame:
    """Return a note for each of ``games`` whose colours explain why its two players alone break the rules on colours.

    These forbid in a Swiss a colour three times running, and three more games with one colour (C.04.1, f and g); with
    the two colours of that game exchanged, both players keep to them. Where everybody meets everybody, whatever the
    event is called, no colour is free to be chosen.
    """
    sides = pl.concat(
        games.select("file_no", "round", pl.col(f"{side}_number").alias("number"), pl.lit(sign).alias("colour"))
        for side, sign in (("white", 1), ("black", -1))
    )
    wrong = _breaking_colours(sides).filter(pl.len().over("file_no") == 2)
    found = games
    for side in ("white", "black"):
        found = found.join(wrong, left_on=["file_no", f"{side}_number"], right_on=["file_no", "number"], how="semi")
    of_found = sides.join(found, on="file_no", how="semi").group_by("file_no")
    is_swiss = pl.col("number").n_unique() > pl.col("round").n_unique() + 1
    found = found.join(of_found.agg(is_swiss=is_swiss).filter("is_swiss"), on="file_no", how="semi")
    if found.is_empty():
        return FILE_FINDING.empty()
    turned = sides.join(wrong, on=["file_no", "number"], how="semi").join(
        found.select("file_no", "round", pl.lit(-1).alias("sign")), on=["file_no", "round"], how="left"
    )
    still = _breaking_colours(turned.with_columns(pl.col("colour") * pl.col("sign").fill_null(1)))
    return finding(
        "colours_exchanged",
        found.join(still, on="file_no", how="anti"),
        line=pl.col("white_line"),
        value=pl.format("{} and {}", "white_number", "black_number"),
        detail=pl.col("round"),
    )


def _breaking_colours(sides: pl.DataFrame) -> pl.DataFrame:
    """Return the players (``file_no``, ``number``) with a colour three times running, or three times more, played."""
    # One integer as the key: sorting by it, and comparing with the rows before, is far cheaper than by groups.
    player = pl.col("file_no").cast(pl.Int64) * 16384 + pl.col("number")
    ordered = sides.with_columns(player.alias("player")).sort(pl.col("player") * 256 + pl.col("round"))
    own, colour = pl.col("player"), pl.col("colour")
    total = colour.cum_sum()
    before = pl.when(own.ne_missing(own.shift())).then(total - colour).forward_fill()
    is_running = (own == own.shift(_TOO_MANY - 1)) & (colour == colour.shift()) & (colour == colour.shift(2))
    is_wrong = is_running.fill_null(value=False) | ((total - before).abs() >= _TOO_MANY)
    return ordered.filter(is_wrong).select("file_no", "number").unique()
