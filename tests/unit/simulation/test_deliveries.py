from __future__ import annotations

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.simulation.deliveries import BROKEN, CORRECTED, LATE, OTHER_CODE, PLANTS, REPEATED
from tests.unit.simulation.worlds import MOST_MONTHS, hard_luck, months_of

WORLD = hard_luck()


@pytest.fixture(scope="module")
def deliveries() -> pl.DataFrame:
    return pl.concat([month.held.deliveries for month in months_of(WORLD, MOST_MONTHS)])


@pytest.fixture(scope="module")
def events() -> pl.DataFrame:
    return pl.concat([month.held.events for month in months_of(WORLD, MOST_MONTHS)])


@pytest.mark.thorough
def test_everything_goes_wrong_once(deliveries):
    assert sorted(set(deliveries["plant"]) - {""}) == sorted(PLANTS)


@pytest.mark.thorough
def test_the_first_reports_contain_every_round_of_every_event_once(deliveries, events):
    first = deliveries.filter(~pl.col("is_extra")).with_columns(
        reported=pl.col("last_round") - pl.col("first_round") + 1
    )
    reported = first.group_by("event_no").agg(pl.col("reported").sum())
    assert reported.join(events, on="event_no").filter(pl.col("reported") != pl.col("rounds")).is_empty()
    assert reported.height == events.height


def test_a_league_over_thirty_days_is_reported_month_by_month(deliveries, events):
    long = events.filter("is_long").select("event_no")
    parts = deliveries.join(long, on="event_no").sort("event_no", "part")
    assert parts.height > long.height > 0
    assert parts["event_id"].n_unique() == long.height
    assert (parts["start_date"].dt.month() == parts["end_date"].dt.month()).all()
    later = parts.filter(pl.col("part") > 1)
    assert (later["first_round"] > 1).all()


def test_no_report_comes_before_its_event_has_ended(deliveries):
    assert (deliveries["received_on"] > deliveries["end_date"]).all()


def test_a_late_report_comes_ten_days_after_the_event_or_more(deliveries):
    days = deliveries.with_columns(days=(pl.col("received_on") - pl.col("end_date")).dt.total_days())
    on_time = days.filter(~pl.col("is_extra") & (pl.col("plant") != LATE))
    assert days.filter(pl.col("plant") == LATE)["days"].min() >= 10
    assert on_time["days"].max() <= 3


def test_what_comes_again_comes_later(deliveries):
    extra = deliveries.filter("is_extra").join(deliveries.filter(~pl.col("is_extra")), on="event_no", suffix="_first")
    assert sorted(extra["plant"].unique()) == sorted([BROKEN, CORRECTED, OTHER_CODE, REPEATED])
    assert (extra["received_on"] > extra["received_on_first"]).all()


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


def test_every_file_of_a_month_has_a_name_of_its_own(deliveries):
    assert not deliveries.select(pl.struct("month", "file").is_duplicated().any()).item()


def test_the_months_deliver_everything_once():
    made = months_of(WORLD, MOST_MONTHS)
    held = pl.concat([month.held.deliveries for month in made]).filter(pl.col("month") <= MOST_MONTHS)
    due = pl.concat([month.due for month in made])
    assert sorted(due["file"]) == sorted(held["file"])
