"""Pairing of round cells to games: both players' lines must agree.

A game counts where both lines name each other, report it as played, give different colours and no more than one point
together; 0-0 and unequal pairs such as ½-0 are legal decisions. Unplayed results are counted, and never refused for a
line that does not agree, because no rating depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule
from ratinglist.reports.pairings import colours_exchanged, judge, pairs_repeated
from ratinglist.result_codes import BYES, PLAYED, UNPLAYED, UNREADABLE
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
