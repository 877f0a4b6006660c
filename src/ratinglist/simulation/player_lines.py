"""Write the player lines of reports (001), and the lines of teams and byes.

Source: TRF16 and TRF26, records 001, 013, 240 and 310.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.deliveries import BOTH_WON, NO_ID, SHIFTED, TAB
from ratinglist.simulation.keyed_random import roll

_BLANK = " " * 10
POINT_HALVES = {"1": 2, "+": 2, "W": 2, "U": 2, "F": 2, "=": 1, "D": 1, "H": 1, "0": 0, "-": 0, "L": 0, "Z": 0}
_REQUESTED_BYES = ("H", "F", "Z")
_OLD_TITLES = {"GM": "g", "IM": "m", "FM": "f", "CM": "c", "WGM": "wg", "WIM": "wm", "WFM": "wf", "WCM": "wc"}
_IN_NAME = 16
"""Column of a damage: within the name, where a tab or a missing character shifts all columns after it."""


def reported_cells(deliveries: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Return the ``cells`` of each of ``deliveries``, with the planted wrong result where there is one.

    Out: ``delivery``, ``event_no``, ``start_number``, ``round``, ``opponent``, ``colour``, ``result`` and
    ``is_reported`` (false: a round of an earlier part of the event); sorted by delivery, start number and round.
    """
    reported = (
        deliveries.select("delivery", "event_no", "first_round", "last_round", "is_altered", "damage")
        .join(cells, on="event_no")
        .filter(pl.col("round") <= pl.col("last_round"))
        .with_columns(
            (pl.col("round") >= pl.col("first_round")).alias("is_reported"),
            (pl.col("damage") == BOTH_WON).alias("both_won"),
        )
        .sort("delivery", "start_number", "round")
    )
    # White's first win of the event becomes a draw in both lines, or a win in the opponent's line too.
    won = reported.filter(
        (pl.col("is_altered") | pl.col("both_won")) & (pl.col("colour") == "w") & (pl.col("result") == "1")
    )
    won = won.sort("delivery", "round", "start_number").group_by("delivery", maintain_order=True).first()
    wrong = pl.when("both_won").then(pl.lit("1")).otherwise(pl.lit("=")).alias("wrong")
    both = pl.concat(
        [
            won.select("delivery", "round", "start_number", wrong),
            won.select("delivery", "round", pl.col("opponent").alias("start_number"), wrong),
        ]
    )
    marked = reported.join(both, on=["delivery", "round", "start_number"], how="left", maintain_order="left")
    return marked.with_columns(pl.coalesce("wrong", "result").alias("result")).drop(
        *("wrong", "is_altered", "damage", "both_won", "first_round", "last_round")
    )


def player_lines(deliveries: pl.DataFrame, entrants: pl.DataFrame, reported: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return ``delivery``, ``start_number`` and ``line`` (001, without line end) of every player, sorted.

    ``entrants`` are those of :func:`ratinglist.simulation.entrants.entrants_of` with what
    :func:`ratinglist.simulation.people.with_list_data` adds; ``reported`` comes from :func:`reported_cells`. ``seed``
    draws the line that is damaged.
    """
    opponent = pl.col("opponent").cast(pl.String).fill_null("0000").str.pad_start(4)
    text = pl.concat_str(pl.lit("  "), opponent, pl.lit(" "), "colour", pl.lit(" "), "result")
    # In a trimmed report an absence is blank too, which means the same.
    is_blank = ~pl.col("is_reported") | (pl.col("is_trimmed") & (pl.col("result") == "Z"))
    halves = pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32)
    results = (
        reported.join(deliveries.select("delivery", "is_trimmed"), on="delivery", maintain_order="left")
        .select(
            "delivery",
            "start_number",
            pl.when(is_blank).then(pl.lit(_BLANK)).otherwise(text).alias("cell"),
            pl.when("is_reported").then(halves).otherwise(0).alias("halves"),
        )
        .group_by("delivery", "start_number", maintain_order=True)
        .agg(pl.col("cell").str.join(""), pl.col("halves").sum())
    )
    rank = pl.struct(-pl.col("halves"), "start_number").rank("ordinal").over("delivery")
    lines = (
        deliveries.select("delivery", "event_no", "damage", "has_old_titles")
        .join(entrants, on="event_no")
        .join(results, on=["delivery", "start_number"])
        .sort("delivery", "start_number")
        .with_columns(rank.alias("rank"))
        .with_columns(_line().alias("line"))
    )
    return _damaged(lines, seed).select("delivery", "start_number", "line")


def team_lines(deliveries: pl.DataFrame, entrants: pl.DataFrame, reported: pl.DataFrame) -> pl.DataFrame:
    """Return ``delivery`` and ``lines`` (each with its line end) of the teams: 013 in TRF16, 310 in TRF26.

    ``reported`` comes from :func:`reported_cells`. Readers of 310 need the match points, game points and rank.
    """
    standings = team_standings(deliveries, entrants, reported)
    teams = (
        deliveries.select("delivery", "event_no", "is_trf26")
        .join(entrants.filter(pl.col("team").is_not_null()), on="event_no")
        .sort("delivery", "team", "board")
        .group_by("delivery", "is_trf26", "team", maintain_order=True)
        .agg(
            pl.col("start_number").cast(pl.String).str.pad_start(4).str.join(" ").alias("numbers"),
            pl.col("rating").mean().round(0).cast(pl.Int64).alias("strength"),
        )
        .join(standings, on=["delivery", "team"], how="left", maintain_order="left")
    )
    strength = pl.col("strength").cast(pl.String).fill_null("")
    match_points = pl.format("{}.0", "match_points")
    game_points = pl.format("{}.{}", pl.col("game_halves") // 2, pl.col("game_halves") % 2 * 5)
    name = pl.format("Team {}", "team").str.pad_end(32)
    short = pl.format("T{}", "team").str.pad_end(5)
    older = pl.concat_str(pl.lit("013 "), name, "numbers", pl.lit("\n"))
    newer = pl.concat_str(
        *(pl.lit("310 "), pl.col("team").cast(pl.String).str.pad_start(3), pl.lit(" "), name, pl.lit(" "), short),
        *(pl.lit(" "), strength.str.pad_start(6), pl.lit(" "), match_points.str.pad_start(6), pl.lit(" ")),
        *(game_points.str.pad_start(6), pl.lit(" "), pl.col("rank").cast(pl.String).str.pad_start(3)),
        *(pl.lit("  "), "numbers", pl.lit("\n")),
    )
    return _joined(teams.select("delivery", pl.when("is_trf26").then(newer).otherwise(older).alias("lines")))


def team_standings(deliveries: pl.DataFrame, entrants: pl.DataFrame, reported: pl.DataFrame) -> pl.DataFrame:
    """Return ``delivery``, ``team``, ``match_points``, ``game_halves`` and ``rank`` of every team.

    A match won gives two match points and a drawn one gives one; the game points, in half points, are those of the
    player lines. Teams with the same match points and game points have the same rank.
    """
    member = entrants.filter(pl.col("team").is_not_null()).select("event_no", "start_number", "team")
    teams = deliveries.select("delivery", "event_no").join(member.select("event_no", "team").unique(), on="event_no")
    halves = pl.col("result").replace_strict(POINT_HALVES, return_dtype=pl.Int32)
    opponents = member.rename({"start_number": "opponent", "team": "opponent_team"})
    scores = (
        reported.filter("is_reported")
        .join(member, on=["event_no", "start_number"])
        .join(opponents, on=["event_no", "opponent"], how="left")
        .group_by("delivery", "round", "team")
        .agg(halves.sum().alias("halves"), pl.col("opponent_team").max())
    )
    other = scores.select("delivery", "round", pl.col("team").alias("opponent_team"), pl.col("halves").alias("against"))
    outcome = (pl.col("halves") - pl.col("against")).sign() + 1
    points = (
        scores.join(other, on=["delivery", "round", "opponent_team"], how="left")
        .group_by("delivery", "team")
        .agg(outcome.sum().alias("match_points"), pl.col("halves").sum().alias("game_halves"))
    )
    order = pl.struct("match_points", "game_halves").rank("min", descending=True).over("delivery")
    return (
        teams.join(points, on=["delivery", "team"], how="left")
        .with_columns(pl.col("match_points", "game_halves").fill_null(0))
        .select("delivery", "team", "match_points", "game_halves", order.alias("rank"))
    )


def bye_lines(deliveries: pl.DataFrame, reported: pl.DataFrame) -> pl.DataFrame:
    """Return ``delivery`` and ``lines`` (each with its line end) of the requested byes: 240, in TRF26 only."""
    byes = (
        reported.filter(pl.col("is_reported") & pl.col("result").is_in(_REQUESTED_BYES))
        .join(deliveries.filter("is_trf26").select("delivery"), on="delivery", how="semi")
        .sort("delivery", "round", "result", "start_number")
        .group_by("delivery", "round", "result", maintain_order=True)
        .agg(pl.col("start_number").cast(pl.String).str.pad_start(4).str.join(" ").alias("numbers"))
    )
    number = pl.col("round").cast(pl.String).str.pad_start(3)
    line = pl.concat_str(pl.lit("240 "), "result", pl.lit(" "), number, pl.lit(" "), "numbers", pl.lit("\n"))
    return _joined(byes.select("delivery", line.alias("lines")))


def _joined(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.group_by("delivery", maintain_order=True).agg(pl.col("lines").str.join(""))


def _line() -> pl.Expr:
    """Return the player line (001)."""
    newer = pl.when(pl.col("title") != "").then("title").otherwise("women_title")
    title = pl.when("has_old_titles").then(newer.replace(_OLD_TITLES)).otherwise(newer)
    points = pl.format("{}.{}", pl.col("halves") // 2, pl.col("halves") % 2 * 5)
    fide_id = pl.col("fide_id").cast(pl.String)
    blank = pl.lit(" ")
    return pl.concat_str(
        *(pl.lit("001 "), pl.col("start_number").cast(pl.String).str.pad_start(4), blank),
        *(pl.when("woman").then(pl.lit("w")).otherwise(pl.lit("m")), title.str.pad_start(3), blank),
        *(pl.col("name").str.pad_end(33), blank),
        *(pl.col("rating").cast(pl.String).fill_null("").str.pad_start(4), blank, "federation", blank),
        *(fide_id.str.pad_start(11), blank, pl.col("birth_date").dt.to_string("%Y/%m/%d"), blank),
        *(points.str.pad_start(4), blank, pl.col("rank").cast(pl.String).str.pad_start(4), "cell"),
    )


def _damaged(lines: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return ``lines`` with one line of each damaged delivery damaged."""
    which = 1 + roll(seed, "damaged line", pl.col("event_no"), sides=pl.len().over("delivery"))
    line, damage = pl.col("line"), pl.col("damage")
    head = line.str.slice(0, _IN_NAME)
    damaged = (
        pl.when(damage == NO_ID)
        .then(pl.concat_str(line.str.slice(0, 57), pl.lit(" " * 11), line.str.slice(68)))
        .when(damage == SHIFTED)
        .then(pl.concat_str(head, line.str.slice(_IN_NAME + 1)))
        .when(damage == TAB)
        .then(pl.concat_str(head, pl.lit("\t"), line.str.slice(_IN_NAME + 1)))
    )
    is_damaged = damaged.is_not_null() & (pl.col("start_number") == which)
    return lines.with_columns(pl.when(is_damaged).then(damaged).otherwise(line).alias("line"))
