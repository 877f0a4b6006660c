"""Full dates as people write them, and what only looks like one."""

from __future__ import annotations

from datetime import date

import pytest

from ratinglist.reports.free_text import full_dates

MAY_3 = date(1990, 5, 3)
MARCH_5 = date(1990, 3, 5)


@pytest.mark.parametrize(
    "written",
    [
        *("1990-05-03", "1990/05/03", "1990.5.3", "1990 05 03", "1990–05–03", "1990 - 05 - 03", "19900503", "03051990"),
        *("3.V.1990", "3 May 1990", "3rd of May, 1990", "May 3, 1990", "may 3rd 1990", "1990 May 3", "3-May-1990"),
        *("3. Mai 1990", "3 mai 1990", "3 maggio 1990", "3º de mayo de 1990", "3 de maio de 1990", "3 mei 1990"),
        *("3. maj 1990", "3 maja 1990", "3. května 1990", "3 Mayıs 1990", "3 мая 1990", "1990年5月3日"),
        *("3MAY1990", "1990May3", "3:05:1990", "3·5·1990", "3\\5\\1990", "3rd day of May, 1990", "1990, May the 3rd"),
        *("05.1990.03", "3 Mei 1990", "3 Maya 1990", "3 травня 1990", "3 Μαΐου 1990", "3 tháng 5 năm 1990"),
        *("1990년 5월 3일", "1990 3 May", "1990.V.3", "3 de maig de 1990", "3#5#1990"),
        *("1990-05-03T10:00", "x1990-05-03y", "1990  \t 05 03", "MAY 3RD, 1990"),
    ],
)
def test_a_full_date_is_found_with_its_place(written):
    for before in ("", "he wrote: "):
        (found,) = full_dates(f"{before}{written}, then")
        assert MAY_3 in found.days
        assert found.first >= len(before) + 1
        assert found.last <= len(before) + len(written)
        assert (before + written)[found.first - 1].isalnum()


@pytest.mark.parametrize("written", ["3.5.1990", "03/05/1990", "3-5-1990", "3 5 1990", "٣/٥/١٩٩٠", "３．５．１９９０"])
def test_day_and_month_may_be_either_way_round(written):
    (found,) = full_dates(written)
    assert found.days == {MAY_3, MARCH_5}


def test_a_day_over_twelve_leaves_one_way():
    assert full_dates("13.5.1990")[0].days == full_dates("5/13/1990")[0].days == {date(1990, 5, 13)}


@pytest.mark.parametrize("written", ["03.05.90", "3/5/90", "3 May 90", "3.V.90", "90-05-03", "3 5 '90"])
def test_a_year_of_two_digits_is_of_either_century(written):
    (found,) = full_dates(written)
    assert found.short_year
    assert {MAY_3, date(2090, 5, 3)} <= found.days


@pytest.mark.parametrize(
    "text",
    [
        *("", "1990", "May 1990", "2025-11", "round 3, board 5", "12:30 1990", "31/02/1990", "1990-13-45"),
        *("game 12 1-0 2015", "199005031", "1.990.503", "version 1.2.3", "round 3 5 2 14", "ID 14100010 and 4100"),
        *("maybe 3 1990 players", "3 mayors 1990", "1-0 0-1 1/2"),
    ],
)
def test_what_is_no_full_date_is_not_found(text):
    assert [one for one in full_dates(text) if any(day.year > 1800 for day in one.days)] == []


@pytest.mark.parametrize("text", ["030590", "event 900503", "3:5:90", "90:05:03"])
def test_what_may_be_a_number_or_a_time_is_a_doubtful_date(text):
    assert [(one.doubtful, MAY_3 in one.days) for one in full_dates(text)] == [(True, True)]


def test_a_year_in_front_may_have_the_day_before_the_month_where_it_is_no_month():
    assert [one.days for one in full_dates("1990-14-03 and 1990-05-03")] == [{date(1990, 3, 14)}, {MAY_3}]


def test_a_name_that_two_languages_give_to_two_months_is_both():
    assert full_dates("3 listopada 1990")[0].days == {date(1990, 10, 3), date(1990, 11, 3)}


def test_a_whole_number_is_named_because_it_may_be_a_fide_id():
    assert [one.number for one in full_dates("19900503 and 03051990 and 1990-05-03")] == [19900503, None, None]


def test_accents_in_front_do_not_move_the_place():
    (found,) = full_dates("Æßﬁé 1990-05-03")
    assert (found.first, found.last) == (6, 15)
