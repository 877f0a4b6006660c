"""Round cells, and the games that they make.

A cell has opponent, colour and result, in ten columns for each round from column 92 on. A batch has hundreds of
thousands of cells and few different ones: each distinct cell is parsed once.

A game counts where both lines name each other, report it as played, give different colours and no more than one point
together; 0-0 and unequal pairs such as ½-0 are legal decisions. Unplayed results are counted, and never refused for a
line that does not agree, because no rating depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule
from ratinglist.limits import ROUNDS
from ratinglist.result_codes import BYES, CODES, COLOURS, PLAYED, PLAYED_HALVES, POINT_HALVES, UNPLAYED, UNREADABLE
from ratinglist.tables import CELL, FILE_FINDING, PAIRED_GAME

#: Offset, from 0, of the first round cell, and the columns of each.
CELLS_START: Final = 91
CELL_WIDTH: Final = 10
_COLOURS: Final = {"": "", "-": "", "w": "w", "b": "b", "s": "b"}  # s: schwarz
_BYES_OF_TRF06: Final = {"1": "F", "=": "H", "0": "Z"}
"""The results of TRF06 without an opponent, and the letters of the same byes today."""
_OLD_BYE: Final = r"^[0 ]{4} -|^[0 ]{3}0  |^[0 ]{3}0 . =|^ {7}="
_FIELDS: Final = {
    "opponent": ("opponent_unreadable", 0, 4),
    "colour": ("colour_unreadable", 5, 1),
    "result": ("result_unreadable", 7, 1),
}
"""Of each field that may be unreadable: the rule, its offset in the cell, and its width."""
COUNTS: Final = pl.Schema(dict.fromkeys(("file_no", "players", "games", "forfeits", "byes"), pl.Int32()))
PER_PLAYER: Final = ("line", "column", "start_number", "colour", "code")
"""Columns that a pair of cells has for both players: by this name for the first, with ``_b`` for the second."""
_AGREED: Final = ("+-", "-+", "--", "WL", "LW", "DD", "LL")
"""Unplayed results that agree on the two lines of one pairing."""
GAME: Final = (
    *("file_no", "round", "date", "white_id", "black_id"),
    *("white_halves", "black_halves", "white_line", "black_line"),
)
"""The columns of a game: those of ``REPORT_GAME``, with ``file_no`` in place of ``report_id``."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A batch of reports, read.

    ``header``: :data:`~ratinglist.tables.HEADER`, one row for every file.
    ``players``: :data:`~ratinglist.tables.PLAYER_LINE`. ``games``: :data:`GAME`. ``counts``:
    :data:`COUNTS`, a row for every file with players. ``findings``:
    :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole.
    """

    header: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    counts: pl.DataFrame
    findings: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Batch:
    """Some files of a delivery, read and decoded.

    ``delivered``: :data:`~ratinglist.tables.DELIVERED`, numbered from 1. ``originals``: the bytes by sha256.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING` on encodings and manifests. ``unread``: a sentence for each
    of the files that could not be read after all, by name. Of a delivery as tables: ``parsed`` is what they say,
    ``tables`` their bytes, by name, ``problems`` has a sentence for each row that names no event, and ``notes`` one for
    each column that is not read.
    """

    delivered: pl.DataFrame
    originals: Mapping[str, bytes]
    findings: pl.DataFrame
    unread: Mapping[str, str] = field(default_factory=dict)
    parsed: Parsed | None = None
    tables: Mapping[str, bytes] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_cells(texts: pl.DataFrame, round_dates: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Parse the round cells of player lines.

    Out: :data:`~ratinglist.tables.CELL`, sorted by its key; ``file_no``, ``line``, ``halves`` (the sum of the results
    of a line in half points by the usual scoring: 1 point for ``+ W F U``, ½ for ``D H``, 0 for ``- L Z`` and blank)
    and ``unreadable`` (at least one of them cannot be read) of every line with a cell; the findings: cells that cannot
    be read, byes in the form of TRF06 or of older programs, and letters of unrated results in small type.

    ``texts``: ``file_no``, ``line``, ``start_number``, ``text``, ``damaged`` as in
    the module of the TRF; ``round_dates``: ``file_no``, ``round``, ``date``.
    Cells without a start number are left out; those of a damaged line, and those that cannot be read, have the code
    ``?``. Source: TRF16 and TRF26, record 001 columns 92 onward.
    """
    cut = _cut(texts)
    cells = cut.join(_forms(cut["cell"].unique()), on="cell", maintain_order="left")
    place = ["file_no", "line", "round"]
    sound = cells.filter(~pl.col("damaged"), pl.col("fault").is_not_null() | pl.col("small"))
    displaced = sound.filter(pl.col("fault") == "place").unique(place[:2], keep="first", maintain_order=True)
    lost = pl.concat([texts.filter("damaged").select(_LINE), displaced.select(_LINE)])
    old_byes = finding(
        "old_bye",
        cells.drop_nulls("bye"),
        line=pl.col("line"),
        column=pl.col("column"),
        value=pl.col("cell").str.strip_chars(),
        detail=pl.format("{} in round {}", "bye", "round"),
    )
    findings = [old_byes, *_cell_findings(sound, displaced)]
    cells = _with_lost(cells, lost) if len(lost) else cells
    # The lines are in order, and keeping it takes less than looking them up.
    sums = cells.group_by(place[:2], maintain_order=True).agg(
        pl.col("halves").sum(), (pl.col("code") == UNREADABLE).any().alias("unreadable")
    )
    dated = cells.drop_nulls("start_number").join(
        round_dates, on=["file_no", "round"], how="left", maintain_order="left"
    )
    return CELL.conform(dated), sums, pl.concat(findings)


_LINE: Final = ("file_no", "line", "start_number")


def _cut(texts: pl.DataFrame) -> pl.DataFrame:
    """Return ``round``, ``column`` and ``cell`` of every cell, with the columns of its line."""
    rounds = (pl.col("text").str.len_chars() - CELLS_START + CELL_WIDTH - 1) // CELL_WIDTH
    cells = (
        texts.filter(pl.col("text").str.len_chars() > CELLS_START)
        .sort("file_no", "line")
        .with_columns(pl.int_ranges(1, rounds.clip(upper_bound=ROUNDS) + 1, dtype=pl.Int32).alias("round"))
        .explode("round")
        .with_columns((CELLS_START + 1 + CELL_WIDTH * (pl.col("round") - 1)).alias("column"))
    )
    cell = pl.col("text").str.slice(pl.col("column") - 1, CELL_WIDTH).alias("cell")
    return cells.select(*_LINE, "damaged", "round", "column", cell)


def _forms(cells: pl.Series) -> pl.DataFrame:
    """Parse each distinct cell that is not blank; white space other than blanks is blank too.

    Out: ``opponent_number``, ``colour``, ``code`` and its ``halves``, the letter of a ``bye`` in the form of TRF06, the
    ``fault`` if there is one, and whether the code is a ``small`` letter.
    """
    cell = pl.col("cell")
    opponent = cell.str.slice(0, 4).str.strip_chars()
    number = opponent.cast(pl.Int32, strict=False)
    colour = cell.str.slice(5, 1).str.strip_chars().str.to_lowercase()
    letter = cell.str.slice(7, 1).str.strip_chars()
    code = letter.str.to_uppercase()
    between = pl.concat_str(cell.str.slice(at, width) for at, width in ((4, 1), (6, 1), (8, 2)))
    fault = (
        pl.when(between.str.strip_chars() != "")
        .then(pl.lit("place"))
        .when(~opponent.str.contains(r"^[0-9]*$"))
        .then(pl.lit("opponent"))
        .when(~colour.is_in(list(_COLOURS)))
        .then(pl.lit("colour"))
        .when(~code.is_in(list(POINT_HALVES)))
        .then(pl.lit("result"))
    )
    is_bye = fault.is_null() & ~(number > 0).fill_null(value=False) & cell.str.contains(_OLD_BYE)
    filled = pl.DataFrame({"cell": cells}).filter(cell.str.strip_chars() != "")
    forms = filled.with_columns(
        pl.when(fault.is_null() & (number > 0)).then(number).alias("opponent_number"),
        pl.when(is_bye).then(code.replace_strict(_BYES_OF_TRF06, default=None)).alias("bye"),
        colour.replace_strict(_COLOURS, default="").alias("colour"),
        pl.when(fault.is_null()).then(code).otherwise(pl.lit(UNREADABLE)).alias("code"),
        fault.alias("fault"),
        (fault.is_null() & letter.is_in(["w", "d", "l"])).alias("small"),
    )
    read_code = pl.coalesce("bye", "code")
    return forms.with_columns(
        pl.when(pl.col("bye").is_null()).then("colour").otherwise(pl.lit("")).cast(pl.Enum(COLOURS)).alias("colour"),
        read_code.cast(pl.Enum(CODES)).alias("code"),
        read_code.replace_strict(POINT_HALVES, default=0, return_dtype=pl.Int32).alias("halves"),
    )


def _with_lost(cells: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Return ``cells`` with those of the lines ``lost`` (``file_no``, ``line``) unreadable."""
    is_lost = lost.select("file_no", "line").unique().with_columns(is_lost=pl.lit(value=True))
    marked = cells.join(is_lost, on=["file_no", "line"], how="left", maintain_order="left")
    unreadable = {
        "opponent_number": pl.lit(None, pl.Int32),
        "colour": pl.lit("", pl.Enum(COLOURS)),
        "code": pl.lit(UNREADABLE, pl.Enum(CODES)),
        "halves": pl.lit(0, pl.Int32),
    }
    return marked.with_columns(
        pl.when("is_lost").then(value).otherwise(name).alias(name) for name, value in unreadable.items()
    ).drop("is_lost")


def _cell_findings(cells: pl.DataFrame, displaced: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the findings of single cells of sound lines; of the lines of ``displaced`` cells, of these alone.

    TRF06 has no letters for byes: ``0000 - =`` is one of half a point. Older programs leave the colour blank there, or
    write one next to half a point, or write half a point alone. A whole point or none with a colour or alone is a game
    whose opponent is missing, and so is half a point with a colour alone.
    """
    line, column, cell = (pl.col(name) for name in ("line", "column", "cell"))
    between = pl.coalesce(pl.when(cell.str.slice(at, 1).str.strip_chars() != "").then(at) for at in (4, 6, 8, 9))
    unreadable = cells.drop_nulls("fault").join(displaced, on=["file_no", "line"], how="anti")
    return [
        finding(
            "small_result",
            cells.filter("small"),
            line=line,
            column=column + 7,
            value=cell.str.slice(7, 1),
            detail=pl.format("{} in round {}", "code", "round"),
        ),
        # The line is shifted from there on.
        finding(
            "columns_shifted",
            displaced.with_columns(between.alias("between")),
            line=line,
            column=column + pl.col("between"),
            value=cell.str.slice(pl.col("between"), 1),
            detail=pl.format("round {}", "round"),
        ),
        *(
            finding(
                rule,
                unreadable.filter(pl.col("fault") == fault),
                line=line,
                column=column + start,
                value=cell.str.slice(start, width).str.strip_chars(),
                detail=pl.col("round"),
            )
            for fault, (rule, start, width) in _FIELDS.items()
        ),
    ]


@dataclass(frozen=True, slots=True)
class PairedGames:
    """``games``: :data:`~ratinglist.tables.PAIRED_GAME`, in any order.

    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole. ``counts``:
    :data:`COUNTS`, one row for every file with players: these, games played over the board, ``forfeits`` (games decided
    without play, each once) and ``byes`` (byes and absences, one for each player and round).
    """

    games: pl.DataFrame
    findings: pl.DataFrame
    counts: pl.DataFrame


def pair(players: pl.DataFrame, cells: pl.DataFrame) -> PairedGames:
    """Join the two cells of every game.

    ``players``: ``file_no``, ``line``, ``start_number`` of :data:`~ratinglist.tables.PLAYER_LINE`. ``cells``:
    :data:`~ratinglist.tables.CELL`. The rows may have any order. Cells that cannot be read and players whose start
    number is on several lines are left out on both sides, so that one fault does not cause a dozen others.
    Source: TRF16 and TRF26, record 001; B.02 5.1.
    """
    number = ["file_no", "start_number"]
    ambiguous = players.drop_nulls("start_number").group_by(number).len().filter(pl.col("len") > 1).select(number)
    # Nearly always there are none of these, and every claim is answered: two joins of all cells are spared.
    sound = cells.join(ambiguous, on=number, how="anti", maintain_order="left") if len(ambiguous) else cells
    unpaired = sound.filter(pl.col("opponent_number").is_null())
    # One number of file, round and both start numbers, which have four digits: a join by four columns takes 7 % of the
    # time of reading a batch of the world's month.
    both = [pl.col("start_number").cast(pl.Int64), pl.col("opponent_number").cast(pl.Int64)]
    numbers = pl.min_horizontal(both) * 10_000 + pl.max_horizontal(both)
    game = ((pl.col("file_no").cast(pl.Int64) * (ROUNDS + 1) + pl.col("round")) * 10**8 + numbers).alias("game")
    paired = sound.drop_nulls("opponent_number").with_columns(game)
    answers = paired.filter(pl.col("start_number") > pl.col("opponent_number")).select(
        "game", *(pl.col(name).alias(f"{name}_b") for name in PER_PLAYER)
    )
    # Each pair is judged once, from its lower start number.
    lower = paired.filter(pl.col("start_number") < pl.col("opponent_number"))
    games, others, disagreements = judge(lower.join(answers, on="game", maintain_order="left"))
    is_self = pl.col("start_number") == pl.col("opponent_number")
    selves, one_sided = paired.filter(is_self), paired.filter(~is_self & ~pl.col("game").is_duplicated())
    one_sided_findings, unplayed = _judge_one_sided(one_sided, sound, players, ambiguous)
    line, column = pl.col("line"), pl.col("column")
    met = games.select(
        *("file_no", "round"),
        pl.min_horizontal("white_number", "black_number").alias("low"),
        pl.max_horizontal("white_number", "black_number").alias("high"),
        pl.min_horizontal("white_line", "black_line").alias("line"),
    )
    findings = [
        disagreements,
        one_sided_findings,
        finding(
            "opponent_self",
            selves.filter(pl.col("code") != UNREADABLE),
            line=line,
            column=column,
            value=pl.col("start_number"),
            detail=pl.col("round"),
        ),
        finding(
            "opponent_missing",
            unpaired.filter(pl.col("code").is_in(PLAYED)),
            line=line,
            column=column,
            value=pl.col("code"),
            detail=pl.col("round"),
        ),
        pairs_repeated(met),
    ]
    return PairedGames(
        PAIRED_GAME.conform(games),
        limit_per_rule(pl.concat(findings)),
        counts(players, games, others, unpaired, unplayed),
    )


def judge(pairs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Judge pairs of cells that name each other.

    ``pairs``: ``file_no``, ``round``, ``date`` and, for each of the two players, the columns :data:`PER_PLAYER`. Pairs
    with a cell that cannot be read are left out. Out: the columns of :data:`~ratinglist.tables.PAIRED_GAME`; the pairs
    of cells that are no games; what is wrong with them (:data:`~ratinglist.tables.FILE_FINDING`). Source: TRF16 and
    TRF26, record 001; B.02 5.1.
    """
    judged = pairs.with_columns(_verdict().alias("verdict"))
    others = judged.filter(~pl.col("verdict").is_in(["", UNREADABLE]))
    # One colour is enough: the other player has the opposite one.
    is_white = (pl.col("colour") == "w") | (pl.col("colour_b") == "b")
    white, black = (
        {name: pl.when(condition).then(name).otherwise(f"{name}_b") for name in ("start_number", "line", "code")}
        for condition in (is_white, ~is_white)
    )
    games = judged.filter(pl.col("verdict") == "").select(
        *("file_no", "round", "date"),
        white["start_number"].alias("white_number"),
        black["start_number"].alias("black_number"),
        white["code"].replace_strict(PLAYED_HALVES, return_dtype=pl.Int32).alias("white_halves"),
        black["code"].replace_strict(PLAYED_HALVES, return_dtype=pl.Int32).alias("black_halves"),
        white["line"].alias("white_line"),
        black["line"].alias("black_line"),
    )
    return games, others, _disagreements(others.filter(pl.col("verdict") != "unplayed"))


def _verdict() -> pl.Expr:
    """Return the verdict on two cells that name each other.

    It is empty for a game, ``unplayed``, ``?`` where a cell cannot be read, or the rule that is broken.
    """
    a, b, colour_a, colour_b = (pl.col(name) for name in ("code", "code_b", "colour", "colour_b"))
    a_played, b_played = a.is_in(PLAYED), b.is_in(PLAYED)
    halves = [result.replace_strict(PLAYED_HALVES, default=0, return_dtype=pl.Int32) for result in (a, b)]
    return (
        pl.when((a == UNREADABLE) | (b == UNREADABLE))
        .then(pl.lit(UNREADABLE))
        .when(a_played != b_played)
        .then(pl.lit("half_played"))
        .when(a_played & (colour_a == "") & (colour_b == ""))
        .then(pl.lit("colours_missing"))
        .when(a_played & (colour_a == colour_b))
        .then(pl.lit("colours_equal"))
        .when(a_played & (halves[0] + halves[1] > 2))
        .then(pl.lit("results_exceed"))
        .when(a_played)
        .then(pl.lit(""))
        .when((a == "") & (b == ""))
        .then(pl.lit("pairing_without_result"))
        .when((a == "+") & (b == "+"))
        .then(pl.lit("forfeit_won_twice"))
        .when(a.is_in(BYES) | b.is_in(BYES))
        .then(pl.lit("bye_with_opponent"))
        .when(pl.concat_str(a.cast(pl.String), b.cast(pl.String)).is_in(_AGREED))
        .then(pl.lit("unplayed"))
        .otherwise(pl.lit("forfeit_not_agreed"))
    )


def _disagreements(judged: pl.DataFrame) -> pl.DataFrame:
    """Return findings of pairs that name each other: at the first player's cell, or at the cell that is at fault."""
    # Where only one line reports a game played, the finding is at the other line.
    is_swapped = (pl.col("verdict") == "half_played") & ~pl.col("code_b").is_in(PLAYED)
    pairs = judged.with_columns(
        pl.when(is_swapped).then(first).otherwise(second).alias(second)
        for name in PER_PLAYER
        for first, second in ((name, f"{name}_b"), (f"{name}_b", name))
    )
    pairs = pairs.with_columns(
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
    findings = [
        finding(
            rule,
            pairs.filter(pl.col("verdict") == rule),
            line=pl.col("line"),
            column=pl.col("column") + (5 if rule.startswith("colours") else 7),
            value=pl.col(texts.get(rule, ("code", other))[0]),
            detail=texts.get(rule, ("code", other))[1],
        )
        for rule in pairs["verdict"].unique()
    ]
    return pl.concat([FILE_FINDING.empty(), *findings])


def _judge_one_sided(
    one_sided: pl.DataFrame, sound: pl.DataFrame, players: pl.DataFrame, ambiguous: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judge cells whose opponent does not name them: return findings, and the cells to count as forfeits or byes."""
    if one_sided.is_empty():
        return FILE_FINDING.empty(), one_sided
    by_number = ["file_no", "opponent_number"]
    numbers = players.select("file_no", pl.col("start_number").alias("opponent_number"), pl.col("line").alias("line_b"))
    # A player line without a readable start number may be the missing opponent.
    nameless = players.filter(pl.col("start_number").is_null()).select("file_no").unique()
    cells = one_sided.select(sound.columns).filter(pl.col("code") != UNREADABLE)
    cells = cells.join(ambiguous.rename({"start_number": "opponent_number"}), on=by_number, how="anti")
    opponent_unknown = cells.join(numbers, on=by_number, how="anti").join(nameless, on="file_no", how="anti")
    in_file = sound.join(cells.select("file_no").unique(), on="file_no", how="semi")
    opponent_cells = in_file.select(
        *("file_no", "round"),
        pl.col("start_number").alias("opponent_number"),
        pl.col("opponent_number").alias("named"),
        pl.col("code").alias("code_b"),
    )
    opponent_known = (
        cells.join(numbers, on=by_number)
        .join(opponent_cells, on=["file_no", "round", "opponent_number"], how="left")
        .filter(pl.col("code_b").ne_missing(UNREADABLE))
    )
    opponent_line = (
        pl.when(pl.col("code_b").is_null())
        .then(pl.format("line {} of that player has nothing in round {}", "line_b", "round"))
        .when(pl.col("named").is_null())
        .then(pl.format("line {} of that player has '{}' without opponent in round {}", "line_b", "code_b", "round"))
        .otherwise(pl.format("line {} of that player names {} in round {}", "line_b", "named", "round"))
    )
    code, line, opponent, column = (pl.col(name) for name in ("code", "line", "opponent_number", "column"))
    is_bye = code.is_in(BYES)
    findings = [
        finding(
            "opponent_unknown",
            opponent_unknown.filter(~is_bye),
            line=line,
            column=column,
            value=opponent,
            detail=pl.col("round"),
        ),
        finding(
            "not_reciprocated",
            opponent_known.filter(code.is_in(PLAYED)),
            line=line,
            column=column,
            value=opponent,
            detail=opponent_line,
        ),
        finding(
            "forfeit_not_agreed",
            opponent_known.filter(code.is_in(UNPLAYED)),
            line=line,
            column=column + 7,
            value=code,
            detail=opponent_line,
        ),
        finding(
            "pairing_without_result",
            opponent_known.filter(code == ""),
            line=line,
            column=column + 7,
            value=opponent,
            detail=pl.col("round"),
        ),
        finding(
            "bye_with_opponent",
            pl.concat([opponent_known, opponent_unknown], how="diagonal").filter(is_bye),
            line=line,
            column=column,
            value=code,
            detail=pl.format("player {}", opponent),
        ),
    ]
    return pl.concat(findings), cells


def pairs_repeated(games: pl.DataFrame) -> pl.DataFrame:
    """Return a note for each two players, ``low`` and ``high``, with several of ``games`` (``round``, ``line``).

    Meeting again is correct in a double round robin and in a match, and rare elsewhere.
    """
    pair_key = ["file_no", "low", "high"]
    # Hardly any pair has several: to compare numbers leaves few rows to group.
    likely = games.filter(pl.struct(pair_key).hash().is_duplicated())
    pairs = likely.group_by(pair_key).agg(pl.col("round").sort(), pl.col("line").min())
    return finding(
        "pair_repeated",
        pairs.filter(pl.col("round").list.len() > 1),
        line=pl.col("line"),
        value=pl.format("{} and {}", "low", "high"),
        detail=pl.format("rounds {}", pl.col("round").cast(pl.List(pl.String)).list.join(", ")),
    )


def counts(
    players: pl.DataFrame, games: pl.DataFrame, others: pl.DataFrame, unpaired: pl.DataFrame, one_sided: pl.DataFrame
) -> pl.DataFrame:
    """Count the players, games, forfeits and byes of every file with ``players`` (``file_no``): :data:`COUNTS`.

    ``games`` and ``others``: as :func:`judge` returns them. ``unpaired`` and ``one_sided``: the cells that name nobody,
    and those whose opponent names another player. A ``-`` without opponent is an absence, a ``+`` without opponent a
    forfeit; a pair of unplayed results is one.
    """
    code, code_b = pl.col("code"), pl.col("code_b")
    forfeits = [
        others.filter(code.is_in(UNPLAYED) | code_b.is_in(UNPLAYED)),
        one_sided.filter(code.is_in(UNPLAYED)),
        unpaired.filter(code.is_in([unplayed for unplayed in UNPLAYED if unplayed != "-"])),
    ]
    byes = [
        unpaired.filter(code.is_in([*BYES, "", "-"])),
        one_sided.filter(code.is_in(BYES)),
        others.filter(code.is_in(BYES)),
        others.filter(code_b.is_in(BYES)),
    ]
    counted = players.group_by("file_no").agg(pl.len().alias("players"))
    for name, frames in (("games", [games]), ("forfeits", forfeits), ("byes", byes)):
        number = pl.concat([frame.select("file_no") for frame in frames]).group_by("file_no").agg(pl.len().alias(name))
        counted = counted.join(number, on="file_no", how="left")
    return counted.select(pl.col(name).cast(dtype).fill_null(0) for name, dtype in COUNTS.items()).sort("file_no")
