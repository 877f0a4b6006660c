"""Which lists a scheduled run makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.errors import RatinglistError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows.scheduled import due
from ratinglist.workflows.undo import rollback
from tests.conftest import office


def months(settings: Settings, until: str) -> list[str]:
    return [str(one) for one in due(settings, Period.parse(until))]


def test_the_next_list_alone_where_none_was_missed(rated: Settings) -> None:
    assert months(rated, "2026-01") == ["2026-01"]


def test_a_published_list_is_made_again_without_those_after_it(rated: Settings) -> None:
    assert months(rated, "2025-11") == ["2025-11"]


def test_the_lists_missed_come_first_in_order(homes: Path) -> None:
    assert months(office(homes / "2025-10"), "2026-01") == ["2025-11", "2025-12", "2026-01"]


def test_a_list_that_was_taken_back_is_left_to_people(rated: Settings) -> None:
    rollback(rated, Period.parse("2025-12"), "K was wrong")
    assert months(rated, "2026-01") == ["2026-01"]


def test_the_first_list_of_an_office_starts_from_the_imported_one(homes: Path) -> None:
    assert months(office(homes / "2025-08"), "2025-10") == ["2025-09", "2025-10"]


def test_a_home_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RatinglistError, match="does not exist"):
        months(office(tmp_path / "ofice"), "2025-10")
    assert list(tmp_path.iterdir()) == []
