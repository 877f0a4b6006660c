"""Write reports as text, TRF16 and TRF26 in turn, and the manifest with the facts that a report lacks.

Source of the player lines and of those of teams and byes: TRF16 and TRF26, records 001, 013, 240 and 310.
"""

from __future__ import annotations

import polars as pl

from ratinglist.result_codes import POINT_HALVES
from ratinglist.simulation.deliveries import BOTH_WON, NO_ID, SHIFTED, TAB
from ratinglist.simulation.events import round_day
from ratinglist.simulation.keyed_random import roll

_BLANK = " " * 10
_REQUESTED_BYES = ("H", "F", "Z")
_OLD_TITLES = {"GM": "g", "IM": "m", "FM": "f", "CM": "c", "WGM": "wg", "WIM": "wm", "WFM": "wf", "WCM": "wc"}
_IN_NAME = 16
"""Column of a damage: within the name, where a tab or a missing character shifts all columns after it."""
_TYPES = {
    "swiss": ("Individual: Swiss System", "FIDE_DUTCH"),
    "round_robin": ("Individual: Round Robin", "FIDE_ROUNDROBIN"),
    "double_round_robin": ("Individual: Double Round Robin", "FIDE_DOUBLEROUNDROBIN"),
    "team": ("Team: Round Robin", "FIDE_TEAM_ROUNDROBIN"),
    "match": ("Individual: Match", "CUSTOM_ROUNDROBIN"),
}
"""Records 092 and 192. The code is one of FIDE's table of tournament types, which names no match of two players."""
_ROUND_DATES = 91


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

    ``entrants`` are those of :func:`ratinglist.simulation.participation.entrants_of` with what
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


def bye_lines(
    deliveries: pl.DataFrame, entrants: pl.DataFrame, reported: pl.DataFrame, *, of_teams: bool
) -> pl.DataFrame:
    """Return ``delivery`` and ``lines`` (each with its line end) of the requested byes: 240, in TRF26 only.

    ``of_teams``: in a team event a line names the teams none of whose players has an opponent, as engines read it, and
    not the players.
    """
    free = reported.filter(pl.col("is_reported") & pl.col("result").is_in(_REQUESTED_BYES))
    if of_teams:
        free = _with_teams_for_players(free, deliveries, entrants, reported)
    byes = (
        free.join(deliveries.filter("is_trf26").select("delivery"), on="delivery", how="semi")
        .sort("delivery", "round", "result", "start_number")
        .group_by("delivery", "round", "result", maintain_order=True)
        .agg(pl.col("start_number").cast(pl.String).str.pad_start(4).str.join(" ").alias("numbers"))
    )
    number = pl.col("round").cast(pl.String).str.pad_start(3)
    line = pl.concat_str(pl.lit("240 "), "result", pl.lit(" "), number, pl.lit(" "), "numbers", pl.lit("\n"))
    return _joined(byes.select("delivery", line.alias("lines")))


def _with_teams_for_players(
    byes: pl.DataFrame, deliveries: pl.DataFrame, entrants: pl.DataFrame, reported: pl.DataFrame
) -> pl.DataFrame:
    """Return ``byes`` with one row for each free team of a team event, its number in the place of a player's."""
    team = pl.col("team").is_not_null()
    members = deliveries.select("delivery", "event_no").join(entrants.filter(team), on="event_no")
    key = ("delivery", "round", "team")
    of_team = byes.join(members.select("delivery", "start_number", "team"), on=["delivery", "start_number"])
    paired = reported.filter(pl.col("opponent").is_not_null()).join(
        members.select("delivery", "start_number", "team"), on=["delivery", "start_number"]
    )
    free = (
        of_team.join(paired.select(key).unique(), on=list(key), how="anti")
        .unique([*key, "result"])
        .with_columns(pl.col("team").cast(byes.schema["start_number"]).alias("start_number"))
    )
    others = byes.join(members.select("delivery").unique(), on="delivery", how="anti")
    return pl.concat([others, free.select(others.columns)])


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


def manifest(due: pl.DataFrame) -> pl.DataFrame:
    """Return the manifest of the reports ``due`` (deliveries with the columns of their events).

    A TRF26 report contains its time control and thinking time, so they are empty in the manifest.
    """
    is_trf16 = ~pl.col("is_trf26")
    return due.select(
        *("file", "event_id", "version", "received_on", "event_type"),
        pl.when(is_trf16).then("time_control").alias("time_control"),
        pl.col("official").cast(pl.Int32),
        *("federation", "start_date", "end_date", "registered_on"),
        pl.when(is_trf16).then("minutes").alias("minutes_per_60_moves"),
    )


def texts_of(
    due: pl.DataFrame, entrants: pl.DataFrame, cells: pl.DataFrame, seed: int, *, byes_of_teams: bool = False
) -> pl.DataFrame:
    """Return ``delivery`` and ``text`` (lines ended by LF) of the reports ``due``, sorted by ``delivery``.

    ``due``: deliveries numbered by ``delivery``, with the columns of their events; the others as in
    :mod:`ratinglist.simulation.report_texts`. ``byes_of_teams``: as ``of_teams`` of :func:`bye_lines`.
    """
    reported = reported_cells(due, cells)
    players = player_lines(due, entrants, reported, seed)
    body = players.group_by("delivery", maintain_order=True).agg(
        pl.concat_str("line", pl.lit("\n")).str.join("").alias("players"), pl.len().alias("lines")
    )
    rated = (
        due.select("delivery", "event_no")
        .join(entrants.group_by("event_no").agg(pl.col("rating").count().alias("rated")), on="event_no")
        .select("delivery", "rated")
    )
    whole = due
    for part in (
        body,
        rated,
        _round_dates(due),
        team_lines(due, entrants, reported).rename({"lines": "team_lines"}),
        bye_lines(due, entrants, reported, of_teams=byes_of_teams).rename({"lines": "bye_lines"}),
    ):
        whole = whole.join(part, on="delivery", how="left", maintain_order="left")
    text = _text()
    trimmed = pl.when("is_trimmed").then(text.str.replace_all("(?m) +$", "")).otherwise(text)
    return whole.select("delivery", trimmed.alias("text")).sort("delivery")


def _text() -> pl.Expr:
    newer = pl.col("is_trf26")
    return pl.concat_str(
        *_lines("012", "name"),
        *_lines("022", "city"),
        *_lines("032", "federation"),
        *_lines("042", pl.col("start_date").dt.to_string("%Y/%m/%d")),
        *_lines("052", pl.col("end_date").dt.to_string("%Y/%m/%d")),
        *_lines("062", pl.col("lines").cast(pl.String)),
        *_lines("072", pl.col("rated").cast(pl.String)),
        *_lines("082", pl.col("teams").cast(pl.String)),
        *_lines("092", _type(0)),
        *_lines("102", "arbiter"),
        *_lines("122", pl.format("{} minutes for 60 moves", "minutes")),
        *(pl.lit("132".ljust(_ROUND_DATES)), "round_dates", pl.lit("\n")),
        pl.when(newer).then(_coded()).otherwise(pl.concat_str(*_lines("XXR", pl.col("rounds").cast(pl.String)))),
        pl.when(newer).then(pl.col("bye_lines").fill_null("")).otherwise(pl.lit("")),
        "players",
        pl.col("team_lines").fill_null(""),
    )


def _coded() -> pl.Expr:
    """Return the lines that only TRF26 has."""
    points = pl.when(pl.col("teams") > 0).then(pl.lit("362 TW 2.0   TD 1.0   TL 0.0\n")).otherwise(pl.lit(""))
    return pl.concat_str(
        *_lines("142", pl.col("rounds").cast(pl.String)),
        *_lines("152", pl.lit("W")),
        *_lines("192", _type(1)),
        *_lines("222", "clock"),
        points,
    )


def _lines(code: str, value: str | pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    return pl.lit(f"{code} "), pl.col(value) if isinstance(value, str) else value, pl.lit("\n")


def _type(at: int) -> pl.Expr:
    return pl.col("system").replace_strict({name: texts[at] for name, texts in _TYPES.items()})


def _round_dates(due: pl.DataFrame) -> pl.DataFrame:
    """Return ``delivery`` and ``round_dates``: a date for every round up to the last one reported, ten columns each.

    The rounds of an earlier part of the event are blank.
    """
    day = (pl.col("begins_on") + pl.duration(days=round_day(pl.col("round")))).cast(pl.Date)
    return (
        due.select(
            *("delivery", "begins_on", "is_long", "days", "rounds", "first_round"),
            pl.int_ranges(1, pl.col("last_round") + 1, dtype=pl.Int64).alias("round"),
        )
        .explode("round")
        .with_columns(
            pl.when(pl.col("round") >= pl.col("first_round"))
            .then(day.dt.to_string("%y/%m/%d  "))
            .otherwise(pl.lit(" " * 10))
            .alias("round_dates")
        )
        .group_by("delivery", maintain_order=True)
        .agg(pl.col("round_dates").str.join("").str.strip_chars_end())
    )
