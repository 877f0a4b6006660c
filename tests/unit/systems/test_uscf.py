"""The rating of the US Chess Federation: the examples, and the order of provisional and established games."""

from __future__ import annotations

from tests.months import Event, Office, Player
from tests.unit.systems import table3


def test_the_event_of_ten_players():
    office = table3.office("uscf")
    office.receive(table3.event())
    month = office.rate("2025-11")
    assert table3.ratings(month) == [1870, 1599, 1532, 1464, 1414, 1534, 1070, 1084, 1336, 1040]


def test_a_new_player_is_the_mean_of_the_performances():
    office = Office(family="uscf")
    office.register(Player("Nora"))
    office.receive(Event("Open", "Nora: 1 1500, 0 1600, ½ 1550"))
    month = office.rate("2025-11")
    change = month.changed("Nora")
    assert (change["status"], change["new_rating"], change["change"], change["games"]) == ("entered", 1550, None, 3)
    assert (change["performance_games"], change["performance_sum"]) == (3, 4650)
    state = month.stated("Nora")
    assert (state["games_played"], state["k"]) == (3, None)


def test_the_twentieth_game_ends_the_provisional_ones():
    office = Office(Player("Anna", 1500, games=18), family="uscf")
    office.receive(Event("Open", "Anna: 1 1600, 0 1700, 1 1580"))
    month = office.rate("2025-11")
    change = month.changed("Anna")
    # 18 × 1500 + 2000 + 1300 over 20 games is 1515; then 32 × (1 − .408).
    assert (change["performance_games"], change["performance_sum"]) == (2, 3300)
    assert (change["change_thousandths"], change["new_rating"], change["change"]) == (18944, 1534, 34)
    assert [game["k"] for game in month.games("Anna")] == [None, None, 32]
    state = month.stated("Anna")
    assert (state["games_played"], state["k"]) == (21, 32)


def test_events_go_in_order_of_their_end():
    office = Office(Player("Anna", 1500, games=19), family="uscf")
    office.receive(
        Event("A", "Anna: 1 1600", end="2025-10-12"),
        Event("B", "Anna: 0 1700", end="2025-10-11"),
    )
    games = {game["event_id"]: game["k"] for game in office.rate("2025-11").games("Anna")}
    assert games == {"A": 32, "B": None}


def test_a_master_has_half_of_k():
    office = Office(Player("Anna", 2200), Player("Bert", 2199), family="uscf")
    office.receive(Event("Open", "1. Anna ½-½ Bert"))
    month = office.rate("2025-11")
    assert [month.games(name)[0]["k"] for name in ("Anna", "Bert")] == [16, 32]


def test_a_game_against_an_unlisted_opponent_counts_for_neither():
    office = Office(Player("Anna", 1500), family="uscf")
    office.register(Player("Nora"), Player("Olga"))
    office.receive(Event("Open", "1. Nora 1-0 Anna, Olga 1-0 1600\n2. Nora ½-½ Olga"))
    month = office.rate("2025-11")
    assert month.change("Anna") is None
    assert (month.rating("Nora"), month.rating("Olga")) == (1900, 2000)
    assert month.reasons("Anna") == ["opponent_unrated"]
    assert month.reasons("Olga") == ["", "opponent_unrated"]


def test_a_listed_player_without_games_is_established():
    office = Office(Player("Anna", 1500, games=0), family="uscf")
    office.receive(Event("Open", "Anna: 1 1500"))
    change = office.rate("2025-11").changed("Anna")
    assert (change["new_rating"], change["k"]) == (1516, 32)
