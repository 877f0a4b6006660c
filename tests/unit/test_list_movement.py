"""How the lists of a replayed system move, counted on a few players by hand."""

import polars as pl

from ratinglist.laboratory.list_movement import movement_rows
from ratinglist.period import Period

FIRST = Period.parse("2025-01")


def listed(**players: tuple[int, int]) -> pl.DataFrame:
    """A list: rating and games of the players p1, p2 ..."""
    rows = [(int(name[1:]), *facts) for name, facts in sorted(players.items())]
    return pl.DataFrame(rows, schema={"fide_id": pl.Int64, "rating": pl.Int32, "games": pl.Int32}, orient="row")


def births(*players: int) -> pl.DataFrame:
    """Registered players, born 40 years before the first list but for player 2."""
    return pl.DataFrame({"fide_id": list(players), "birth_year": [2010 if one == 2 else 1985 for one in players]})


LISTS = {
    FIRST: listed(p1=(1500, 0), p2=(1600, 0), p3=(1700, 0)),
    FIRST + 1: listed(p1=(1520, 10), p2=(1590, 3), p3=(1700, 0), p9=(1400, 5)),
    FIRST + 2: listed(p1=(1510, 12), p2=(1580, 11), p9=(1430, 2)),
}


def test_lists_are_compared_player_by_player():
    # Player 9 is registered nowhere, and on no list before.
    official = {FIRST + 1: LISTS[FIRST + 1].select("fide_id", pl.col("rating") + pl.Series([0, 10, 20, 0]))}
    rows = {row["list_month"]: row for row in movement_rows("club", LISTS, official, births(1, 2, 3)).to_dicts()}
    second, third = rows["2025-02"], rows["2025-03"]
    assert (second["players"], second["mean_hundredths"]) == (4, 155_250)
    assert (second["entered"], second["entered_mean_hundredths"]) == (1, 140_000)
    assert (second["same_players"], second["same_mean_hundredths"]) == (2, 155_500)
    assert (second["cohort_players"], second["cohort_mean_hundredths"]) == (1, 152_000)
    assert (second["busy_players"], second["busy_change_hundredths"]) == (1, 2_000)
    assert (second["official_players"], second["official_difference_hundredths"]) == (4, -750)
    assert second["changed_twice"] is None
    assert (third["players"], third["entered"], third["entered_mean_hundredths"]) == (3, 0, None)
    # Player 1 went up and down, player 2 down twice.
    assert (third["changed_twice"], third["reversals"]) == (2, 1)
    assert (third["busy_players"], third["busy_change_hundredths"]) == (2, 1_000)
    assert third["official_players"] is None


def test_players_are_seen_again_twelve_lists_after_they_entered():
    months = {FIRST + number: listed(p1=(1500, 0)) if not number else LISTS[FIRST] for number in range(14)}
    last = movement_rows("club", months, {}, births(1, 2, 3)).row(-1, named=True)
    assert (last["entered_12_before"], last["mean_at_entry_hundredths"], last["mean_now_hundredths"]) == (
        2,
        165_000,
        165_000,
    )
