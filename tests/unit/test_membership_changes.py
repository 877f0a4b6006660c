"""What a file of players changes in the memberships of clubs."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from ratinglist.analysis import player_changes
from ratinglist.tables import MEMBERSHIP

OLD, NEW = date(2025, 12, 31), date(2026, 12, 31)
BOTH = ("club", "member_until")


def memberships(*rows: tuple[int, str, date | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=MEMBERSHIP.schema, orient="row")


ALWAYS: dict[str, Any] = {"partial": False, "stated": BOTH}
PARTIAL: dict[str, Any] = {"partial": True, "stated": BOTH}
WITHOUT_DAYS: dict[str, Any] = {"partial": False, "stated": ("club",)}
Membership = tuple[str, date | None]

# What a file states of a player, what is stored, and what it becomes where it changes.
CASES: list[tuple[dict[str, Any], Membership, Membership | None, Membership | None]] = [
    (ALWAYS, ("A", OLD), None, ("A", OLD)),
    (ALWAYS, ("B", OLD), ("A", OLD), ("B", OLD)),
    (ALWAYS, ("A", NEW), ("A", OLD), ("A", NEW)),
    (ALWAYS, ("A", None), ("A", OLD), ("A", None)),
    (ALWAYS, ("", None), ("A", OLD), ("", None)),
    (ALWAYS, ("A", OLD), ("A", OLD), None),
    (ALWAYS, ("A", None), ("A", None), None),
    # A player who never was of a club and is of none.
    (ALWAYS, ("", None), None, None),
    # Without a column of days the day of the club stays, and that of another club does not.
    (WITHOUT_DAYS, ("A", None), ("A", OLD), None),
    (WITHOUT_DAYS, ("B", None), ("A", OLD), ("B", None)),
    # A blank cell of a partial table changes nothing.
    (PARTIAL, ("B", None), ("A", OLD), ("B", None)),
    (PARTIAL, ("", None), ("A", OLD), None),
    (PARTIAL, ("A", None), ("A", OLD), None),
    (PARTIAL, ("A", NEW), ("A", OLD), ("A", NEW)),
]


@pytest.mark.parametrize(("how", "of_file", "stored", "becomes"), CASES)
def test_a_file_states_the_club_and_the_day(
    how: dict[str, Any], of_file: Membership, stored: Membership | None, becomes: Membership | None
) -> None:
    known = memberships((1, *stored)) if stored else MEMBERSHIP.empty()
    changes = player_changes.compare_memberships(memberships((1, *of_file)), known, **how)
    assert changes.select("club", "member_until").rows() == ([becomes] if becomes else [])
