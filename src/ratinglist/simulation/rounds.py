"""Play events by the Swiss system, a simplified Dutch system (Handbook C.04.3), all at once and round by round.

Players are ranked by score, then by start number. Players with equal scores are a group. The last player of a group
with an odd number floats down to the next group and meets its first player. Of the others the upper half meets the
lower half, first against first. Two players who have met, or who prefer the same colour, are separated by the smallest
exchange that helps (:mod:`~ratinglist.simulation.exchanges`): within the lower half, between the halves, then with the
neighbouring groups. With an odd number of players the bye goes to the last one who has had no point without playing.

Colour preferences are granted. Of two equal ones, the higher ranked player's is; in the first round the colour of the
top board is drawn by lot and the boards alternate.

Differences from the Dutch system: not all transpositions are compared in their full order, floaters of earlier rounds
are not protected, and the last round has no exception for the top scorers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import polars as pl

from ratinglist.simulation.exchanges import first_is_white, improve_boards, met, opponent_columns, preference, run_after
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.outcome import with_results

HALF_POINT_BYE_CHANCE = 25
"""Per thousand entrants: the player requests one, in any round but the last."""
FULL_POINT_CODE_CHANCE = 60
"""Per thousand events: the pairing program writes an allocated bye as a full-point bye, as older programs do."""

_FREE = {"row": pl.UInt32(), "code": pl.String()}
_CELL_COLUMNS = ("event_no", "round", "start_number", "opponent", "colour", "result")


_FIRST_RANKS_HIGHER = (pl.col("score_first") > pl.col("score_second")) | (
    (pl.col("score_first") == pl.col("score_second")) & (pl.col("place_first") < pl.col("place_second"))
)


def play_rounds(events: pl.DataFrame, entrants: pl.DataFrame, seed: int, expected: pl.Series) -> list[pl.DataFrame]:
    """Return the cells of ``events``, one frame a round, with the columns of :func:`~ratinglist.simulation.play.play`.

    ``events``: ``event_no``, ``rounds``. ``entrants``: ``event_no``, ``start_number``, ``strength``,
    ``enters_round``, ``leaves_after``. ``expected`` as in :func:`~ratinglist.simulation.outcome.with_results`.
    """
    players = _initial_players(events, entrants, seed)
    cells = []
    for round_no in range(1, 1 + int(events.select(pl.col("rounds").max().fill_null(0)).item())):
        present, free = _split_present(players, round_no)
        boards, unpaired = _pair(present, players)
        games = _play_boards(boards, players, round_no, seed, expected)
        played = _with_cells(players, games, pl.concat([free, unpaired]), round_no)
        cells.append(played.filter(pl.col("rounds") >= round_no).select(*_CELL_COLUMNS))
        players = _update_players(played, round_no)
    return cells


def _initial_players(events: pl.DataFrame, entrants: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return all players, sorted by event and place; a player's ``row`` is their position in this frame."""
    event, number = pl.col("event_no"), pl.col("start_number")
    listed = entrants.join(events.select("event_no", "rounds"), on="event_no")
    requests_bye = per_thousand(seed, "half-point bye", event, number, chance=HALF_POINT_BYE_CHANCE)
    bye_round = 1 + roll(seed, "half-point bye round", event, number, sides=pl.max_horizontal(pl.col("rounds") - 1, 1))
    writes_full_point = per_thousand(seed, "bye code", event, chance=FULL_POINT_CODE_CHANCE)
    return (
        listed.sort("event_no", "start_number")
        .with_row_index("row")
        .select(
            "row",
            "event_no",
            "start_number",
            "strength",
            "rounds",
            "enters_round",
            "leaves_after",
            place=pl.col("start_number").cast(pl.Int64),
            lot=roll(seed, "first colour", event, sides=2),
            half_point_bye=pl.when(requests_bye & (pl.col("rounds") > 1)).then(bye_round).otherwise(0).cast(pl.Int32),
            bye_code=pl.when(writes_full_point).then(pl.lit("F")).otherwise(pl.lit("U")),
            score=pl.lit(0, dtype=pl.Int32),
            balance=pl.lit(0, dtype=pl.Int32),
            run=pl.lit(0, dtype=pl.Int32),
            preference=pl.lit(0, dtype=pl.Int32),
            had_bye=pl.lit(value=False),
        )
    )


def _is_present(round_no: int) -> pl.Expr:
    return (pl.col("enters_round") <= round_no) & (pl.col("leaves_after") >= round_no)


def _split_present(players: pl.DataFrame, round_no: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the players to be paired in this round, an even number in each event, and who has a bye.

    The second frame has ``row`` and ``code``, one row for each event with an odd number.
    """
    present = players.filter(
        _is_present(round_no) & (pl.col("half_point_bye") != round_no) & (pl.col("rounds") >= round_no)
    )
    odd = present.filter(pl.len().over("event_no") % 2 == 1)
    # A player who has had a point without playing is free again only if all players have had one; then without a point.
    free = (
        odd.sort("event_no", "had_bye", "score", "place", descending=[False, False, False, True])
        .group_by("event_no", maintain_order=True)
        .first()
        .select("row", code=pl.when("had_bye").then(pl.lit("Z")).otherwise("bye_code"))
    )
    return present.filter(~pl.col("row").is_in(free["row"].implode())), free


def _pair(present: pl.DataFrame, players: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the boards of this round, and the ``row`` and ``code`` of the players for whom no opponent remains."""
    boards = improve_boards(swiss_boards(present), players)
    met_again = met(boards, players)
    if not met_again.any():
        return boards, pl.DataFrame(schema=_FREE)
    is_unsolved = pl.col("event_no").is_in(boards.filter(met_again)["event_no"].unique().implode())
    matched, unpaired = _pair_by_matching(present.filter(is_unsolved), players)
    return pl.concat([boards.filter(~is_unsolved), matched]), unpaired


def swiss_boards(present: pl.DataFrame) -> pl.DataFrame:
    """Return the boards (``event_no``, ``first``, ``second``) of the players ``present``, an even number in each event.

    ``present`` has ``event_no``, ``row``, ``score`` (half points) and ``place``. Earlier games are not considered.
    """
    ranked = present.sort("event_no", "score", "place", descending=[False, True, False]).select(
        "event_no", "row", "score", rank=pl.int_range(pl.len(), dtype=pl.Int64).over("event_no")
    )
    group = ["event_no", "score"]
    top, bottom = pl.col("rank").min().over(group), pl.col("rank").max().over(group)
    # Brackets begin at even ranks: if a group begins at an odd rank, the player before it floats down to it.
    floats_down = (bottom % 2 == 0) & (pl.col("rank") == bottom)
    bracketed = ranked.with_columns(bracket=pl.when(floats_down).then("rank").otherwise(top - top % 2))
    score = pl.col("score")
    bracketed = bracketed.with_columns(
        inside=pl.col("rank") - pl.col("bracket"),
        half=pl.len().cast(pl.Int64).over("event_no", "bracket") // 2,
        floaters=(score.max() != score.min()).cast(pl.Int64).over("event_no", "bracket"),
    )
    # A floater meets the first player of the group; the halves are made of the others.
    inside, floaters, half = pl.col("inside"), pl.col("floaters"), pl.col("half")
    within, halved = inside - 2 * floaters, half - floaters
    seated = bracketed.with_columns(
        board=pl.col("bracket") // 2 + pl.when(within < 0).then(0).otherwise(floaters + within % halved),
        side=pl.when(within < 0).then(inside).otherwise(within // halved),
    ).sort("event_no", "board", "side")
    return pl.DataFrame(
        {
            "event_no": seated["event_no"].gather_every(2),
            "first": seated["row"].gather_every(2),
            "second": seated["row"].gather_every(2, 1),
        }
    )


def _pair_by_matching(present: pl.DataFrame, players: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the same as :func:`_pair`, event by event, for the few events that exchanges do not solve."""
    history = opponent_columns(players)
    boards: list[tuple[int, int, int]] = []
    unpaired: list[tuple[int, str]] = []
    ranked = present.sort("event_no", "score", "place", descending=[False, True, False])
    for (event_no,), event in ranked.group_by("event_no", maintain_order=True):
        rows = event["row"].to_list()
        have_met = [set(opponents) for opponents in event.select(history).iter_rows()]
        # Ranked by score: two near places have near scores.
        pairs = pair_unmet(
            (one, other) for one, other in combinations(range(len(rows)), 2) if rows[other] not in have_met[one]
        )
        boards += [(event_no, rows[one], rows[other]) for one, other in pairs]
        seated = {one for pair in pairs for one in pair}
        unpaired += [(row, "Z") for one, row in enumerate(rows) if one not in seated]
    board = {"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()}
    return (
        pl.DataFrame(boards, schema=board, orient="row"),
        pl.DataFrame(unpaired, schema=_FREE, orient="row"),
    )


def _play_boards(
    boards: pl.DataFrame, players: pl.DataFrame, round_no: int, seed: int, expected: pl.Series
) -> pl.DataFrame:
    """Return the games, ``white`` and ``black`` (rows) with their codes, in the order of the boards."""
    side = {
        f"{name}_{of}": players[name].gather(boards[of])
        for name in ("preference", "balance", "score", "place")
        for of in ("first", "second")
    }
    white = first_is_white(
        pl.col("preference_first"),
        pl.col("preference_second"),
        pl.col("balance_first") - pl.col("balance_second"),
        pl.when(pl.col("preference_first") == 0)
        .then(pl.col("place_first") % 2 == pl.col("lot"))
        .otherwise((pl.col("preference_first") > 0) == _FIRST_RANKS_HIGHER),
    )
    lot = players["lot"].gather(boards["first"])
    coloured = boards.with_columns(**side, lot=lot).select(
        "event_no",
        round=pl.lit(round_no, dtype=pl.Int32),
        white=pl.when(white).then("first").otherwise("second"),
        black=pl.when(white).then("second").otherwise("first"),
    )
    games = coloured.with_columns(
        white_number=players["start_number"].gather(coloured["white"]),
        black_number=players["start_number"].gather(coloured["black"]),
        white_strength=players["strength"].gather(coloured["white"]),
        black_strength=players["strength"].gather(coloured["black"]),
        white_absent=pl.lit(value=False),
        black_absent=pl.lit(value=False),
    )
    return with_results(games, seed, expected)


def _with_cells(players: pl.DataFrame, games: pl.DataFrame, free: pl.DataFrame, round_no: int) -> pl.DataFrame:
    """Return ``players`` with this round's ``opponent`` and ``opponent_row``, ``colour`` and ``result``."""
    white, black = games["white"], games["black"]
    both = pl.concat([white, black])
    no_text = pl.Series([None], dtype=pl.String).new_from_index(0, len(players))
    # Free players and players of games are different rows, so the order of writing does not matter.
    codes = pl.concat([free["code"], games["white_code"], games["black_code"]])
    result = no_text.clone().scatter(pl.concat([free["row"], both]), codes)
    no_row = pl.Series([None], dtype=pl.UInt32).new_from_index(0, len(players))
    opponent_row = no_row.scatter(both, pl.concat([black, white]))
    sides = pl.concat([pl.Series([colour]).new_from_index(0, len(games)) for colour in ("w", "b")])
    return players.with_columns(
        round=pl.lit(round_no, dtype=pl.Int32),
        opponent_row=opponent_row,
        opponent=players["start_number"].gather(opponent_row),
        colour=no_text.scatter(both, sides).fill_null("-"),
        result=result.alias("result"),
    ).with_columns(
        result=pl.col("result").fill_null(
            pl.when(_is_present(round_no) & (pl.col("half_point_bye") == round_no))
            .then(pl.lit("H"))
            .otherwise(pl.lit("Z"))
        )
    )


def _update_players(played: pl.DataFrame, round_no: int) -> pl.DataFrame:
    """Return ``played``, from :func:`_with_cells`, with scores, colours and opponents after the round."""
    result = pl.col("result")
    over_the_board = result.is_in(["1", "=", "0"])
    colour = (
        pl.when(over_the_board & (pl.col("colour") == "w"))
        .then(1)
        .when(over_the_board & (pl.col("colour") == "b"))
        .then(-1)
        .otherwise(0)
        .cast(pl.Int32)
    )
    points = pl.when(result.is_in(["1", "+", "U", "F"])).then(2).when(result.is_in(["=", "H"])).then(1).otherwise(0)
    return (
        played.with_columns(
            score=(pl.col("score") + points).cast(pl.Int32),
            balance=pl.col("balance") + colour,
            run=run_after(pl.col("run"), colour),
            # A forfeit win is a point without a game, too.
            had_bye=pl.col("had_bye") | result.is_in(["U", "F", "+"]),
        )
        .with_columns(preference=preference(pl.col("balance"), pl.col("run")))
        .rename({"opponent_row": f"met_{round_no}"})
        .drop("round", "opponent", "colour", "result")
    )


def pair_unmet(unmet: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return as many of the pairs ``unmet`` as possible, each player in one pair at most, in ascending order.

    ``unmet`` has the places of every two players who have not met, the smaller place first. Of all largest sets of
    pairs the result is one with the smallest sum of squared distances between the two places.

    Only events with more rounds than half their players need it, and those are small. With fewer rounds an exchange
    between two boards always exists, see :mod:`~ratinglist.simulation.exchanges`. Every set of players who are still
    free is looked at once: of 20 players some ten thousand sets.
    """
    pairs = sorted(unmet)
    opponents: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (player, opponent) in enumerate(pairs):
        opponents[player].append((opponent, number))

    @cache
    def best(free: int) -> tuple[int, int, int]:
        """Return the best pairs of the players whose bits are set in ``free``.

        They are the number of pairs, the sum of the squared distances, negative, and the bits of the pairs, which
        break every tie, so that one result is the best.
        """
        if not free:
            return 0, 0, 0
        others = free & (free - 1)
        player = (free ^ others).bit_length() - 1
        result = best(others)
        for opponent, number in opponents[player]:
            if others >> opponent & 1:
                count, nearness, bits = best(others ^ 1 << opponent)
                result = max(result, (count + 1, nearness - (opponent - player) ** 2, bits | 1 << number))
        return result

    _, _, bits = best(sum(1 << player for player in {player for pair in pairs for player in pair}))
    return [pair for number, pair in enumerate(pairs) if bits >> number & 1]
