"""Sides are scattered into a table of places instead of sorted: the order is the same, also where the table fails."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from ratinglist.rating.player_games import sides_of_games

Game = tuple[int, int, int, int]
"""Report, round and both players, by their position among the players of the report."""

PLAYERS = 6


@st.composite
def months(draw: st.DrawFn) -> tuple[list[int], list[str], list[Game]]:
    """Draw the reports of the judged events in their order, the status of each, and games of some of them."""
    reports = draw(st.permutations(range(draw(st.integers(0, 4)))))
    statuses = draw(
        st.lists(st.sampled_from(["rated", "late", "superseded"]), min_size=len(reports), max_size=len(reports))
    )
    # A game in round 90 alone makes a table that is nearly empty.
    rounds = st.one_of(st.integers(1, 3), st.just(90))
    pairs = st.tuples(st.integers(0, PLAYERS - 1), st.integers(0, PLAYERS - 1)).filter(lambda pair: pair[0] != pair[1])
    games = [
        (report, number, *pair)
        for report in reports
        for number, pair in draw(st.lists(st.tuples(rounds, pairs), max_size=5))
    ]
    return list(reports), statuses, games


@given(months())
def test_sides_are_ordered_by_event_round_and_player(month: tuple[list[int], list[str], list[Game]]) -> None:
    reports, statuses, games = month
    judged_events = pl.DataFrame(
        {"report_row": reports, "status": statuses}, schema={"report_row": pl.UInt32, "status": pl.String}
    )
    participants = pl.DataFrame(
        {"report_row": [report for report in sorted(reports) for _ in range(PLAYERS)]}, schema={"report_row": pl.UInt32}
    )
    rows = pl.DataFrame(
        [
            (report, number, report * PLAYERS + white, report * PLAYERS + black, 2, 0)
            for report, number, white, black in games
        ],
        schema={
            "report_row": pl.UInt32,
            "round": pl.Int32,
            "white_row": pl.UInt32,
            "black_row": pl.UInt32,
            "white_halves": pl.Int32,
            "black_halves": pl.Int32,
        },
        orient="row",
    ).with_columns(pl.lit(None, dtype=pl.Date).alias("date"))
    found = sides_of_games(judged_events, rows, participants).select(
        "event_row", "round", "participant_row", "opponent_row", "is_white"
    )
    expected = [
        (reports.index(report), number, report * PLAYERS + own, report * PLAYERS + other, is_white)
        for report, number, white, black in games
        if statuses[reports.index(report)] != "superseded"
        for own, other, is_white in ((white, black, True), (black, white, False))
    ]
    assert [row[:3] for row in found.rows()] == sorted(row[:3] for row in expected)
    assert sorted(found.rows()) == sorted(expected)
