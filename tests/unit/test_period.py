"""Rating periods: months read, written, counted."""

from datetime import date

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.period import Period


@pytest.mark.parametrize(
    "text",
    ["", "2025", "2025-00", "2025-13", "2025-1", "25-11", "2025/11", "2025-11-01", " 2025-11", "2025-11\n", "0000-01"],
)
def test_anything_else_is_not_a_month(text):
    with pytest.raises(CommandLineError, match="is not a month: write YYYY-MM"):
        Period.parse(text)


def test_a_list_takes_effect_on_the_first_of_its_month():
    assert Period.parse("2025-11").first_day == date(2025, 11, 1)


@pytest.mark.parametrize(
    ("day", "month"), [("2025-10-31", "2025-10"), ("2025-11-01", "2025-11"), ("2024-02-29", "2024-02")]
)
def test_a_day_belongs_to_the_list_in_force(day, month):
    assert str(Period.of(date.fromisoformat(day))) == month


@pytest.mark.parametrize(
    ("month", "days", "closing"),
    [
        ("2025-11", 3, "2025-10-29"),
        ("2025-11", 1, "2025-10-31"),
        ("2025-03", 3, "2025-02-26"),
        ("2024-03", 3, "2024-02-27"),
        ("2026-01", 3, "2025-12-29"),
    ],
)
def test_the_closing_date_is_days_before_the_list(month, days, closing):
    assert Period.parse(month).days_before(days) == date.fromisoformat(closing)


@pytest.mark.parametrize(
    ("month", "months", "later"),
    [("2025-11", 1, "2025-12"), ("2025-12", 1, "2026-01"), ("2024-01", 26, "2026-03"), ("2025-11", 0, "2025-11")],
)
def test_months_are_added_and_subtracted_across_years(month, months, later):
    assert str(Period.parse(month) + months) == later
    assert str(Period.parse(later) - months) == month


def test_months_go_in_order_of_time():
    months = [Period.parse(text) for text in ("2026-01", "2025-12", "2025-02")]
    assert [str(month) for month in sorted(months)] == ["2025-02", "2025-12", "2026-01"]
