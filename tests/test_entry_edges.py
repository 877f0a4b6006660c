"""When results lapse that waited longer than they may, and a partial result too small in both ways."""

import polars as pl
import pytest

from ratinglist import resources
from ratinglist.entry import expired
from ratinglist.period import Period
from tests.months import Event, Office, Player

(COURSE,) = resources.rule_book().of("course")


@pytest.mark.parametrize("counted", ["2023-09", "2023-08", "2019-12"])
def test_a_result_that_outlived_its_26_lists_is_expired_however_long_ago(counted):
    assert pl.select(expired(pl.lit(counted), Period.parse("2025-11"), COURSE.entry)).item() is True


def test_by_the_stricter_reading_a_single_game_without_a_point_is_too_small():
    office = Office(Player("Nora"), family="course-tranche")
    office.receive(Event("Open", "Nora: 0 1800"))
    assert office.rate("2025-11").reasons("Nora") == ["tranche_too_small"]
