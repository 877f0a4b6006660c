"""Our list compared with that of another office: every difference gets the right cause.

The other office is this program with a changed rule set or with other reports; where no rule set can express the
reading, the official value is worked out by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import polars as pl
import pytest

from ratinglist.lists.formats import with_both_titles
from ratinglist.lists.official_rows import OFFICIAL_ROW
from ratinglist.names.alike import to_ascii
from ratinglist.rating.rules import RuleBook
from ratinglist.store import rule_files
from ratinglist_lab import reconcile
from ratinglist_lab.reconcile import (
    CLASSES,
    ListComparison,
    OurMonth,
    compare_lists,
)
from tests.months import Event, Month, Office, Player

BOOK = rule_files.rule_book()
NO_VERSIONS = pl.DataFrame(
    schema=dict.fromkeys(("name", "federation", "sex", "title", "women_title"), pl.String) | {"fide_id": pl.Int64}
)


def book(**sections: dict[str, Any]) -> RuleBook:
    """Return the program's rules with other values in all rule sets: ``book(list={"floor": 1000})``."""
    changed = [
        replace(
            rule_set, **{section: replace(getattr(rule_set, section), **values) for section, values in sections.items()}
        )
        for rule_set in BOOK.rule_sets
    ]
    return replace(BOOK, files={}, added=tuple(changed))


def our_month(month: Month) -> OurMonth:
    of_control = pl.col("time_control") == month.time_control
    return OurMonth(
        inputs=month.inputs,
        time_control=month.time_control,
        listed=month.published(),
        games=month.result.games.filter(of_control),
        events=month.result.events.filter(of_control),
        versions=NO_VERSIONS,
    )


def official(month: Month, **of_player: dict[str, Any]) -> pl.DataFrame:
    """Return the published list as an official one, with other values for some players, which may be new on it."""
    published = month.published()
    absent = [name for name in OFFICIAL_ROW.columns if name not in published.columns]
    rows = published.with_columns(pl.lit(None).alias(name) for name in absent)
    rows_out = OFFICIAL_ROW.conform(rows)
    for name, values in of_player.items():
        own = pl.col("fide_id") == month.numbers[name]
        if rows_out.filter(own).is_empty():
            blank = {column: "" if kind == pl.String() else None for column, kind in OFFICIAL_ROW.schema.items()}
            row = blank | {"fide_id": month.numbers[name], "name": name, "time_control": month.time_control}
            rows_out = pl.concat([rows_out, pl.DataFrame([row], schema=OFFICIAL_ROW.schema)])
        kinds = OFFICIAL_ROW.schema
        rows_out = rows_out.with_columns(
            pl.when(own).then(pl.lit(value, dtype=kinds[column])).otherwise(pl.col(column)).alias(column)
            for column, value in values.items()
        )
    return rows_out


def row(comparison: ListComparison, name: str, column: str = "rating") -> dict[str, Any]:
    """Return the difference of a player in a column."""
    (difference,) = comparison.differences.filter((pl.col("name") == name) & (pl.col("column") == column)).to_dicts()
    return difference


def cause(comparison: ListComparison, name: str, column: str = "rating") -> str:
    return str(row(comparison, name, column)["cause"])


def compare_offices(
    players: Sequence[Player],
    events: Sequence[Event],
    theirs: RuleBook = BOOK,
    *,
    their_events: Sequence[Event] | None = None,
    month: str = "2025-11",
    on: str = "2025-10",
    family: str = "fide",
    time_control: str = "standard",
    rapid: Sequence[Player] = (),
    of_player: dict[str, dict[str, Any]] | None = None,
) -> ListComparison:
    """Compare our office with one that has the same players and events, but other rules, events or values."""
    months = []
    for rules, received in ((BOOK, events), (theirs, events if their_events is None else their_events)):
        office = Office(*players, family=family, on=on, rules=rules)
        if rapid:
            office.add_list(on, *rapid, time_control=time_control)
        office.receive(*events, *(their_events or []))  # introduces the same opponents to both
        office.events = []
        office.receive(*received)
        months.append(office.rate(month).of(time_control))
    return compare_lists(our_month(months[0]), official(months[1], **(of_player or {})))


def by_hand(players: Sequence[Player], events: Sequence[Event], **of_player: Any) -> ListComparison:
    office = Office(*players)
    office.receive(*events)
    month = office.rate("2025-11")
    return compare_lists(our_month(month), official(month, **of_player))


ANNA = Player("Anna", 1800)
OPEN = Event("Open", "Anna: 1 1800, ½ 1785, 0 1900")
CUP = Event("Cup", "Anna: 1 1850, 1 1750", start="2025-10-18", end="2025-10-19", received="2025-10-20")


# ------------------------------------------------------------------------------------------------------- equal


def test_a_list_and_itself_are_equal() -> None:
    comparison = compare_offices(
        [ANNA, Player("Nora")], [OPEN, Event("Entry", "Nora: ½ 1800, 1 1700, 0 1900, ½ 1750, 1 1650")]
    )
    assert comparison.differences.is_empty()
    assert comparison.figures.filter(pl.col("equal") == 0).is_empty()
    assert comparison.figures.select(CLASSES[1:]).sum().row(0) == (0, 0, 0)


SHOWN_OTHERWISE = {
    "Anna": ("name", "Anna " + "n" * 80),
    "Bert": ("name", "Пешкаев, Остап"),
    "Cora": ("women_title", "WGM"),
    "Dora": ("title", "WGM"),
}


def test_what_fides_layout_writes_otherwise_is_equal() -> None:
    month = Office(*(Player(name, 1800) for name in SHOWN_OTHERWISE)).rate("2025-11")
    ours = our_month(month)
    listed = ours.listed
    for name, (column, value) in SHOWN_OTHERWISE.items():
        own = pl.col("fide_id") == month.numbers[name]
        listed = listed.with_columns(pl.when(own).then(pl.lit(value)).otherwise(column).alias(column))
    shown = with_both_titles(to_ascii(listed)[0]).with_columns(pl.col("name").str.head(60))
    theirs = (
        official(month)
        .drop("name", "title", "women_title")
        .join(shown.select("fide_id", "name", "title", "women_title"), on="fide_id")
    )
    comparison = compare_lists(replace(ours, listed=listed), theirs.select(*OFFICIAL_ROW.columns))
    assert comparison.differences.to_dicts() == []


def test_a_flag_that_the_official_list_does_not_state_is_no_difference() -> None:
    office = Office(ANNA)
    office.receive(OPEN)
    month = office.rate("2025-11")
    ours = our_month(month)
    listed = ours.listed.with_columns(pl.lit("i").alias("flag"))
    theirs = official(month).with_columns(
        pl.when(pl.col("fide_id") == month.numbers["Anna"]).then(None).otherwise(pl.lit("i")).alias("flag")
    )
    assert compare_lists(replace(ours, listed=listed), theirs).differences.to_dicts() == []


def test_the_order_of_the_rows_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "_READINGS", reconcile._READINGS[:4])
    office = Office(ANNA, Player("Bert", 1700))
    office.receive(OPEN, CUP)
    month = office.rate("2025-11")
    ours, theirs = our_month(month), official(month, Anna={"rating": 1801}, Bert={"rating": 1900, "k": 40})
    shuffled = replace(
        ours,
        **{
            name: getattr(ours, name).sample(fraction=1, shuffle=True, seed=Random(7).randint(0, 99))
            for name in ("listed", "games", "events")
        },
    )
    comparison = compare_lists(ours, theirs)
    other = compare_lists(shuffled, theirs.sample(fraction=1, shuffle=True, seed=3))
    assert comparison.differences.equals(other.differences)
    assert comparison.figures.equals(other.figures)


# ---------------------------------------------------------------------------------- readings that a text can say

STRONG = [Player("Anna", 2700, ever_2400=True), Player("Bert", 2200)]
TWO_SMALL = [
    Event("Open", "Anna: ½ 1785"),
    Event("Cup", "Anna: ½ 1785b", start="2025-10-18", end="2025-10-19", received="2025-10-20"),
]
LATER = {"start": "2025-10-18", "end": "2025-10-19", "received": "2025-10-20"}
ENTRY = Event("Open", "Nora: 1 1850, 1 1700, 0 1900, 1 1780, 1 1890")
QUICK = {"kind": "swiss", "time_control": "rapid"}


def test_a_reading_that_another_text_has_is_named_for_each_player_whom_it_explains() -> None:
    """Each player is named by a reading, and has on the official list what the month gives under that one."""
    players = [
        Player("floor", 1402),
        Player("rounded_per_event", 1800),
        Player("cap_once", 2200),
        Player("no_cap", 1800),
        Player("k_limit", 1800, games=5),
        Player("k_junior_until", 1800, born="2007-03-01"),
        Player("entry_method"),
        Player("entry_maximum"),
        Player("entry_window"),
        Player("time_limit", 2450, ever_2400=True),
    ]
    events = [
        Event("Low", "floor: 0 1410"),
        Event("Small", "rounded_per_event: ½ 1785"),
        Event("Small 2", "rounded_per_event: ½ 1785b", **LATER),
        Event("Weak", "cap_once: ½ 1700, ½ 1650"),
        Event("Far", "no_cap: ½ 1400, 0 2400"),
        Event("Long", "k_limit: " + ", ".join(["1 1700"] * 20)),
        Event("Youth", "k_junior_until: 1 1800, ½ 1785, 0 1900"),
        Event("Youth 2", "k_junior_until: 1 1850, 1 1750", **LATER),
        Event("Entry", "entry_method: 1 1850, 1 1700, 0 1900, 1 1780, 1 1890"),
        Event("Best", "entry_maximum: 1 2150, 1 2200, 1 2100, 1 2180, 1 2190"),
        Event("Waiting", "entry_window: 1 1850, 0 1800, ½ 1750"),
        Event("Quick", "time_limit: 1 2300", minutes=90),
    ]
    theirs = {
        "floor": book(list={"floor": 1000}),
        "rounded_per_event": book(change={"rounded_per": "event"}),
        "cap_once": book(expected_score={"cap_applies_to": "best_game_per_event"}),
        "no_cap": book(expected_score={"cap": 9999}),
        "k_limit": book(development_coefficient={"period_limit": 0}),
        "k_junior_until": book(development_coefficient={"junior_until": "eighteenth_birthday"}),
        "entry_method": book(entry={"method": "twenty_per_half_point"}),
        "entry_maximum": book(entry={"maximum": 0}),
        "entry_window": book(entry={"window_lists": 30}),
        "time_limit": book(event={"time_limit_applies_to": "nothing"}),
    }

    def november(rules: RuleBook) -> Month:
        office = Office(*players, rules=rules)
        office.wait("entry_window", "Old", "3", [1700, 1800, 1900], counted="2023-09")
        office.receive(*events)
        return office.rate("2025-11")

    ours = november(BOOK)
    other = official(ours)
    for name, rules in theirs.items():
        own = pl.col("fide_id") == ours.numbers[name]
        other = pl.concat([other.filter(~own), official(november(rules)).filter(own)])
    comparison = compare_lists(our_month(ours), other)
    assert {name: (cause(comparison, name), row(comparison, name)["class"]) for name in theirs} == {
        name: (name, "reading") for name in theirs
    }
    assert set(comparison.differences["name"]) == set(theirs)
    assert comparison.differences.filter(pl.col("class") == "unexplained").is_empty()


@pytest.mark.parametrize(
    ("named", "players", "events", "theirs", "more"),
    [
        ("one_time_step", [ANNA], [], book(list={"one_time_step": "none"}), {"month": "2024-03", "on": "2024-02"}),
        ("rounded_per_period", [ANNA], TWO_SMALL, book(change={"rounded_per": "period"}), {"family": "course"}),
        (
            "cap_every_game",
            [Player("Anna", 2200)],
            [Event("Open", "Anna: ½ 1700, ½ 1650", start="2023-05-06", end="2023-05-07", received="2023-05-08")],
            book(expected_score={"cap_applies_to": "every_game"}),
            {"month": "2023-06", "on": "2023-05"},
        ),
        (
            "cap_below_2650",
            STRONG,
            [Event("Open", "1. Anna ½-½ Bert", start="2025-09-06", end="2025-09-07", received="2025-09-08")],
            book(expected_score={"cap_applies_to": "players_below", "cap_players_below": 2650}),
            {"month": "2025-10", "on": "2025-09"},
        ),
        (
            "tranche_too_small",
            [Player("Nora")],
            [ENTRY, Event("Single", "Nora: ½ 1800b", **LATER)],
            book(entry={"tranche_min_games": 1}),
            {"family": "course-tranche"},
        ),
        (
            "rating_gap",
            [Player("Anna", 2650, ever_2400=True)],
            [Event("Open", "Anna: 1 2000", **QUICK)],
            book(expected_score={"gap_not_rated": 0}),
            {"time_control": "rapid", "rapid": [Player("Anna", 2650, ever_2400=True)]},
        ),
        (
            "k_fixed",
            [Player("Anna", 1800, games=5)],
            [Event("Open", "Anna: 1 1800", start="2022-05-07", end="2022-05-08", received="2022-05-09", **QUICK)],
            book(development_coefficient={"fixed": 0}),
            {
                "month": "2022-06",
                "on": "2022-05",
                "time_control": "rapid",
                "rapid": [Player("Anna", 1800, games=5)],
            },
        ),
        (
            "standard_stands_in",
            [Player("Bert", 1800)],
            [Event("Open", "Anna: 1 1800; 2. Anna 1-0 Bert", **QUICK)],
            book(event={"standard_rating_stands_in": False}),
            {"time_control": "rapid", "rapid": [Player("Anna", 1700)]},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_reading_of_another_month_family_or_time_control(
    named: str,
    players: list[Player],
    events: list[Event],
    theirs: RuleBook,
    more: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is told from the others of its section; the test before tells those of all sections apart."""
    (own,) = {section for cause, _, section, _ in reconcile._READINGS if cause == named}
    monkeypatch.setattr(reconcile, "_READINGS", [reading for reading in reconcile._READINGS if reading[2] == own])
    comparison = compare_offices(players, events, theirs, **more)
    (first,) = {player.name for player in [*players, *more.get("rapid", [])]} & {"Anna", "Nora"}
    of_player = comparison.differences.filter(name=first)
    assert "rating" in of_player["column"]
    assert of_player.select("class", "cause").unique().rows() == [("reading", named)]
    assert comparison.differences.filter(pl.col("class") == "unexplained").is_empty()


def test_a_junior_judged_on_the_day_the_event_began(monkeypatch: pytest.MonkeyPatch) -> None:
    of_k = [reading for reading in reconcile._READINGS if reading[2] == "development_coefficient"]
    monkeypatch.setattr(reconcile, "_READINGS", of_k)
    # An event of December on the list of February: on the list before, the last year as a junior is over.
    months = []
    young = Player("Anna", 1800, born="2006-03-01")
    for rules in (BOOK, book(development_coefficient={"junior_judged_on": "event_start"})):
        office = Office(young, on="2024-12", rules=rules)
        office.add_list("2025-01", young)
        office.receive(Event("Open", "Anna: 1 1800", start="2024-12-28", end="2025-01-03", received="2025-01-04"))
        months.append(office.rate("2025-02"))
    assert cause(compare_lists(our_month(months[0]), official(months[1])), "Anna") == "k_junior_judged_on"


# ------------------------------------------------------------------------------------------------------ events


def test_an_event_that_one_list_counts_alone() -> None:
    """Each player has an event that both lists count, and one that they do not; Dora's only one is ours alone.

    Emma's rating differs by more than one game can move it.
    """
    players = [*(Player(name, 1800) for name in ("Anna", "Bert", "Cora", "Emma")), Player("Dora", 2395)]
    with_open = ("Anna", "Bert", "Cora", "Emma")
    open_of = {name: Event(f"Open {name}", f"{name}: 1 1800, ½ 1785, 0 1900") for name in with_open}
    cup_of = {name: Event(f"Cup {name}", f"{name}: 1 1850, 1 1750", **LATER) for name in ("Anna", "Bert", "Cora")}
    strong = Event("Strong", "Dora: 1 2395")
    late = replace(cup_of["Bert"], received="2025-10-30")
    ours = [*open_of.values(), cup_of["Anna"], late, strong]
    theirs = [*open_of.values(), cup_of["Bert"], cup_of["Cora"]]
    emma = {"rating": 1900, "games": 4}
    comparison = compare_offices(players, ours, their_events=theirs, of_player={"Emma": emma})
    deferred = "Cup Bert (deferred: the report arrived after the closing date of this list)"
    for name, column, named, detail in (
        ("Anna", "rating", "extra_event", "Cup Anna (rated)"),
        ("Anna", "games", "extra_event", "Cup Anna (rated)"),
        ("Bert", "rating", "missing_event", deferred),
        ("Cora", "rating", "event_not_received", ""),
        ("Dora", "k", "extra_event", "Strong (rated)"),
    ):
        difference = row(comparison, name, column)
        assert (difference["class"], difference["cause"], difference["detail"]) == ("event", named, detail)
    assert (row(comparison, "Emma")["class"], cause(comparison, "Emma")) == ("unexplained", "")


# ----------------------------------------------------------------------------------------------- other columns


def test_a_blank_value_is_not_compared_and_the_letter_w_only_repeats_the_sex() -> None:
    anna = replace(ANNA, woman=True)
    players = [anna, replace(anna, name="Cora"), Player("Bert", 1500, last_played="2020-01")]
    blank = {"federation": "", "sex": "", "name": "", "k": None}
    assert by_hand(players, [], Anna={"flag": ""}, Cora=blank).differences.is_empty()


def test_a_name_in_other_letters() -> None:
    office = Office(Player("Müller, Jörg", 1800))
    month = office.rate("2025-11")
    comparison = compare_lists(our_month(month), official(month, **{"Müller, Jörg": {"name": "MUELLER JORG"}}))
    assert cause(comparison, "Müller, Jörg", "name") == "transliteration"


def test_a_column_the_official_list_does_not_have_is_not_compared() -> None:
    month = Office(ANNA).rate("2025-11")
    theirs = official(month).with_columns(pl.lit("").alias("federation"), pl.lit(None, dtype=pl.Int32).alias("games"))
    comparison = compare_lists(our_month(month), theirs)
    assert not {"federation", "games"} & set(comparison.figures["column"])
    assert comparison.differences.is_empty()
