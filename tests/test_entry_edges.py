"""When results lapse that waited longer than they may, and a partial result too small in both ways."""

import polars as pl
import pytest

from ratinglist import resources
from ratinglist.period import Period
from ratinglist.rating.entry import compute_entries, expired
from ratinglist.schemas import ENTRY, POOL
from tests.months import Event, Office, Player

(COURSE,) = resources.rule_book().of("course")


@pytest.mark.parametrize("counted", ["2023-09", "2023-08", "2019-12"])
def test_a_result_that_outlived_its_26_lists_is_expired_however_long_ago(counted):
    assert pl.select(expired(pl.lit(counted), Period.parse("2025-11"), COURSE.entry)).item() is True


def test_by_the_stricter_reading_a_single_game_without_a_point_is_too_small():
    office = Office(Player("Nora"), family="course-tranche")
    office.receive(Event("Open", "Nora: 0 1800"))
    assert office.rate("2025-11").reasons("Nora") == ["tranche_too_small"]


def entries(*waiting: tuple[int, int, int, int]) -> pl.DataFrame:
    """The entries by the course of players who wait: FIDE ID, games, half points, sum of the opponents' ratings."""
    pool = pl.DataFrame(
        [
            ("standard", fide_id, "Open", games, halves, total, "2025-11", "2028-01")
            for fide_id, games, halves, total in waiting
        ],
        schema=POOL.schema,
        orient="row",
    )
    book = resources.rule_book()
    return compute_entries(pool, COURSE.entry, book.performance[COURSE.entry.performance_table], COURSE.list.floor)


def test_a_player_with_too_few_games_is_plainly_not_published():
    assert entries((7, 4, 8, 8000)).select("published", "computed_rating").rows() == [(False, None)]


def test_an_average_of_thousands_of_games_is_exact():
    (row,) = entries((7, 9_999, 9_999, 9_999 * 2400 + 1234)).to_dicts()
    assert (str(row["opponent_average"]), row["computed_rating"]) == ("2400.12", 2400)


def test_the_entries_have_the_types_they_are_published_with():
    assert entries((7, 5, 5, 9000)).schema == ENTRY.schema


def test_who_is_rated_by_the_list_before_has_nothing_to_wait_for_any_more():
    office = Office(Player("Nora", 1900))
    office.wait("Nora", "Spring", "3", [1700] * 5, counted="2025-05")
    november = office.rate("2025-11")
    assert (november.rating("Nora"), november.change("Nora"), november.waiting("Nora")) == (1900, None, [])
