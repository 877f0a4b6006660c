"""Pairing of round cells to games: both players' lines must agree.

A game counts where both lines name each other, report it as played, give different colours and no more than one point
together; 0-0 and unequal pairs such as ½-0 are legal decisions. Unplayed results are counted, and never refused for a
line that does not agree, because no rating depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule
from ratinglist.result_codes import BYES, CODES, COLOURS, PLAYED, PLAYED_HALVES, UNPLAYED, UNREADABLE
from ratinglist.tables import FILE_FINDING, PAIRED_GAME

_CLAIM: Final = ("file_no", "round", "start_number", "opponent_number")
COUNTS: Final = pl.Schema({"file_no": pl.Int32(), "games": pl.Int32(), "forfeits": pl.Int32(), "byes": pl.Int32()})


@dataclass(frozen=True, slots=True)
class PairedGames:
    """``games``: :data:`~ratinglist.tables.PAIRED_GAME`, sorted by its key.

    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole. ``counts``:
    :data:`COUNTS`, one row for every file with players: games played over the board, ``forfeits`` (games decided
    without play, each once) and ``byes`` (byes and absences, one for each player and round). ``numbers``: the row of
    the player of every start number.
    """

    games: pl.DataFrame
    findings: pl.DataFrame
    counts: pl.DataFrame
    numbers: StartNumbers


def pair(players: pl.DataFrame, cells: pl.DataFrame) -> PairedGames:
    """Join the two cells of every game.

    ``players``: ``file_no``, ``line``, ``start_number`` of :data:`~ratinglist.tables.PLAYER_LINE`. ``cells``:
    :data:`~ratinglist.tables.CELL`. The rows may have any order. Cells that cannot be read and players whose start
    number is on several lines are left out on both sides, so that one fault does not cause a dozen others.
    Source: TRF16 and TRF26, record 001; B.02 5.1.
    """
    numbers = StartNumbers(players)
    ambiguous = numbers.repeated
    sound = cells
    if not ambiguous.is_empty():
        sound = cells.join(ambiguous, on=["file_no", "start_number"], how="anti", maintain_order="left")
    paired = pl.col("opponent_number").is_not_null()
    claims = sound.select(_CLAIM).with_row_index("cell").filter(paired)
    first, second = _reciprocal_claims(claims, numbers, len(players))
    games, others, pair_findings = judge(sound, first, second)
    selves = claims.filter(pl.col("start_number") == pl.col("opponent_number"))["cell"]
    # Nearly always every claim is reciprocated.
    one_sided = claims["cell"].clear()
    if 2 * len(first) + len(selves) < len(claims):
        one_sided = claims.filter(~pl.col("cell").is_in(pl.concat([first, second, selves]).implode()))["cell"]
    one_sided_findings, unplayed = _judge_one_sided(sound[one_sided], sound, players, ambiguous)
    unpaired = sound.filter(~paired)
    return PairedGames(
        PAIRED_GAME.conform(games),
        limit_per_rule(
            pl.concat(
                [
                    pair_findings,
                    one_sided_findings,
                    _own_opponents(sound[selves]),
                    _without_opponent(unpaired),
                    _repeated_pairs(games),
                    colours_exchanged(games),
                    _allocated_twice(sound),
                ]
            )
        ),
        _counts(players, games, others, unplayed, unpaired),
        numbers,
    )


def _reciprocal_claims(claims: pl.DataFrame, numbers: StartNumbers, players: int) -> tuple[pl.Series, pl.Series]:
    """Return the ``cell`` of both of every two ``claims`` that name each other, once, the lower start number first.

    The place of a player's cell of a round is computed: after the places of the players before, by the round. So the
    opponent's cell is looked up in a table of all places, which is far cheaper than a join. A missing round takes a
    place only before a round that is there: the table is never larger than the text of the reports.
    """
    own, number = numbers.rows(claims["file_no"], claims["start_number"]), claims["round"]
    rounds = _last_rounds(own, number, players)
    before = rounds.cum_sum() - rounds
    empty = pl.Series([None], dtype=pl.UInt32).new_from_index(0, int(rounds.sum()))
    table = empty.scatter(before.gather(own) + number - 1, pl.int_range(len(claims), dtype=pl.UInt32, eager=True))
    # Each pair is searched once, from its lower start number.
    lower = claims.filter(pl.col("start_number") < pl.col("opponent_number"))
    opponent, number = numbers.rows(lower["file_no"], lower["opponent_number"]), lower["round"]
    is_in_table = number <= rounds.gather(opponent)
    place = pl.DataFrame([(before.gather(opponent) + number - 1).alias("place"), is_in_table.alias("is_in_table")])
    partner = table.gather(place.select(pl.when("is_in_table").then("place")).to_series())
    is_reciprocal = (claims["opponent_number"].gather(partner) == lower["start_number"]).fill_null(value=False)
    return lower["cell"].filter(is_reciprocal), claims["cell"].gather(partner.filter(is_reciprocal))


def _last_rounds(player: pl.Series, number: pl.Series, players: int) -> pl.Series:
    """Return the last of the rounds ``number`` of each of ``players``; 0 where a player has none."""
    place = player * 256 + number.cast(pl.UInt32)
    if not place.is_sorted():
        order = place.arg_sort()
        player, number = player.gather(order), number.gather(order)
    last = (player != player.shift(-1)).fill_null(value=True).arg_true()
    return pl.zeros(players, pl.Int32, eager=True).scatter(player.gather(last), number.gather(last))


def _judge_one_sided(
    one_sided: pl.DataFrame, sound: pl.DataFrame, players: pl.DataFrame, ambiguous: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judge cells whose opponent does not name them: return findings, and the cells to count as forfeits or byes."""
    if one_sided.is_empty():
        return FILE_FINDING.empty(), one_sided
    by_number = ["file_no", "opponent_number"]
    files = one_sided.select("file_no").unique()
    players = players.join(files, on="file_no", how="semi")
    sound = sound.join(files, on="file_no", how="semi")
    numbers = players.select("file_no", pl.col("start_number").alias("opponent_number"), pl.col("line").alias("line_b"))
    # A player line without a readable start number may be the missing opponent.
    nameless = players.filter(pl.col("start_number").is_null()).select("file_no").unique()
    rows = one_sided.filter(pl.col("code") != UNREADABLE)
    if not ambiguous.is_empty():
        rows = rows.join(ambiguous.rename({"start_number": "opponent_number"}), on=by_number, how="anti")
    opponent_unknown = rows.join(numbers, on=by_number, how="anti").join(nameless, on="file_no", how="anti")
    opponent_known = rows.join(numbers, on=by_number, how="inner").join(
        sound.select(
            "file_no",
            "round",
            pl.col("start_number").alias("opponent_number"),
            pl.col("opponent_number").alias("named"),
            pl.col("code").alias("code_b"),
        ),
        on=["file_no", "round", "opponent_number"],
        how="left",
    )
    opponent_known = opponent_known.filter(pl.col("code_b").fill_null("") != UNREADABLE)
    opponent_line = (
        pl.when(pl.col("code_b").is_null())
        .then(pl.format("line {} of that player has nothing in round {}", "line_b", "round"))
        .when(pl.col("named").is_null())
        .then(pl.format("line {} of that player has '{}' without opponent in round {}", "line_b", "code_b", "round"))
        .otherwise(pl.format("line {} of that player names {} in round {}", "line_b", "named", "round"))
    )
    code, line, opponent = pl.col("code"), pl.col("line"), pl.col("opponent_number")
    is_bye, is_blank = code.is_in(BYES), code == ""
    column = pl.col("column")
    findings = pl.concat(
        [
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
                opponent_known.filter(is_blank),
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
    )
    return findings, rows


def _own_opponents(cells: pl.DataFrame) -> pl.DataFrame:
    return finding(
        "opponent_self",
        cells.filter(pl.col("code") != UNREADABLE),
        line=pl.col("line"),
        column=pl.col("column"),
        value=pl.col("start_number"),
        detail=pl.col("round"),
    )


def _without_opponent(unpaired: pl.DataFrame) -> pl.DataFrame:
    return finding(
        "opponent_missing",
        unpaired.filter(pl.col("code").is_in(PLAYED)),
        line=pl.col("line"),
        column=pl.col("column"),
        value=pl.col("code"),
        detail=pl.col("round"),
    )


def _repeated_pairs(games: pl.DataFrame) -> pl.DataFrame:
    """Return a note for each two players with more than one game: correct in a double round robin, rare elsewhere."""
    low, high = pl.min_horizontal("white_number", "black_number"), pl.max_horizontal("white_number", "black_number")
    pair_key = (pl.col("file_no").cast(pl.Int64) * 16384 + low) * 16384 + high
    key = games.select(pair_key.alias("key")).to_series()
    # Nearly always there are none, and counting costs half of marking the repeated pairs.
    repeated = games.clear() if key.n_unique() == len(key) else games.filter(key.is_duplicated())
    repeated = repeated.with_columns(low.alias("low"), high.alias("high"))
    line = pl.min_horizontal("white_line", "black_line")
    return pairs_repeated(repeated.with_columns(line.alias("line")))


def _allocated_twice(cells: pl.DataFrame) -> pl.DataFrame:
    rounds = (
        cells.filter(pl.col("code") == "U")
        .group_by("file_no", "round")
        .agg(pl.col("line").max(), pl.len())
        .filter(pl.col("len") > 1)
    )
    return finding(
        "bye_allocated_twice",
        rounds,
        line=pl.col("line"),
        column=92 + 10 * (pl.col("round") - 1),
        value=pl.col("round"),
        detail=pl.col("len"),
    )


def _counts(
    players: pl.DataFrame, games: pl.DataFrame, others: pl.DataFrame, one_sided: pl.DataFrame, unpaired: pl.DataFrame
) -> pl.DataFrame:
    """Count the games, forfeits and byes of every file; ``others`` are the pairs of cells that are no game.

    A ``-`` without opponent is an absence, a ``+`` without opponent a forfeit; a pair of unplayed results is one.
    """
    absent = (*BYES, "", "-")
    unplayed = others.filter(pl.col("code").is_in(UNPLAYED) | pl.col("code_b").is_in(UNPLAYED))
    forfeits = [
        unplayed,
        one_sided.filter(pl.col("code").is_in(UNPLAYED)),
        unpaired.filter(pl.col("code").is_in([code for code in UNPLAYED if code != "-"])),
    ]
    byes = [
        unpaired.filter(pl.col("code").is_in(absent)),
        one_sided.filter(pl.col("code").is_in(BYES)),
        others.filter(pl.col("code").is_in(BYES)),
        others.filter(pl.col("code_b").is_in(BYES)),
    ]
    counted = players.select("file_no").unique()
    for name, frames in (("games", [games]), ("forfeits", forfeits), ("byes", byes)):
        number = pl.concat([frame.select("file_no") for frame in frames]).group_by("file_no").agg(pl.len().alias(name))
        counted = counted.join(number, on="file_no", how="left")
    return counted.select(pl.col(name).cast(dtype).fill_null(0) for name, dtype in COUNTS.items()).sort("file_no")


class StartNumbers:
    """The start numbers of a batch of reports.

    ``players``: ``file_no`` and ``start_number`` (null where it cannot be read), one row per player line.
    ``repeated``: the numbers (``file_no``, ``start_number``) that are on more than one line of a file; such a number is
    looked up as the first of those lines.
    """

    def __init__(self, players: pl.DataFrame) -> None:
        numbered = players.select("file_no", "start_number").with_row_index("row").drop_nulls("start_number")
        files, highest = numbered.select(pl.max("file_no", "start_number").fill_null(0)).row(0)
        # Every file has as many places as the highest number of all files, so that a place is computed, not searched.
        # A start number has four digits, so a batch has some million places at most.
        self._highest = highest
        places = self._places(numbered["file_no"], numbered["start_number"])
        empty = pl.Series([None], dtype=pl.UInt32).new_from_index(0, (files + 1) * (highest + 1))
        # The last value written to a place remains, so the rows are written in reverse order.
        self._row = empty.scatter(places.reverse(), numbered["row"].reverse())
        is_unique = len(empty) - self._row.null_count() == len(numbered)
        repeated = numbered.clear() if is_unique else numbered.filter(places.is_duplicated())
        self.repeated = repeated.select("file_no", "start_number").unique()

    def rows(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        """Return the row in the players of each ``start_number``; null where no player has it, or it is null.

        Every ``file_no`` must have players.
        """
        return self._row.gather(self._places(file_no, start_number))

    def _places(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        place: pl.Series = file_no * (self._highest + 1) + start_number
        is_beyond = start_number > self._highest
        if not is_beyond.any():
            return place
        beyond = pl.DataFrame([place.alias("place"), is_beyond.alias("beyond")])
        return beyond.select(pl.when(~pl.col("beyond")).then("place")).to_series()


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
