"""The calculation of a month as a whole: its tables, and months in which little happens."""

from dataclasses import fields

import polars as pl
import pytest

from ratinglist.tables import CHANGE, ENTRY, EVENT, GAME, LIST_STATE, POOL
from tests.months import Event, Office, Player

TABLES = {"games": GAME, "changes": CHANGE, "entries": ENTRY, "pool": POOL, "list_state": LIST_STATE}


def busy_office(family: str = "fide") -> Office:
    """A month with every kind of player, event and reason."""
    office = Office(
        Player("Anna", 1923),
        Player("Bert", 1812, games=12),
        Player("Cora", 2660, woman=True),
        Player("Dora", 1405),
        Player("Emil", 2010, born=2010),
        Player("Nora"),
        Player("Olaf"),
        Player("Pia"),
        Player("Zero"),
        family=family,
        on="2025-09",
    )
    office.wait("Olaf", "Spring", "1½", [1700, 1750, 1800], counted="2025-05")
    office.receive(
        Event("Club", "1. Anna 1-0 Bert, Cora ½-½ Emil, Nora 1-0 Dora; 2. Anna ½-½ Cora, Emil 1-0 Nora, Bert 1-0 Dora"),
        Event("Cup", "Nora: 1 1700, ½ 1750, ½ 1800, 0 1850; Zero: 0 1700z, 0 1750z; Pia: ½ 1700p, 1 1750p"),
        Event("Open", "Olaf: 1 1800, ½ 1900; Emil: 1 2100, 1 2200", start="2025-09-28", end="2025-10-02"),
        Event("Twin", "Olaf: 1 1800, ½ 1900; Emil: 1 2100, 1 2200", start="2025-09-28", received="2025-10-20"),
        Event("Late", "Anna: 1 2000, 0 2100", received="2025-10-30"),
        Event("Broken", "Anna: 1 2000", accepted=False),
        Event("Strangers", "Anna: 1 Stranger"),
    )
    return office


# -------------------------------------------------------------------------------------------------- the frames


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_columns_its_key_and_its_order_and_is_filled(name):
    frame, table = getattr(busy_office().rate("2025-11").result, name), TABLES[name]
    assert (frame.schema, frame.is_empty()) == (table.schema, False)
    assert frame.select(table.key).is_unique().all()
    assert frame.equals(table.sorted(frame))
    assert [column for column, of in table.columns.items() if not of.null and frame[column].has_nulls()] == []


def test_the_events_have_the_columns_of_their_schema_and_the_report():
    events = busy_office().rate("2025-11").result.events
    own = {"event_no": pl.UInt32(), "rule_set": pl.String(), "report_id": pl.String()}
    assert list(events.schema.items()) == [*EVENT.schema.items(), *own.items()]


# ------------------------------------------------------------------------------------------------- quiet months


def test_a_month_without_events_carries_the_list_over():
    december = Office(Player("Anna", 1900), on="2025-11").rate("2025-12")
    assert december.published().select("name", "rating", "games").rows() == [("Anna", 1900, 0)]
    frames = [(field.name, getattr(december.result, field.name)) for field in fields(december.result)]
    assert all(frame.is_empty() for name, frame in frames if name != "list_state")


def test_where_no_text_is_in_force_there_is_no_list():
    office = Office(Player("Anna", 1900), family="course", on="1999-11")
    office.receive(Event("Open", "Anna: 1 1900", start="1999-11-05", end="1999-11-06", received="1999-11-07"))
    december = office.rate("1999-12")
    assert december.result.list_state.is_empty()
    assert december.verdict("Open") == "refused no_rule_set"


def test_an_event_of_a_time_control_without_rules_is_shown_and_changes_nothing():
    office = Office(Player("Anna", 1900), family="course")
    office.receive(Event("Quick", "Anna: 1 1900", time_control="rapid"))
    november = office.rate("2025-11")
    assert november.verdict("Quick") == "refused no_rule_set"
    assert november.of("rapid").reasons("Anna") == ["no_rule_set"]
    assert november.rating("Anna") == 1900
