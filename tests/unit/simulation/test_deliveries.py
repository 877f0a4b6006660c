from __future__ import annotations

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.simulation.deliveries import BROKEN, CORRECTED, OTHER_CODE, REPEATED
from tests.unit.simulation.worlds import MOST_MONTHS, hard_luck, months_of

WORLD = hard_luck()


@pytest.fixture(scope="module")
def deliveries() -> pl.DataFrame:
    return pl.concat([month.held.deliveries for month in months_of(WORLD, MOST_MONTHS)])


@pytest.fixture(scope="module")
def events() -> pl.DataFrame:
    return pl.concat([month.held.events for month in months_of(WORLD, MOST_MONTHS)])


def test_no_report_comes_before_its_event_has_ended(deliveries):
    assert (deliveries["received_on"] > deliveries["end_date"]).all()


def test_versions_and_codes_of_what_comes_again(deliveries):
    extra = deliveries.filter("is_extra")
    second = extra.filter(pl.col("plant").is_in([CORRECTED, BROKEN]))
    other = extra.filter(pl.col("plant") == OTHER_CODE)
    again = extra.filter(pl.col("plant") == REPEATED)
    assert set(second["version"]) == {2}
    assert set(again["version"]) == set(other["version"]) == {1}
    assert other["event_id"].str.ends_with("X").all()
    assert not again["event_id"].str.ends_with("X").any()


def test_only_broken_reports_are_damaged_and_never_the_second_version(deliveries):
    damaged = deliveries.filter(pl.col("damage") > 0)
    assert set(damaged["plant"]) == {BROKEN}
    assert not damaged["is_extra"].any()


def test_a_report_is_delivered_for_the_list_after_the_month_of_its_arrival(deliveries):
    for received, month in deliveries.select("received_on", "month").iter_rows():
        assert WORLD.period(month) - 1 == Period.of(received)


def test_the_months_deliver_everything_once():
    made = months_of(WORLD, MOST_MONTHS)
    held = pl.concat([month.held.deliveries for month in made]).filter(pl.col("month") <= MOST_MONTHS)
    due = pl.concat([month.due for month in made])
    assert sorted(due["file"]) == sorted(held["file"])
