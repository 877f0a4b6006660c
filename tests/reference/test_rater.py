"""The second rater against worked examples of the literature: it is only worth comparing with if it is right."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from tests.reference.formulas import coefficient, entry, half_away_from_zero, is_junior, limited
from tests.reference.office import Game, Office, Player, Report, Settled, Standing
from tests.reference.rater import rate_month
from tests.reference.regulations import expected_hundredths, text_on

COURSE = text_on("course", "standard", date(2025, 1, 1))
FIDE_2017 = text_on("fide", "standard", date(2017, 7, 1))
FIDE_2024 = text_on("fide", "standard", date(2024, 3, 1))


def an_event(family: str, month: str, start: date, own: tuple[int, int], results: list[tuple[int, int]]):
    """Player 1, with ``own`` rating and games played, meets opponents of ``results`` (rating, half points)."""
    before = f"{start:%Y-%m}"
    lists = [Standing(before, "standard", 1, own[0], games_played=own[1])]
    lists += [Standing(before, "standard", 10 + n, rating) for n, (rating, _) in enumerate(results)]
    games = tuple(Game(n + 1, 1, 10 + n, halves, 2 - halves) for n, (_, halves) in enumerate(results))
    ids = tuple(one.fide_id for one in lists)
    report = Report("E", 1, start, start, start, games, ids, games_digest="E")
    return rate_month(Office(month, family, tuple(lists), tuple(Player(one) for one in ids), (report,)))


@pytest.mark.parametrize(
    ("games", "mean", "halves", "rating"),
    [
        (6, 1810, 6, 1810),
        (6, 1810, 7, 1830),
        (6, 1810, 12, 1930),
        (6, 1810, 4, 1685),
        (11, 1950, 11, 1950),
        (11, 1950, 13, 1990),
        (11, 1950, 9, 1885),
        (11, 1950, 15, 2030),
        (11, 1950, 7, 1817),
    ],
)
def test_entry_by_twenty_points_per_half_point(games, mean, halves, rating):
    assert entry(COURSE, games, halves, games * mean)["computed_rating"] == rating


@pytest.mark.parametrize(
    ("games", "opponents", "halves", "rating"),
    [(5, 9507, 6, 1922), (8, 12620, 8, 1622), (6, 11920, 10, 2133)],
)
def test_entry_with_two_draws_at_1800(games, opponents, halves, rating):
    assert entry(FIDE_2024, games, halves, opponents)["computed_rating"] == rating


def test_no_entry_above_2200():
    assert entry(FIDE_2024, 9, 18, 9 * 2300)["computed_rating"] == 2200


def test_an_entry_needs_five_games():
    row = entry(FIDE_2024, 4, 8, 4 * 2000)
    assert (row["computed_rating"], row["published"], row["reason"]) == (None, False, "too_few_games")


def test_the_literature_s_change_of_a_new_player():
    results = [(2050, 1), (2100, 0), (1900, 2), (2070, 0), (1970, 1)]
    published = an_event("course", "2025-11", date(2025, 10, 3), (1810, 10), results)
    row = next(row for row in published.changes if row["fide_id"] == 1)
    assert (row["k"], row["change_hundredths"], row["change"], row["new_rating"]) == (40, 3160, 32, 1842)


def test_the_french_handbook_s_change_with_a_difference_over_400():
    results = [(1812, 2), (2148, 0), (2515, 1), (1413, 2), (2109, 0)]
    published = an_event("fide", "2024-06", date(2024, 5, 3), (1923, 100), results)
    row = next(row for row in published.changes if row["fide_id"] == 1)
    assert (row["k"], row["change_hundredths"], row["change"]) == (20, 740, 7)


def test_22_games_at_k_40_are_rated_with_k_31():
    assert limited(FIDE_2017, 40, 22) == 31


def test_k_40_stands_while_k_times_games_is_700_or_less():
    assert limited(FIDE_2017, 20, 35) == 20


def test_who_once_had_2400_keeps_k_10():
    state = Standing("2025-10", "standard", 1, 2250, games_played=3, reached_2400=True, reached_2300=True)
    assert coefficient(FIDE_2024, state, junior=True) == 10


def test_a_junior_who_reached_2300_has_k_20():
    state = Standing("2025-10", "standard", 1, 2250, games_played=90, reached_2300=True)
    assert coefficient(FIDE_2024, state, junior=True) == 20


@pytest.mark.parametrize(("day", "junior"), [(date(2026, 2, 28), True), (date(2026, 3, 1), False)])
def test_born_on_29_february_is_18_on_1_march(day, junior):
    assert is_junior(COURSE, Player(1, birth_date=date(2008, 2, 29)), day) is junior


@pytest.mark.parametrize(("day", "junior"), [(date(2025, 12, 1), True), (date(2026, 1, 1), False)])
def test_later_texts_go_by_the_year_of_birth(day, junior):
    assert is_junior(FIDE_2024, Player(1, birth_date=date(2007, 1, 2)), day) is junior


@pytest.mark.parametrize(("exact", "rounded"), [(-2.5, -3), (2.5, 3), (-2.25, -2), (0.5, 1), (-0.25, 0)])
def test_halves_go_away_from_zero(exact, rounded):
    assert half_away_from_zero(Fraction(exact)) == rounded


@pytest.mark.parametrize(
    ("difference", "expected"), [(0, 50), (3, 50), (-3, 50), (4, 51), (-4, 49), (-260, 18), (735, 99), (736, 100)]
)
def test_expected_scores_of_the_table(difference, expected):
    assert expected_hundredths(difference) == expected


def test_the_difference_is_cut_for_the_weaker_player_alone_from_october_2025():
    published = an_event("fide", "2025-11", date(2025, 10, 3), (2700, 100), [(2200, 1)])
    used = {row["fide_id"]: row["difference_used"] for row in published.games}
    assert used == {1: 500, 10: -400}


def test_in_2022_only_the_largest_difference_in_favour_is_cut():
    published = an_event("fide", "2023-06", date(2023, 5, 3), (2500, 100), [(2000, 2), (1900, 2), (2950, 1)])
    used = [row["difference_used"] for row in published.games if row["fide_id"] == 1]
    assert used == [500, 400, -400]


def test_a_player_falling_below_the_floor_is_delisted_and_keeps_his_counter():
    published = an_event("fide", "2025-11", date(2025, 10, 3), (1401, 100), [(1400, 0)])
    row = next(row for row in published.list_state if row["fide_id"] == 1)
    assert (row["rating"], row["k"], row["games"], row["games_played"]) == (None, None, 1, 101)


def test_the_step_of_march_2024_comes_after_the_changes():
    published = an_event("fide", "2024-03", date(2024, 2, 3), (1500, 100), [(1500, 2)])
    row = next(row for row in published.changes if row["fide_id"] == 1)
    assert (row["old_rating"], row["change"], row["new_rating"]) == (1500, 10, 1706)


def in_slices(*reports: Report, earlier: tuple[Settled, ...] = (), month: str = "2025-11"):
    """What a list of players rated 2000 makes of reports; by event and round, why the games are not rated."""
    ids = range(1, 9)
    lists = tuple(Standing("2025-10", "standard", one, 2000, games_played=100) for one in ids)
    office = Office(month, "fide", lists, tuple(Player(one) for one in ids), reports, earlier=earlier)
    published = rate_month(office)
    games = {(row["event_id"], row["round"]): row["reason"] for row in published.games}
    return {row["event_id"]: row["status"] for row in published.events}, games


def a_slice(name: str, day: int, *games: Game, **more) -> Report:
    """A report of one day of October, received on the next."""
    rounds = [game.round for game in games]
    return Report(
        more.pop("code", "L"),
        more.pop("version", 1),
        date(2025, 10, day + 1),
        date(2025, 10, day),
        date(2025, 10, day),
        games,
        tuple(range(1, 9)),
        report_id=name,
        games_digest=name,
        first_round=min(rounds),
        last_round=max(rounds),
        **more,
    )


FIRST = a_slice("first", 4, Game(1, 1, 2, 2, 0), Game(2, 3, 4, 1, 1))
SECOND = a_slice("second", 11, Game(3, 1, 3, 2, 0))


def test_two_slices_in_a_list():
    events, games = in_slices(SECOND, FIRST)
    assert events == {"L": "rated", "L/2025-10-11": "rated"}
    assert games == {("L", 1): "", ("L", 2): "", ("L/2025-10-11", 3): ""}


def test_a_slice_after_one_that_an_earlier_list_rated():
    assert in_slices(FIRST, SECOND, earlier=(Settled(FIRST, "rated", FIRST.games),))[0] == {"L": "rated"}


def test_a_first_slice_after_a_later_one_that_an_earlier_list_rated():
    assert in_slices(FIRST, SECOND, earlier=(Settled(SECOND, "rated", SECOND.games),))[0] == {"L": "rated"}


def test_a_slice_that_repeats_a_round_with_another_result():
    repeating = a_slice("second", 11, Game(2, 3, 4, 2, 0), Game(3, 1, 3, 2, 0))
    earlier = (Settled(FIRST, "rated", FIRST.games),)
    assert in_slices(FIRST, repeating, earlier=earlier)[1] == {("L", 2): "same_game", ("L", 3): ""}


def test_another_event_under_the_code():
    other = a_slice("other", 4, Game(1, 5, 6, 2, 0))
    assert in_slices(FIRST, replace(other, received_on=date(2025, 10, 3)))[0] == {"L": "rated", "L#other": "refused"}


def test_a_game_under_two_codes_without_dates():
    copy = a_slice("copy", 4, Game(2, 3, 4, 1, 1), Game(9, 5, 6, 2, 0), code="M")
    elsewhere = ("M", 2)
    assert in_slices(FIRST, copy)[1][elsewhere] == "same_game"
    assert in_slices(FIRST, replace(copy, name="Another"))[1][elsewhere] == ""
    assert in_slices(FIRST, replace(copy, start_date=date(2025, 10, 5), end_date=date(2025, 10, 5)))[1][elsewhere] == ""
