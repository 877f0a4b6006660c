"""The verdict on each event: which events a list rates, and the reasons for the others."""

import polars as pl
import pytest

from tests.months import Event, Office, Player, changed_book


def verdict(event: Event, *players: Player, family: str = "fide", month: str = "2025-11") -> str:
    """Return the verdict of the list of ``month`` on one event."""
    office = Office(*players, family=family)
    office.receive(event)
    return office.rate(month).verdict(event.code)


GAME = "Anna: 1 2000"
ANNA = Player("Anna", 2000)

# ---------------------------------------------------------------------------------------------- the closing date


@pytest.mark.parametrize(
    ("received", "expected"), [("2025-10-29", "rated"), ("2025-10-30", "deferred received_after_closing")]
)
def test_a_report_must_arrive_on_or_before_the_closing_date(received, expected):
    assert verdict(Event("Open", GAME, received=received), ANNA) == expected


@pytest.mark.parametrize(("end", "expected"), [("2025-10-29", "rated"), ("2025-10-30", "deferred ended_after_closing")])
def test_an_event_must_end_on_or_before_the_closing_date(end, expected):
    assert verdict(Event("Open", GAME, end=end, received="2025-10-20"), ANNA) == expected


@pytest.mark.parametrize("end", ["2025-10-30", "2025-10-31"])
def test_an_official_event_may_end_up_to_the_day_before_the_list(end):
    assert verdict(Event("Open", GAME, end=end, received=end, official=True), ANNA) == "rated"


def test_an_official_event_that_ends_on_the_day_of_the_list_waits():
    event = Event("Open", GAME, end="2025-11-01", received="2025-10-31", official=True)
    assert verdict(event, ANNA) == "deferred ended_after_closing"


def test_a_report_that_arrives_when_the_list_is_in_force_is_not_known_to_it():
    office = Office(ANNA)
    office.receive(Event("Open", GAME, received="2025-11-01"))
    assert office.rate("2025-11").result.events.is_empty()


def test_a_deferred_event_is_rated_by_the_next_list():
    office = Office(ANNA)
    office.receive(Event("Open", GAME, received="2025-10-30"))
    november, december = office.rate("2025-11"), office.rate("2025-12")
    assert (november.verdict("Open"), november.rating("Anna")) == ("deferred received_after_closing", 2000)
    assert (december.verdict("Open"), december.rating("Anna")) == ("rated", 2010)


def test_a_rated_event_is_not_looked_at_again():
    office = Office(ANNA)
    office.receive(Event("Open", GAME))
    office.rate("2025-11")
    december = office.rate("2025-12")
    assert december.result.events.is_empty()
    assert december.rating("Anna") == 2010


# ---------------------------------------------------------------------------------------------- the third list


@pytest.mark.parametrize(("received", "expected"), [("2025-10-29", "rated"), ("2025-10-30", "late third_list_limit")])
def test_not_in_time_for_the_third_list_after_its_end_is_never_rated(received, expected):
    office = Office(ANNA, on="2025-08")
    office.receive(Event("Open", GAME, start="2025-08-02", end="2025-08-31", received=received))
    # The lists after the end are those of September, October and November.
    november, december = office.rate("2025-11"), office.rate("2025-12")
    if expected == "rated":
        assert november.verdict("Open") == "rated"
    else:
        assert november.verdict("Open") == "deferred received_after_closing"
        assert december.verdict("Open") == expected
        assert office.rate("2026-01").result.events.is_empty()


def test_an_event_that_ends_on_the_first_of_a_month_has_the_next_list_as_its_first():
    office = Office(ANNA, on="2025-07")
    office.receive(Event("Open", GAME, start="2025-07-25", end="2025-08-01", received="2025-10-29"))
    assert office.rate("2025-11").verdict("Open") == "rated"


def test_by_the_course_no_event_is_too_late():
    office = Office(ANNA, on="2020-01", family="course")
    office.receive(Event("Open", GAME, start="2020-01-10", end="2020-01-11", received="2025-10-20"))
    assert office.rate("2025-11").verdict("Open") == "rated"


# -------------------------------------------------------------------------------------------------- versions


def test_a_second_version_before_the_closing_date_replaces_the_first():
    office = Office(ANNA)
    office.receive(
        Event("Open", "Anna: 1 2000", received="2025-10-13"),
        Event("Open", "Anna: 0 2000", received="2025-10-29", version=2),
    )
    november = office.rate("2025-11")
    assert (november.verdict("Open"), november.rating("Anna")) == ("rated", 1990)


def test_a_second_version_after_the_closing_date_does_not():
    office = Office(ANNA)
    office.receive(
        Event("Open", "Anna: 1 2000", received="2025-10-13"),
        Event("Open", "Anna: 0 2000", received="2025-10-30", version=2),
    )
    november, december = office.rate("2025-11"), office.rate("2025-12")
    assert (november.verdict("Open"), november.rating("Anna")) == ("rated", 2010)
    assert (december.verdict("Open"), december.rating("Anna")) == ("superseded rated_in_earlier_list", 2010)


def test_a_second_version_of_an_event_rated_before_changes_nothing():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 1 2000"))
    office.rate("2025-11")
    office.receive(Event("Open", "Anna: 0 2000", received="2025-11-10", version=2))
    december = office.rate("2025-12")
    assert december.verdict("Open") == "superseded rated_in_earlier_list"
    assert (december.rating("Anna"), december.games("Anna")) == (2010, [])
    assert office.rate("2026-01").result.events.is_empty()


def test_a_lower_version_that_arrives_later_does_not_replace_the_higher():
    office = Office(ANNA)
    office.receive(
        Event("Open", "Anna: 0 2000", received="2025-10-13", version=2),
        Event("Open", "Anna: 1 2000", received="2025-10-20", version=1),
    )
    assert office.rate("2025-11").rating("Anna") == 1990


def test_a_lower_version_of_a_rated_event_is_nothing_new():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 0 2000", version=2))
    office.rate("2025-11")
    office.receive(Event("Open", "Anna: 1 2000", received="2025-11-10", version=1))
    assert office.rate("2025-12").result.events.is_empty()


def test_a_refused_second_version_does_not_push_out_a_good_first_one():
    office = Office(ANNA)
    office.receive(
        Event("Open", "Anna: 1 2000"),
        Event("Open", "Anna: 0 2000", received="2025-10-20", version=2, accepted=False),
    )
    assert office.rate("2025-11").rating("Anna") == 2010


def test_a_good_second_version_heals_a_refused_first_one():
    office = Office(ANNA)
    office.receive(
        Event("Open", "Anna: 1 2000", accepted=False), Event("Open", "Anna: 0 2000", received="2025-10-20", version=2)
    )
    assert office.rate("2025-11").rating("Anna") == 1990


def test_a_refused_report_is_shown_as_such():
    assert verdict(Event("Open", GAME, accepted=False), ANNA) == "refused report_refused"


def test_the_version_rated_is_shown():
    office = Office(ANNA)
    office.receive(Event("Open", GAME), Event("Open", "Anna: 0 2000", received="2025-10-20", version=2))
    events = office.rate("2025-11").result.events
    assert events.select("event_id", "version", "received_on").rows() == [
        ("Open", 2, pl.Series(["2025-10-20"]).str.to_date()[0])
    ]


# ------------------------------------------------------------------------------------------------- duplicates


def test_of_two_events_with_the_same_games_the_later_report_is_the_duplicate():
    office = Office(ANNA)
    office.receive(Event("B", GAME, received="2025-10-13"), Event("A", GAME, received="2025-10-14"))
    november = office.rate("2025-11")
    assert (november.verdict("B"), november.verdict("A")) == ("rated", "duplicate same_games")
    assert november.rating("Anna") == 2010


def test_received_on_the_same_day_the_event_first_by_code_is_rated():
    office = Office(ANNA)
    office.receive(Event("B", GAME), Event("A", GAME))
    november = office.rate("2025-11")
    assert (november.verdict("A"), november.verdict("B")) == ("rated", "duplicate same_games")


def test_games_that_an_earlier_list_rated_are_a_duplicate():
    office = Office(ANNA)
    office.receive(Event("Open", GAME))
    office.rate("2025-11")
    office.receive(Event("Other", GAME, received="2025-11-10"))
    december = office.rate("2025-12")
    assert (december.verdict("Other"), december.rating("Anna")) == ("duplicate same_games", 2010)


def test_the_games_of_a_duplicate_are_shown_with_the_reason():
    office = Office(ANNA)
    office.receive(Event("A", GAME), Event("B", GAME))
    assert office.rate("2025-11").reasons("Anna") == ["", "same_games"]


def test_the_same_pairings_on_another_start_date_are_another_event():
    office = Office(ANNA)
    office.receive(Event("A", GAME, start="2025-10-04"), Event("B", GAME, start="2025-10-05"))
    november = office.rate("2025-11")
    assert (november.verdict("A"), november.verdict("B")) == ("rated", "rated")


def test_two_events_without_a_game_are_no_duplicates():
    office = Office(ANNA)
    office.receive(Event("A", absent=("Anna",)), Event("B", absent=("Anna",)))
    november = office.rate("2025-11")
    assert (november.verdict("A"), november.verdict("B")) == ("rated", "rated")


def test_a_deferred_event_does_not_make_the_other_a_duplicate():
    office = Office(ANNA)
    office.receive(Event("A", GAME, end="2025-10-30", received="2025-10-12"), Event("B", GAME, received="2025-10-13"))
    november, december = office.rate("2025-11"), office.rate("2025-12")
    assert (november.verdict("A"), november.verdict("B")) == ("deferred ended_after_closing", "rated")
    assert december.verdict("A") == "duplicate same_games"


# --------------------------------------------------------------------------------- players, lists and rule sets


def test_an_event_with_an_unknown_player_is_refused_as_a_whole():
    assert verdict(Event("Open", "Anna: 1 2000, 1 Stranger"), ANNA) == "refused unknown_player"


def test_a_player_registered_later_heals_the_report():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 1 2000, 1 Stranger"))
    assert office.rate("2025-11").rating("Anna") == 2000
    office.register(Player("Stranger"))
    december = office.rate("2025-12")
    assert (december.verdict("Open"), december.rating("Anna")) == ("rated", 2010)


def test_an_unknown_player_without_a_game_refuses_the_event_too():
    assert verdict(Event("Open", GAME, absent=("Stranger",)), ANNA) == "refused unknown_player"


def test_an_event_that_began_before_the_first_list_is_refused():
    event = Event("Open", GAME, start="2025-09-30")
    assert verdict(event, ANNA) == "refused no_list_in_force"


def test_a_list_imported_later_heals_the_report():
    office = Office(ANNA)
    office.receive(Event("Open", GAME, start="2025-09-30"))
    office.rate("2025-11")
    office.add_list("2025-09", Player("Anna", 2000), Player("2000", 2000))
    assert office.rate("2025-12").verdict("Open") == "rated"


def test_an_event_that_began_before_the_first_text_is_refused():
    office = Office(ANNA, on="1999-12", family="course")
    office.receive(Event("Open", GAME, start="1999-12-31", end="2000-01-05", received="2000-01-06"))
    assert office.rate("2000-02").verdict("Open") == "refused no_rule_set"


def test_an_event_on_the_first_day_of_the_first_text_is_rated():
    office = Office(ANNA, on="2000-01", family="course")
    office.receive(Event("Open", GAME, start="2000-01-01", end="2000-01-05", received="2000-01-06"))
    assert office.rate("2000-02").verdict("Open") == "rated"


def test_an_event_whose_rule_set_is_known_but_no_list_of_its_time_control_asks_for_the_list():
    office = Office(ANNA, family="course", rules=changed_book("course", time_control="rapid"))
    office.receive(Event("Open", GAME, time_control="rapid"))
    assert office.rate("2025-11").verdict("Open") == "refused no_list_in_force"


# ----------------------------------------------------------------------------------------------- registration


@pytest.mark.parametrize(
    ("family", "registered", "expected"),
    [
        ("fide", "2025-10-01", "rated"),
        ("fide", "2025-10-02", "refused registered_late"),
        ("course", "2025-09-27", "rated"),
        ("course", "2025-09-28", "refused registered_late"),
    ],
)
def test_an_event_is_registered_three_days_or_a_week_before_its_start(family, registered, expected):
    assert verdict(Event("Open", GAME, registered=registered), ANNA, family=family) == expected


@pytest.mark.parametrize(
    ("star", "expected"),
    [
        (Player("Star", 2700), "rated"),
        (Player("Star", 2701), "refused registered_late"),
        (Player("Star", 2500, woman=True), "rated"),
        (Player("Star", 2501, woman=True), "refused registered_late"),
        (Player("Star", 2501), "rated"),
    ],
    ids=["man 2700", "man 2701", "woman 2500", "woman 2501", "man 2501"],
)
def test_an_event_with_a_player_above_2700_or_a_woman_above_2500_needs_30_days(star, expected):
    event = Event("Open", "Star: 1 2400", registered="2025-09-05")
    assert verdict(event, star) == expected


@pytest.mark.parametrize(
    ("registered", "expected"), [("2025-09-04", "rated"), ("2025-09-05", "refused registered_late")]
)
def test_thirty_days_are_counted_from_the_start(registered, expected):
    event = Event("Open", "Star: 1 2400", registered=registered)
    assert verdict(event, Player("Star", 2750)) == expected


def test_a_star_who_is_listed_without_a_game_counts_for_the_registration():
    event = Event("Open", GAME, registered="2025-09-20", absent=("Star",))
    assert verdict(event, ANNA, Player("Star", 2750)) == "refused registered_late"


def test_an_official_event_needs_no_registration():
    assert verdict(Event("Open", GAME, registered="2025-10-04", official=True), ANNA) == "rated"


def test_an_unknown_day_of_registration_is_not_held_against_the_event():
    assert verdict(Event("Open", GAME, registered=None), ANNA) == "rated"


# ---------------------------------------------------------------------------------- thinking time (the course)


@pytest.mark.parametrize(
    ("rating", "minutes", "expected"),
    [
        (2200, 120, "rated"),
        (2200, 119, "refused time_limit"),
        (2199, 119, "rated"),
        (1600, 90, "rated"),
        (1600, 89, "refused time_limit"),
        (1599, 89, "rated"),
        (1599, 60, "rated"),
        (1599, 59, "refused time_limit"),
    ],
)
def test_by_the_course_the_strongest_player_sets_the_time_for_the_whole_event(rating, minutes, expected):
    event = Event("Open", "1. Anna 1-0 1400, 1401 1-0 1402", minutes=minutes)
    assert verdict(event, Player("Anna", rating), family="course") == expected


def test_by_the_course_a_strong_player_without_a_game_does_not_set_the_time():
    event = Event("Open", "1. 1500 1-0 1400", minutes=60, absent=("Anna",))
    assert verdict(event, Player("Anna", 2300), family="course") == "rated"


def test_by_the_course_only_unrated_players_need_an_hour():
    event = Event("Open", "1. Nora 1-0 Olaf", minutes=59)
    assert verdict(event, ANNA, Player("Nora"), Player("Olaf"), family="course") == "refused time_limit"


def test_an_unknown_thinking_time_is_not_held_against_the_event():
    assert verdict(Event("Open", GAME, minutes=None), ANNA, family="course") == "rated"


def test_by_the_2024_text_the_time_refuses_no_event():
    assert verdict(Event("Open", GAME, minutes=30), ANNA) == "rated"


# ------------------------------------------------------------------------------------------ rounds and hours


def rounds(number: int) -> str:
    return "Anna: " + ", ".join(["½ 2000"] * number)


@pytest.mark.parametrize(("number", "expected"), [(3, "rated"), (4, "refused too_many_rounds_a_day")])
def test_by_the_course_there_are_three_rounds_a_day_at_most(number, expected):
    event = Event("Open", rounds(number), days=("2025-10-04",) * number)
    assert verdict(event, ANNA, family="course") == expected


def test_by_the_course_the_busiest_day_counts():
    days = ("2025-10-04",) + ("2025-10-05",) * 4
    assert verdict(Event("Open", rounds(5), days=days), ANNA, family="course") == "refused too_many_rounds_a_day"


def test_games_of_one_round_are_one_round():
    event = Event("Open", "1. Anna 1-0 2000, 1900 1-0 1901, 1800 1-0 1801, 1700 1-0 1701", days=("2025-10-04",))
    assert verdict(event, ANNA, family="course") == "rated"


@pytest.mark.parametrize(
    ("family", "number", "minutes", "expected"),
    [
        ("course", 3, 120, "rated"),
        ("course", 3, 121, "refused too_many_hours_a_day"),
        ("fide", 3, 120, "rated"),
        ("fide", 3, 121, "refused too_many_hours_a_day"),
        ("fide", 6, 60, "rated"),
        ("fide", 6, 61, "refused too_many_hours_a_day"),
    ],
)
def test_there_are_twelve_hours_of_play_a_day_at_most(family, number, minutes, expected):
    event = Event("Open", rounds(number), days=("2025-10-04",) * number, minutes=minutes)
    assert verdict(event, ANNA, family=family) == expected


def test_rounds_without_dates_are_not_held_against_the_event():
    assert verdict(Event("Open", rounds(9), minutes=120), ANNA, family="course") == "rated"


@pytest.mark.parametrize(
    ("time_control", "number", "expected"),
    [
        ("rapid", 15, "rated"),
        ("rapid", 16, "refused too_many_rounds_a_day"),
        ("blitz", 30, "rated"),
        ("blitz", 31, "refused too_many_rounds_a_day"),
    ],
)
def test_there_are_15_rapid_or_30_blitz_rounds_a_day_at_most(time_control, number, expected):
    office = Office(ANNA)
    office.add_list("2025-10", ANNA, time_control=time_control)
    office.receive(Event("Cup", rounds(number), days=("2025-10-04",) * number, time_control=time_control))
    assert office.rate("2025-11").verdict("Cup") == expected


def test_by_the_2024_text_rounds_a_day_are_not_counted():
    assert verdict(Event("Open", rounds(7), days=("2025-10-04",) * 7), ANNA) == "rated"


# --------------------------------------------------------------------------- round robins with unrated players


def entrants(rated: int, unrated: int) -> tuple[list[Player], tuple[str, ...]]:
    players = [Player(f"Rated {n}", 1800) for n in range(rated)] + [Player(f"New {n}") for n in range(unrated)]
    return players, tuple(player.name for player in players)


@pytest.mark.parametrize(
    ("rated", "unrated", "expected"),
    [
        (4, 8, "rated"),
        (4, 9, "refused round_robin_unrated"),
        (4, 5, "rated"),
        (3, 6, "refused round_robin_unrated"),
        (3, 1, "refused round_robin_unrated"),
        (3, 0, "rated"),
        (5, 10, "rated"),
    ],
)
def test_by_the_course_a_third_is_rated_and_four_where_there_are_fewer_than_ten(rated, unrated, expected):
    players, names = entrants(rated, unrated)
    assert verdict(Event("Cup", kind="roundrobin", absent=names), *players, family="course") == expected


@pytest.mark.parametrize(
    ("rated", "unrated", "expected"),
    [
        (4, 2, "rated"),
        (4, 1, "refused round_robin_unrated"),
        (3, 3, "refused round_robin_unrated"),
        (5, 0, "rated"),
        (4, 10, "rated"),
    ],
)
def test_by_the_course_a_double_round_robin_has_six_players_and_four_rated(rated, unrated, expected):
    players, names = entrants(rated, unrated)
    assert verdict(Event("Cup", kind="double_roundrobin", absent=names), *players, family="course") == expected


@pytest.mark.parametrize("kind", ["swiss", "team"])
def test_by_the_course_other_events_have_no_such_condition(kind):
    players, names = entrants(1, 8)
    assert verdict(Event("Cup", kind=kind, absent=names), *players, family="course") == "rated"


@pytest.mark.parametrize("kind", ["roundrobin", "double_roundrobin"])
def test_from_2022_a_round_robin_has_no_such_condition(kind):
    players, names = entrants(1, 4)
    assert verdict(Event("Cup", kind=kind, absent=names), *players) == "rated"


# ----------------------------------------------------------------------------------------------------- matches


@pytest.mark.parametrize("family", ["fide", "course"])
def test_a_match_with_an_unrated_player_is_not_rated(family):
    event = Event("Duel", "Anna: 1 Nora, 1 Nora", kind="match")
    assert verdict(event, ANNA, Player("Nora"), family=family) == "refused match_with_unrated_player"


def test_a_match_of_rated_players_is_rated():
    assert verdict(Event("Duel", "Anna: 1 2000, 0 2000", kind="match"), ANNA) == "rated"


# ------------------------------------------------------------------------------------ which reason comes first


def test_of_several_reasons_the_first_by_the_glossary_is_given():
    event = Event("Open", "Anna: 1 Stranger", end="2025-10-30", received="2025-10-31", registered="2025-10-04")
    assert verdict(event, ANNA) == "refused unknown_player"


def test_every_event_known_is_shown_in_the_order_of_its_code():
    office = Office(ANNA)
    office.receive(Event("C", GAME), Event("A", GAME, start="2025-10-05"), Event("B", GAME, accepted=False))
    assert office.rate("2025-11").result.events["event_id"].to_list() == ["A", "B", "C"]
