"""Several months in one flow."""

from __future__ import annotations

import pytest

from flows.backfill import lists_between, months_between
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError


def test_both_ends_are_included_across_a_new_year():
    assert [str(month) for month in months_between("2025-11", "2026-02")] == [
        "2025-11",
        "2025-12",
        "2026-01",
        "2026-02",
    ]


def test_one_month_is_a_range():
    assert [str(month) for month in months_between("2025-11", "2025-11")] == ["2025-11"]


def test_months_without_a_list_of_the_family_are_left_out():
    settings = Settings.read(family="ffe", environment={})
    assert [str(month) for month in lists_between(settings, "2025-08", "2026-05")] == ["2025-09", "2026-01", "2026-05"]


def test_months_the_wrong_way_round_are_refused():
    with pytest.raises(CommandLineError, match="2025-11 is after 2025-10"):
        months_between("2025-11", "2025-10")
