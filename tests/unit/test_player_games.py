"""Both sides of every game: the ratings used, the reason where a side is not rated, and its change."""

from dataclasses import replace

import pytest

from tests.months import Event, Office, Player

ANNA = Player("Anna", 2000)


def side(office: Office, name: str, month: str = "2025-11") -> dict[str, object]:
    """Return the one game of a player on the list of ``month``."""
    (game,) = office.rate(month).games(name)
    return game


# ------------------------------------------------------------------------------------------- one game, two rows


def test_a_game_is_a_row_for_each_player():
    office = Office(ANNA, Player("Bert", 1900))
    office.receive(Event("Open", "1. Anna 1-0 Bert"))
    november = office.rate("2025-11")
    (anna,), (bert,) = november.games("Anna"), november.games("Bert")
    assert (anna["colour"], anna["score_halves"], anna["difference"], anna["expected_hundredths"]) == ("w", 2, 100, 64)
    assert (bert["colour"], bert["score_halves"], bert["difference"], bert["expected_hundredths"]) == ("b", 0, -100, 36)


@pytest.mark.parametrize(
    ("result", "anna", "bert"), [("1-0", 2010, 1990), ("½-½", 2000, 2000), ("0-1", 1990, 2010), ("0-0", 1990, 1990)]
)
def test_each_player_is_rated_by_their_own_result(result, anna, bert):
    office = Office(ANNA, Player("Bert", 2000))
    office.receive(Event("Open", f"1. Anna {result} Bert"))
    november = office.rate("2025-11")
    assert (november.rating("Anna"), november.rating("Bert")) == (anna, bert)


def test_an_unequal_pair_of_results_is_legal():
    office = Office(ANNA, Player("Bert", 2000))
    office.receive(Event("Open", "1. Anna ½-0 Bert"))
    november = office.rate("2025-11")
    assert (november.rating("Anna"), november.rating("Bert")) == (2000, 1990)


def test_the_rule_set_of_the_event_is_named():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 1 2000"))
    assert side(office, "Anna")["rule_set"] == "fide/standard/2025-10-01"


# ---------------------------------------------------------------------------------- the list in force at the start


@pytest.mark.parametrize(("start", "rating", "opponent"), [("2025-09-30", 1900, 1800), ("2025-10-01", 2000, 1950)])
def test_the_list_in_force_at_the_start_counts_for_both_players(start, rating, opponent):
    office = Office(Player("Anna", 1900), Player("Bert", 1800), on="2025-09")
    office.add_list("2025-10", ANNA, Player("Bert", 1950))
    office.receive(Event("Open", "Anna: 1 Bert", start=start))
    game = side(office, "Anna")
    assert (game["rating"], game["opponent_rating"]) == (rating, opponent)


def test_the_change_is_added_to_the_newest_list():
    office = Office(Player("Anna", 1900), Player("Bert", 1900), on="2025-09")
    office.add_list("2025-10", ANNA, Player("Bert", 1950))
    office.receive(Event("Open", "Anna: 1 Bert", start="2025-09-30"))
    change = office.rate("2025-11").change("Anna")
    assert (change["old_rating"], change["change"], change["new_rating"]) == (2000, 10, 2010)


def test_a_list_stays_in_force_until_the_next_one_known():
    office = Office(ANNA, on="2025-08")
    office.receive(Event("Open", "Anna: 1 2000", start="2025-10-04"))
    assert side(office, "Anna")["rating"] == 2000


# -------------------------------------------------------- rated before an event played earlier is reported (8.2.4)


def late_report_of_a_newcomer() -> Office:
    """Nora was unrated when Old began, is on the next list with 1700, and Old is reported only now."""
    office = Office(Player("Nora"), ANNA, on="2025-09")
    office.add_list("2025-10", Player("Nora", 1700, games=5), ANNA)
    office.receive(Event("Old", "Nora: ½ Anna", start="2025-09-20", end="2025-09-25"))
    return office


def test_a_player_rated_since_the_start_is_rated_with_the_current_rating():
    game = side(late_report_of_a_newcomer(), "Nora")
    assert (game["rating"], game["opponent_rating"], game["rated"]) == (1700, 2000, True)


def test_the_opponents_of_such_a_player_do_not_count_the_game():
    game = side(late_report_of_a_newcomer(), "Anna")
    assert (game["rated"], game["reason"], game["opponent_rating"]) == (False, "opponent_unrated", None)


def test_the_games_of_two_such_players_count_for_neither():
    office = Office(Player("Nora"), Player("Olaf"), on="2025-09")
    office.add_list("2025-10", Player("Nora", 1700), Player("Olaf", 1700))
    office.receive(Event("Old", "Nora: 1 Olaf", start="2025-09-20", end="2025-09-25"))
    november = office.rate("2025-11")
    assert (november.reasons("Nora"), november.reasons("Olaf")) == (["opponent_unrated"], ["opponent_unrated"])


# --------------------------------------------------------------------- delisted between the start and the report


def report_after_delisting() -> Office:
    """Dora had 1450 when Old began and is no longer listed when it is reported."""
    office = Office(Player("Dora", 1450), ANNA, on="2025-09")
    office.add_list("2025-10", Player("Dora", None, games=60), ANNA)
    office.receive(Event("Old", "Dora: ½ Anna", start="2025-09-20", end="2025-09-25"))
    return office


def test_a_player_delisted_since_the_start_plays_for_a_new_entry():
    november = report_after_delisting().rate("2025-11")
    assert november.reasons("Dora") == ["counts_for_entry"]
    assert november.waiting("Dora") == ["Old"]


def test_the_opponents_of_a_delisted_player_count_the_old_rating():
    game = side(report_after_delisting(), "Anna")
    assert (game["opponent_rating"], game["rated"]) == (1450, True)


# ------------------------------------------------------------------------------------------------ not rated sides


def test_a_game_against_an_unrated_player_changes_nothing():
    office = Office(ANNA, Player("Nora"))
    office.receive(Event("Open", "Anna: 1 Nora"))
    november = office.rate("2025-11")
    assert (november.reasons("Anna"), november.rating("Anna")) == (["opponent_unrated"], 2000)
    assert november.change("Anna") is None


def test_a_side_that_is_not_rated_shows_its_ratings_and_computes_nothing():
    office = Office(ANNA, Player("Nora"))
    office.receive(Event("Open", "Anna: 1 Nora"))
    game = side(office, "Anna")
    assert (game["rating"], game["opponent_rating"]) == (2000, None)
    computed = ("difference", "difference_used", "expected_hundredths", "k", "change_hundredths")
    assert [game[name] for name in computed] == [None] * 5


def test_a_game_of_an_event_that_is_not_rated_shows_its_reason_and_no_ratings():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 1 2000", received="2025-10-30"))
    game = side(office, "Anna")
    assert (game["rated"], game["reason"]) == (False, "received_after_closing")
    assert (game["rating"], game["opponent_rating"], game["rule_set"]) == (None, None, None)


# --------------------------------------------------------------------------- thinking time game by game (2024)


@pytest.mark.parametrize(
    ("rating", "minutes", "reasons"),
    [
        (2400, 120, [""]),
        (2400, 119, ["time_limit"]),
        (2399, 119, [""]),
        (1800, 90, [""]),
        (1800, 89, ["time_limit"]),
        (1799, 89, [""]),
        (1799, 60, [""]),
        (1799, 59, ["time_limit"]),
    ],
)
def test_the_stronger_of_the_two_sets_the_time_of_a_game(rating, minutes, reasons):
    office = Office(Player("Anna", rating))
    office.receive(Event("Open", "1. Anna 1-0 1700", minutes=minutes))
    november = office.rate("2025-11")
    assert (november.reasons("Anna"), november.reasons("1700")) == (reasons, reasons)


def test_of_one_event_some_games_can_count_and_others_not():
    office = Office(Player("Anna", 2400))
    office.receive(Event("Open", "1. Anna 1-0 1900, 1901 1-0 1902", minutes=90))
    november = office.rate("2025-11")
    assert november.verdict("Open") == "rated"
    assert (november.reasons("1900"), november.reasons("1901")) == (["time_limit"], [""])


@pytest.mark.parametrize(("minutes", "reasons"), [(89, ["time_limit"]), (90, ["counts_for_entry"])])
def test_the_time_of_an_unrated_players_game_is_set_by_the_opponent(minutes, reasons):
    office = Office(Player("Nora"))
    office.receive(Event("Open", "Nora: ½ 1800", minutes=minutes))
    assert office.rate("2025-11").reasons("Nora") == reasons


def test_games_too_fast_do_not_count_for_the_limit_of_700():
    office = Office(Player("Anna", 1799, games=0))
    office.receive(Event("Open", "Anna: " + ", ".join(["½ 1799"] * 17 + ["½ 1800"]), minutes=60))
    november = office.rate("2025-11")
    assert (november.change("Anna")["games"], november.change("Anna")["k"]) == (17, 40)


# --------------------------------------------------------------------------------- large differences, by event


def test_the_player_at_2650_has_the_real_difference_and_the_opponent_the_cut():
    office = Office(Player("Star", 2650))
    office.receive(Event("Open", "Star: 1 2150"))
    november = office.rate("2025-11")
    (star,), (other,) = november.games("Star"), november.games("2150")
    assert (star["difference"], star["difference_used"], star["expected_hundredths"]) == (500, 500, 96)
    assert (other["difference"], other["difference_used"], other["expected_hundredths"]) == (-500, -400, 8)


def test_before_october_2025_the_cut_is_for_every_player():
    office = Office(Player("Star", 2650), on="2025-09")
    office.receive(Event("Open", "Star: 1 2150", start="2025-09-30"))
    game = side(office, "Star")
    assert (game["difference_used"], game["expected_hundredths"]) == (400, 92)
    assert game["rule_set"] == "fide/standard/2024-03-01"


def test_by_the_2022_text_only_the_best_game_of_the_event_is_cut():
    office = Office(Player("Anna", 2400), on="2022-09")
    office.receive(
        Event("Open", "Anna: 1 1900, 1 1800, 1 1950", start="2022-09-10", end="2022-09-12", received="2022-09-13")
    )
    assert [game["difference_used"] for game in office.rate("2022-10").games("Anna")] == [500, 400, 450]


def test_two_events_of_one_list_can_be_rated_by_two_texts():
    office = Office(Player("Star", 2650), on="2025-09")
    office.receive(
        Event("September", "Star: 1 2150", start="2025-09-30", end="2025-10-05"),
        Event("October", "Star: 1 2150b", start="2025-10-01", end="2025-10-05"),
    )
    games = {game["event_id"]: game for game in office.rate("2025-11").games("Star")}
    assert (games["September"]["difference_used"], games["October"]["difference_used"]) == (400, 500)


# ------------------------------------------------------------------------------------------- rapid and blitz only


def quick(*players: Player, on: str = "2025-10", time_control: str = "rapid") -> Office:
    """An office with a standard list and one of rapid or blitz, that has only the ``players`` named R...."""
    office = Office(*[player for player in players if player.name[0] != "R"], on=on)
    office.add_list(on, *[player for player in players if player.name[0] == "R"], time_control=time_control)
    return office


@pytest.mark.parametrize("time_control", ["rapid", "blitz"])
@pytest.mark.parametrize(("start", "reasons"), [("2024-11-30", [""]), ("2024-12-01", ["rating_gap"])])
def test_from_december_2024_a_gap_of_600_with_a_player_above_2600_is_not_rated(time_control, start, reasons):
    office = quick(Player("Rosa", 2601), Player("Rolf", 2001), on="2024-11", time_control=time_control)
    office.receive(
        Event("Cup", "Rosa: 1 Rolf", start=start, end="2024-12-02", received="2024-12-03", time_control=time_control)
    )
    january = office.rate("2025-01").of(time_control)
    assert (january.reasons("Rosa"), january.reasons("Rolf")) == (reasons, reasons)


def test_a_standard_rating_stands_in_for_a_rapid_one():
    office = quick(Player("Anna", 1900), Player("Rolf", 1900))
    office.receive(Event("Cup", "Anna: 1 Rolf", time_control="rapid"))
    rapid = office.rate("2025-11").of("rapid")
    (game,) = rapid.games("Anna")
    assert (game["rating"], game["k"], game["rated"]) == (1900, 40, True)
    change = rapid.change("Anna")
    assert (change["status"], change["old_rating"], change["new_rating"]) == ("rated", 1900, 1920)
    assert rapid.rating("Rolf") == 1890
    # The standard list does not move with it.
    assert office.rate("2025-11").rating("Anna") == 1900


def test_of_two_standard_ratings_that_stand_in_the_one_of_the_later_start_is_changed():
    office = quick(Player("Anna", 1900), Player("Rolf", 1900), on="2025-09")
    office.add_list("2025-10", Player("Anna", 1880))
    office.add_list("2025-10", Player("Rolf", 1900), time_control="rapid")
    office.receive(
        Event("A", "Anna: ½ Rolf", start="2025-09-20", time_control="rapid"),
        Event("B", "Anna: ½ Rolf", start="2025-10-10", time_control="rapid"),
    )
    rapid = office.rate("2025-11").of("rapid")
    assert [game["rating"] for game in rapid.games("Anna")] == [1900, 1880]
    assert rapid.change("Anna")["old_rating"] == 1880


def test_results_waiting_for_a_rapid_entry_are_dropped_when_the_standard_rating_stands_in():
    office = quick(Player("Anna", 1900), Player("Rolf", 1900))
    office.wait("Anna", "Spring", "1", [1700, 1700], counted="2025-05", time_control="rapid")
    office.receive(Event("Cup", "Anna: 1 Rolf", time_control="rapid"))
    rapid = office.rate("2025-11").of("rapid")
    assert (rapid.waiting("Anna"), rapid.entry("Anna")) == ([], None)


def test_before_march_2024_a_standard_rating_does_not_stand_in():
    office = quick(Player("Anna", 1900), Player("Rolf", 1900), on="2023-10")
    office.receive(
        Event("Cup", "Anna: ½ Rolf", start="2023-10-04", end="2023-10-05", received="2023-10-06", time_control="rapid")
    )
    rapid = office.rate("2023-11").of("rapid")
    assert (rapid.reasons("Anna"), rapid.reasons("Rolf")) == (["counts_for_entry"], ["opponent_unrated"])


def test_a_player_with_neither_rating_plays_for_a_rapid_entry():
    office = quick(Player("Nora"), Player("Rolf", 1900))
    office.receive(Event("Cup", "Nora: ½ Rolf", time_control="rapid"))
    assert office.rate("2025-11").of("rapid").reasons("Nora") == ["counts_for_entry"]


# ------------------------------------------------------------------------------------------------- state for K


def test_by_the_course_one_list_can_hold_two_ks():
    office = Office(Player("Anna", 2000, born="2007-10-11"), family="course")
    office.receive(
        Event("Before", "Anna: 1 2000", start="2025-10-04"), Event("After", "Anna: 1 2000b", start="2025-10-11")
    )
    november = office.rate("2025-11")
    assert {game["event_id"]: game["k"] for game in november.games("Anna")} == {"Before": 40, "After": 20}
    change = november.change("Anna")
    assert (change["k"], change["change_hundredths"], change["new_rating"]) == (None, 3000, 2030)


def test_by_the_2024_text_a_birthday_in_the_month_makes_no_second_k():
    office = Office(Player("Anna", 2000, born="2007-10-11"))
    office.receive(
        Event("Before", "Anna: 1 2000", start="2025-10-04"), Event("After", "Anna: 1 2000b", start="2025-10-11")
    )
    assert office.rate("2025-11").change("Anna")["k"] == 40


def test_a_birth_date_only_in_the_players_data_decides_and_is_not_published():
    office = Office(replace(ANNA, born="2010-05-05"))
    office.receive(Event("Open", "Anna: 1 2000"))
    november = office.rate("2025-11")
    assert november.change("Anna")["k"] == 40
    assert "birth_date" not in november.published().columns
    assert november.published().filter(november.published()["name"] == "Anna")["birth_year"].to_list() == [2010]
