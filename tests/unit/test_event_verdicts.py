"""The verdict on each event: which events a list rates, and the reasons for the others."""

from dataclasses import replace

import pytest

from tests.months import Event, Office, Player, changed_book


def verdict(event: Event, *players: Player, family: str = "fide", month: str = "2025-11") -> str:
    """Return the verdict of the list of ``month`` on one event."""
    office = Office(*players, family=family)
    office.receive(event)
    return office.rate(month).verdict(event.code)


GAME = "Anna: 1 2000"
ANNA = Player("Anna", 2000)


def rounds(number: int) -> str:
    return "Anna: " + ", ".join(["½ 2000"] * number)


STRONG, STAR = Player("Anna", 2300), Player("Star", 2750)
ONE_DAY = ("2025-10-04",)
STAR_PLAYS = "Star: 1 2400"
LATE, REGISTERED_LATE = "deferred received_after_closing", "refused registered_late"
ENDED_LATE, TIME_LIMIT = "deferred ended_after_closing", "refused time_limit"
ROUNDS, HOURS = "refused too_many_rounds_a_day", "refused too_many_hours_a_day"
IN_DISORDER = Event("Open", "Anna: 1 Stranger", end="2025-10-30", received="2025-10-31", registered="2025-10-04")
FOUR_BOARDS = Event("Open", "1. Anna 1-0 2000, 1900 1-0 1901, 1800 1-0 1801, 1700 1-0 1701", days=ONE_DAY)
BUSY_SUNDAY = Event("Open", rounds(5), days=(*ONE_DAY, *("2025-10-05",) * 4))


def opened(**facts: object) -> Event:
    """The small event, with other facts."""
    return Event("Open", GAME, **facts)  # type: ignore[arg-type] # the fields of an event, by name


def of_stars(registered: str) -> Event:
    return Event("Open", STAR_PLAYS, registered=registered)


def in_a_day(number: int, minutes: int | None = None) -> Event:
    return Event("Open", rounds(number), days=ONE_DAY * number, minutes=minutes)


# Of an event, its players and the family of rules: the verdict.
VERDICTS: list[tuple[str, Event, tuple[Player, ...], str]] = [
    # The closing date.
    ("fide", opened(received="2025-10-29"), (ANNA,), "rated"),
    ("fide", opened(received="2025-10-30"), (ANNA,), LATE),
    ("fide", opened(end="2025-10-29", received="2025-10-20"), (ANNA,), "rated"),
    ("fide", opened(end="2025-10-30", received="2025-10-20"), (ANNA,), ENDED_LATE),
    ("fide", opened(end="2025-10-31", received="2025-10-31", official=True), (ANNA,), "rated"),
    ("fide", opened(end="2025-11-01", received="2025-10-31", official=True), (ANNA,), ENDED_LATE),
    # Reports, players and lists.
    ("fide", opened(accepted=False), (ANNA,), "refused report_refused"),
    ("fide", Event("Open", "Anna: 1 2000, 1 Stranger"), (ANNA,), "refused unknown_player"),
    ("fide", opened(absent=("Stranger",)), (ANNA,), "refused unknown_player"),
    ("fide", opened(start="2025-09-30"), (ANNA,), "refused no_list_in_force"),
    ("fide", IN_DISORDER, (ANNA,), "refused unknown_player"),
    # Registration: three days before the start, a week by the course, 30 days with a star.
    ("fide", opened(registered="2025-10-01"), (ANNA,), "rated"),
    ("fide", opened(registered="2025-10-02"), (ANNA,), REGISTERED_LATE),
    ("course", opened(registered="2025-09-27"), (ANNA,), "rated"),
    ("course", opened(registered="2025-09-28"), (ANNA,), REGISTERED_LATE),
    ("fide", opened(registered="2025-10-04", official=True), (ANNA,), "rated"),
    ("fide", opened(registered=None), (ANNA,), "rated"),
    ("fide", of_stars("2025-09-05"), (Player("Star", 2700),), "rated"),
    ("fide", of_stars("2025-09-05"), (Player("Star", 2701),), REGISTERED_LATE),
    ("fide", of_stars("2025-09-05"), (Player("Star", 2500, woman=True),), "rated"),
    ("fide", of_stars("2025-09-05"), (Player("Star", 2501, woman=True),), REGISTERED_LATE),
    ("fide", of_stars("2025-09-05"), (Player("Star", 2501),), "rated"),
    ("fide", of_stars("2025-09-04"), (STAR,), "rated"),
    ("fide", of_stars("2025-09-05"), (STAR,), REGISTERED_LATE),
    ("fide", opened(registered="2025-09-20", absent=("Star",)), (ANNA, STAR), REGISTERED_LATE),
    # Thinking time: by the course the strongest player sets that of the whole event.
    *(
        ("course", Event("Open", "1. Anna 1-0 1400, 1401 1-0 1402", minutes=minutes), (Player("Anna", rating),), says)
        for rating, minutes, says in [
            *((2200, 120, "rated"), (2200, 119, TIME_LIMIT), (2199, 119, "rated"), (1600, 90, "rated")),
            *((1600, 89, TIME_LIMIT), (1599, 89, "rated"), (1599, 60, "rated"), (1599, 59, TIME_LIMIT)),
        ]
    ),
    ("course", Event("Open", "1. 1500 1-0 1400", minutes=60, absent=("Anna",)), (STRONG,), "rated"),
    ("course", Event("Open", "1. Nora 1-0 Olaf", minutes=59), (ANNA, Player("Nora"), Player("Olaf")), TIME_LIMIT),
    ("course", opened(minutes=None), (ANNA,), "rated"),
    ("fide", opened(minutes=30), (ANNA,), "rated"),
    # Rounds and hours a day.
    ("course", in_a_day(3), (ANNA,), "rated"),
    ("course", in_a_day(4), (ANNA,), ROUNDS),
    ("course", BUSY_SUNDAY, (ANNA,), ROUNDS),
    ("course", FOUR_BOARDS, (ANNA,), "rated"),
    ("course", Event("Open", rounds(9), minutes=120), (ANNA,), "rated"),
    ("fide", in_a_day(7), (ANNA,), "rated"),
    ("course", in_a_day(3, 120), (ANNA,), "rated"),
    ("course", in_a_day(3, 121), (ANNA,), HOURS),
    ("fide", in_a_day(3, 120), (ANNA,), "rated"),
    ("fide", in_a_day(3, 121), (ANNA,), HOURS),
    ("fide", in_a_day(6, 60), (ANNA,), "rated"),
    ("fide", in_a_day(6, 61), (ANNA,), HOURS),
    # Matches.
    ("fide", Event("Duel", "Anna: 1 Nora", kind="match"), (ANNA, Player("Nora")), "refused match_with_unrated_player"),
    (
        "course",
        Event("Duel", "Anna: 1 Nora", kind="match"),
        (ANNA, Player("Nora")),
        "refused match_with_unrated_player",
    ),
    ("fide", Event("Duel", "Anna: 1 2000, 0 2000", kind="match"), (ANNA,), "rated"),
]


@pytest.mark.parametrize(("family", "event", "players", "expected"), VERDICTS)
def test_an_event_has_the_verdict_of_the_rules(family, event, players, expected):
    assert verdict(event, *players, family=family) == expected


@pytest.mark.parametrize(("start", "expected"), [("1999-12-31", "refused no_rule_set"), ("2000-01-01", "rated")])
def test_an_event_needs_a_text_that_was_in_force_when_it_began(start, expected):
    office = Office(ANNA, on="1999-12", family="course")
    office.receive(Event("Open", GAME, start=start, end="2000-01-05", received="2000-01-06"))
    assert office.rate("2000-02").verdict("Open") == expected


def test_an_event_that_ends_on_the_first_of_a_month_has_the_next_list_as_its_first():
    office = Office(ANNA, on="2025-07")
    office.receive(Event("Open", GAME, start="2025-07-25", end="2025-08-01", received="2025-10-29"))
    assert office.rate("2025-11").verdict("Open") == "rated"


LOST = Event("Open", "Anna: 0 2000", received="2025-10-20")
ENDS_LATE = Event("A", GAME, end="2025-10-30", received="2025-10-12")

# What is received before each list, and what the last list tells of it.
CASES: dict[str, tuple[dict[str, tuple[Event, ...]], list[str]]] = {
    "a report that arrives when the list is in force": ({"2025-11": (opened(received="2025-11-01"),)}, []),
    "a rated event is not looked at again": ({"2025-11": (opened(),), "2025-12": ()}, []),
    "a higher version": ({"2025-11": (opened(), replace(LOST, version=2))}, ["Open: rated", "Open 1. Anna 0-1 2000"]),
    "a lower version that arrives later": (
        {"2025-11": (replace(LOST, received="2025-10-13", version=2), opened(received="2025-10-20"))},
        ["Open: rated", "Open 1. Anna 0-1 2000"],
    ),
    "a lower version of a rated event is nothing new": (
        {"2025-11": (replace(LOST, version=2),), "2025-12": (opened(received="2025-11-10"),)},
        [],
    ),
    "a refused second version": (
        {"2025-11": (opened(), replace(LOST, version=2, accepted=False))},
        ["Open: rated", "Open 1. Anna 1-0 2000"],
    ),
    "a good second version heals a refused first one": (
        {"2025-11": (opened(accepted=False), replace(LOST, version=2))},
        ["Open: rated", "Open 1. Anna 0-1 2000"],
    ),
    "a duplicate": (
        {"2025-11": (Event("A", GAME), Event("B", GAME))},
        ["A: rated", "B: duplicate same_games", "A 1. Anna 1-0 2000", "B 1. Anna 1-0 2000 same_games"],
    ),
    "two events without a game": (
        {"2025-11": (Event("A", absent=("Anna",)), Event("B", absent=("Anna",)))},
        ["A: rated", "B: rated"],
    ),
    "a deferred event does not make the other a duplicate": (
        {"2025-11": (ENDS_LATE, Event("B", GAME))},
        ["A: deferred ended_after_closing", "B: rated", "A 1. Anna 1-0 2000 ended_after_closing", "B 1. Anna 1-0 2000"],
    ),
    "a deferred event is a duplicate later": (
        {"2025-11": (ENDS_LATE, Event("B", GAME)), "2025-12": ()},
        ["A: duplicate same_games", "A 1. Anna 1-0 2000 same_games"],
    ),
    "events go by their codes": (
        {"2025-11": (Event("C", GAME), Event("A", GAME, start="2025-10-05"), Event("B", GAME, accepted=False))},
        ["A: rated", "B: refused report_refused", "C: rated", "A 1. Anna 1-0 2000", "C 1. Anna 1-0 2000"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_list_tells_of_each_event(case):
    lists, told = CASES[case]
    assert Office(ANNA).last_of(lists).told() == told


def test_a_player_registered_later_heals_the_report():
    office = Office(ANNA)
    office.receive(Event("Open", "Anna: 1 2000, 1 Stranger"))
    assert office.rate("2025-11").rating("Anna") == 2000
    office.register(Player("Stranger"))
    december = office.rate("2025-12")
    assert (december.verdict("Open"), december.rating("Anna")) == ("rated", 2010)


def test_a_list_imported_later_heals_the_report():
    office = Office(ANNA)
    office.receive(Event("Open", GAME, start="2025-09-30"))
    office.rate("2025-11")
    office.add_list("2025-09", Player("Anna", 2000), Player("2000", 2000))
    assert office.rate("2025-12").verdict("Open") == "rated"


def test_an_event_whose_rule_set_is_known_but_no_list_of_its_time_control_asks_for_the_list():
    office = Office(ANNA, family="course", rules=changed_book("course", time_control="rapid"))
    office.receive(Event("Open", GAME, time_control="rapid"))
    assert office.rate("2025-11").verdict("Open") == "refused no_list_in_force"
