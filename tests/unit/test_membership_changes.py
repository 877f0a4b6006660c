"""What a file of players changes in the memberships of clubs."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.analysis import player_changes
from ratinglist.tables import MEMBERSHIP

OLD, NEW = date(2025, 12, 31), date(2026, 12, 31)
BOTH = ("club", "member_until")


def memberships(*rows: tuple[int, str, date | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=MEMBERSHIP.schema, orient="row")


def compared(
    of_file: tuple[str, date | None], stored: tuple[str, date | None] | None, *stated: str, partial: bool = False
) -> list[tuple[str, date | None]]:
    """What the membership of one player becomes; nothing where it does not change."""
    known = memberships((1, *stored)) if stored else MEMBERSHIP.empty()
    changes = player_changes.compare_memberships(
        memberships((1, *of_file)), known, partial=partial, stated=stated or BOTH
    )
    return changes.select("club", "member_until").rows()


@pytest.mark.parametrize(
    ("of_file", "stored", "becomes"),
    [
        (("A", OLD), None, ("A", OLD)),
        (("B", OLD), ("A", OLD), ("B", OLD)),
        (("A", NEW), ("A", OLD), ("A", NEW)),
        (("A", None), ("A", OLD), ("A", None)),
        (("", None), ("A", OLD), ("", None)),
    ],
)
def test_a_file_states_the_club_and_the_day(
    of_file: tuple[str, date | None], stored: tuple[str, date | None] | None, becomes: tuple[str, date | None]
) -> None:
    assert compared(of_file, stored) == [becomes]


@pytest.mark.parametrize("stored", [("A", OLD), ("A", None)])
def test_what_is_known_already_is_no_change(stored: tuple[str, date | None]) -> None:
    assert compared(stored, stored) == []


def test_a_player_who_never_was_of_a_club_and_is_of_none_is_no_change() -> None:
    assert compared(("", None), None) == []


def test_without_a_column_of_days_the_day_of_the_club_stays() -> None:
    assert compared(("A", None), ("A", OLD), "club") == []


def test_the_day_of_another_club_does_not_stay() -> None:
    assert compared(("B", None), ("A", OLD), "club") == [("B", None)]
    assert compared(("B", None), ("A", OLD), partial=True) == [("B", None)]


def test_a_blank_cell_of_a_partial_table_changes_nothing() -> None:
    assert compared(("", None), ("A", OLD), partial=True) == []
    assert compared(("A", None), ("A", OLD), partial=True) == []
    assert compared(("A", NEW), ("A", OLD), partial=True) == [("A", NEW)]
