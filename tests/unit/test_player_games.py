"""Both sides of every game: the ratings used, the reason where a side is not rated, and its change."""

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
    ("result", "anna", "bert"),
    [("1-0", 2010, 1990), ("½-½", 2000, 2000), ("0-1", 1990, 2010), ("0-0", 1990, 1990), ("½-0", 2000, 1990)],
)
def test_each_player_is_rated_by_their_own_result(result, anna, bert):
    office = Office(ANNA, Player("Bert", 2000))
    office.receive(Event("Open", f"1. Anna {result} Bert"))
    november = office.rate("2025-11")
    assert (november.rating("Anna"), november.rating("Bert")) == (anna, bert)


# ---------------------------------------------------------------------------------- the list in force at the start


def test_a_list_stays_in_force_until_the_next_one_known_and_the_rule_set_of_the_event_is_named():
    office = Office(ANNA, on="2025-08")
    office.receive(Event("Open", "Anna: 1 2000", start="2025-10-04"))
    game = side(office, "Anna")
    assert (game["rating"], game["rule_set"]) == (2000, "fide/standard/2025-10-01")


# -------------------------------------------------------- rated before an event played earlier is reported (8.2.4)


def test_the_games_of_two_such_players_count_for_neither():
    office = Office(Player("Nora"), Player("Olaf"), on="2025-09")
    office.add_list("2025-10", Player("Nora", 1700), Player("Olaf", 1700))
    office.receive(Event("Old", "Nora: 1 Olaf", start="2025-09-20", end="2025-09-25"))
    november = office.rate("2025-11")
    assert (november.reasons("Nora"), november.reasons("Olaf")) == (["opponent_unrated"], ["opponent_unrated"])


# ------------------------------------------------------------------------------------------------ not rated sides


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


def test_games_too_fast_do_not_count_for_the_limit_of_700():
    office = Office(Player("Anna", 1799, games=0))
    office.receive(Event("Open", "Anna: " + ", ".join(["½ 1799"] * 17 + ["½ 1800"]), minutes=60))
    november = office.rate("2025-11")
    assert (november.change("Anna")["games"], november.change("Anna")["k"]) == (17, 40)


# ------------------------------------------------------------------------------------------- rapid and blitz only


def quick(*players: Player, on: str = "2025-10", time_control: str = "rapid") -> Office:
    """An office with a standard list and one of rapid or blitz, that has only the ``players`` named R...."""
    office = Office(*[player for player in players if player.name[0] != "R"], on=on)
    office.add_list(on, *[player for player in players if player.name[0] == "R"], time_control=time_control)
    return office


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


def test_a_player_with_neither_rating_plays_for_a_rapid_entry():
    office = quick(Player("Nora"), Player("Rolf", 1900))
    office.receive(Event("Cup", "Nora: ½ Rolf", time_control="rapid"))
    assert office.rate("2025-11").of("rapid").reasons("Nora") == ["counts_for_entry"]
