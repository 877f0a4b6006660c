"""Full dates as people write them, and what only looks like one."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import example, given, strategies as st

from ratinglist.reports.dates import dates_in, full_dates

MAY_3 = date(1990, 5, 3)
MARCH_5 = date(1990, 3, 5)


def certain(text: str, day: date = MAY_3) -> bool | None:
    """Whether ``text`` has a certain date that may be ``day``; None: it has none."""
    return max((mention.certain for mention in full_dates(text) if day in mention.days), default=None)


@pytest.mark.parametrize(
    "written",
    [
        *("1990-05-03", "1990/05/03", "1990.5.3", "1990 05 03", "1990–05–03", "1990 - 05 - 03", "19900503", "03051990"),
        *("05031990", "19900305", "05.1990.03", "1990-03-05", "1990. 5. 3", "3:05:1990", "3·5·1990", "3\\5\\1990"),
        *("3#5#1990", "3/5 1990", "1990-05-03T10:00", "x1990-05-03y", "1990  \t 05 03"),
        *("1990年5月3日", "1990년 5월 3일"),
        *("3 May 1990", "3rd of May, 1990", "May 3, 1990", "may 3rd 1990", "1990 May 3", "3-May-1990", "3MAY1990"),
        *("1990May3", "3rd day of May, 1990", "1990, May the 3rd", "1990 3 May", "MAY 3RD, 1990"),
    ],
)
def test_a_full_date_is_certain_and_has_its_place(written):
    for before in ("", "he wrote: "):
        mentions = [mention for mention in full_dates(f"{before}{written}, then") if MAY_3 in mention.days]
        assert any(mention.certain for mention in mentions)
        assert all(len(before) < mention.first <= mention.last <= len(before) + len(written) for mention in mentions)


@pytest.mark.parametrize(
    ("written", "is_certain"),
    [
        # A likely month and a year of two digits are possible.
        *(("3. Mai 1990", False), ("3 maggio 1990", False), ("3º de mayo de 1990", False)),
        *(("3 de maio de 1990", False), ("3 de maig de 1990", False), ("Mayo 3, 1990", False), ("1990 május 3", False)),
        *(("3 May 90", False), ("03.05.90", False), ("3/5/90", False), ("90-05-03", False)),
        # What may be a number or a time is none.
        *(("030590", None), ("event 900503", None), ("3:5:90", None), ("90:05:03", None), ("3 5 '90", None)),
    ],
)
def test_a_date_is_possible_or_none(written, is_certain):
    assert certain(written) is is_certain


@pytest.mark.parametrize(
    ("written", "days"),
    [
        *((text, {MAY_3, MARCH_5}) for text in ("3.5.1990", "03/05/1990", "1990-05-03", "1990 3 5", "5.1990.3")),
        # A day over twelve leaves one way.
        ("13.5.1990", {date(1990, 5, 13)}),
        ("1990-13-05", {date(1990, 5, 13)}),
        # A year of two digits is of either century.
        ("3.5.90", {day.replace(year=year) for day in (MAY_3, MARCH_5) for year in (1990, 2090)}),
    ],
)
def test_day_and_month_may_be_either_way_round(written, days):
    (mention,) = full_dates(written)
    assert mention.days == days


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "1990",
            "May 1990",
            "2025-11",
            "U10 2001",
            "Open 12/2001",
            "round 3, board 5",
            "31/02/1990",
            "1990-13-45",
        ),
        *("199005031", "1.990.503", "version 1.2.3", "ID 14100010 and 4100", "Group 3 Boys 2012", "3 listopada 1990"),
        "a day 3 that is far away from the year of the tournament, which is 1990",
    ],
)
def test_what_is_no_full_date_is_not_found(text):
    assert full_dates(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("12th Open 2001", "12:30 1990", "game 12 1-0 2015", "maybe 3 1990 players", "3 mayors 1990", "2011/2012"),
        *("2009-2010", "Open 2025-03", "1-0 0-1 1/2", "Liga 07 Round 12", "round 3 5 2 14", "Memorial 05-06-07"),
    ],
)
def test_what_is_seldom_a_date_is_not_certain(text):
    assert not any(mention.certain for mention in full_dates(text))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "12th Open 2001",
            "Group 3 Boys 2012",
            "Division 2 Cup 2010 - 2011",
            "Winter 2010/11 Group 4",
            "U16 2009/2010",
        ),
        *("Championship 12.-14.10.2025", "9. Memorial 2005", "Open 12/2001", "Rapid 15+10, 2008", "7. Open SC 1921"),
    ],
)
def test_an_ordinary_name_of_an_event_does_not_refuse_its_report(text):
    born = [mention for mention in full_dates(text) if min(mention.days) < date(2022, 1, 1)]
    assert born == []


def test_a_whole_number_is_named_because_it_may_be_a_fide_id():
    assert [mention.number for mention in full_dates("19900503 and 03051990 and 1990-05-03")] == [19900503, None, None]


def test_accents_in_front_do_not_move_the_place():
    (mention,) = full_dates("Æßﬁé 1990-05-03")
    assert (mention.first, mention.last) == (6, 15)


def test_the_dates_of_a_column_are_each_there_once_and_certain_where_one_of_them_is():
    dates = dates_in(pl.Series(["3.5.1990 or 3. Mai 1990", "no date", None, "3.5.1990 or 3. Mai 1990"]))
    assert dates.filter(pl.col("day") == MAY_3).rows() == [("3.5.1990 or 3. Mai 1990", MAY_3, True)]
    assert dates["text"].unique().to_list() == ["3.5.1990 or 3. Mai 1990"]


PIECES = [*"0123459 ./-xV;²٣㉘\u0301", "May", "th "]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("030590")
def test_no_text_with_a_date_is_left_unsearched(text):
    days = {day for mention in full_dates(text) for day in mention.days}
    assert set(dates_in(pl.Series([text]))["day"]) == days
