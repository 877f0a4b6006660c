"""When results lapse that waited longer than they may, and a partial result too small in both ways."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.entry import compute_entries, is_expired, judge_tranches
from ratinglist.schemas import ENTRY, POOL
from ratinglist.store import rule_files
from tests.months import Event, Office, Player

(COURSE,) = rule_files.rule_book().of("course")


@pytest.mark.parametrize("counted", ["2023-09", "2023-08", "2019-12"])
def test_a_result_that_outlived_its_26_lists_is_expired_however_long_ago(counted):
    assert pl.select(is_expired(pl.lit(counted), Period.parse("2025-11"), COURSE.entry)).item() is True


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
    book = rule_files.rule_book()
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


def verdicts(*tranches: tuple[str, int, int, int, int], least_games: int = 0) -> dict[str, str]:
    """The verdict on each tranche of one player: event, days of November on which it began and ended, games, halves."""
    rules = replace(COURSE.entry, tranche_min_games=least_games, tranche_min_halves=0)
    rows = [(7, code, date(2025, 11, first), date(2025, 11, last), *told) for code, first, last, *told in tranches]
    columns = ["fide_id", "event_id", "start_date", "end_date", "games", "score_halves"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    waiting = pl.DataFrame(schema={"fide_id": pl.Int64()})
    return dict(judge_tranches(frame, waiting, rules).select("event_id", "reason").iter_rows())


def test_of_two_events_that_began_together_the_one_that_ended_sooner_was_the_first():
    assert verdicts(("A", 1, 5, 4, 0), ("B", 1, 2, 4, 3))["A"] == "counts_for_entry"


def test_of_two_events_on_the_same_days_the_code_says_which_was_the_first():
    assert verdicts(("B", 1, 5, 4, 3), ("A", 1, 5, 4, 0))["A"] == "zero_first_event"


def test_a_point_in_an_event_that_is_too_small_does_not_make_the_next_one_count():
    found = verdicts(("A", 1, 2, 2, 4), ("B", 3, 5, 4, 0), least_games=3)
    assert found == {"A": "tranche_too_small", "B": "zero_first_event"}
