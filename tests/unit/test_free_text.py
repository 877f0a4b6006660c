"""Which dates of a written text are dates of birth, and which are days of play, of letters and of decisions."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import pytest

from ratinglist.reports.dates import birth_date_problem, years_before

NAMED = date(2012, 5, 3)
PLAYER = date(1990, 5, 17)
CHILD = date(2014, 3, 1)


def problem(text: str, last: date = date(2023, 1, 20)) -> str:
    def of_players(days: Collection[date]) -> set[date]:
        return {PLAYER, CHILD, date(2025, 10, 3)} & set(days)

    return birth_date_problem(text, of_players, lambda number: number == 19900517, last, {NAMED})


@pytest.mark.parametrize(
    "text",
    [
        *("wrong player, see 1990-05-17", "17 May 1990", "passport: 17.05.1990", "May 17th, 1990!", "17051990"),
        *("0017 17/5/1990", "17.05.90"),
        # Of the player whom the text is about, in any form.
        *("2012-05-03", "3.5.12", "3 May 12", "5/3/2012", "12-05-03", "20120503"),
    ],
)
def test_a_date_of_birth_is_refused(text):
    assert problem(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "score sheets compared", "born in 1990", "born in May 1990", "year of birth 1990, not 1991"),
        *("arbiter wrote on 2026-01-12", "game of 2025-10-03", "birth year corrected, arbiter wrote on 2026-01-12"),
        *("FIDE ID 19900517 was another player", "decision of 4 June 1985", "a newborn rule of 1985-06-04"),
        *("birth year corrected, event 250814", "birth year checked at 14:03:12, event ORV25081", "won 1-0 at 14:03"),
        "birth year confirmed by the federation of the player, whose letter is of 1985-06-04",
    ],
)
def test_other_dates_may_be_written(text):
    assert problem(text) == ""


def test_a_day_of_play_of_an_old_list_is_no_date_of_birth_of_its_players():
    text = "the game of 2014-03-01 came late"
    assert problem(text)
    assert problem(text, last=date(2011, 4, 1)) == ""


def test_the_sentence_names_the_place_and_never_the_date():
    said = problem("Anna's passport: 17 May 1990, seen")
    assert "at characters 18 to 28" in said
    assert "1990" not in said
    assert "Leave out the day and the month; the year may be said" in said


def test_years_before_a_leap_day():
    assert years_before(date(2024, 2, 29), 3) == date(2021, 2, 28)
    assert years_before(date(2024, 2, 29), 4) == date(2020, 2, 29)
