"""The text of `ratinglist event`: the status, the list that gave it, what to do, and the deadline."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from ratinglist.workflows.quarantine import EventReports

REPORT = {
    "event_id": "ORV25093",
    "name": "Vale Weekend",
    "start_date": date(2025, 9, 12),
    "end_date": date(2025, 9, 14),
    "time_control": "standard",
    "received_on": date(2025, 9, 16),
    "version": 1,
    "file_name": "vale.trf",
    "status": "refused",
    "reason": "unknown_player",
    "list_month": "2025-10",
    "missing": "register the player",
    "last_list": "2025-12",
    "rateable_until": date(2025, 11, 28),
}


def lines(today: date = date(2025, 11, 18), **changed: object) -> list[str]:
    return EventReports(pl.DataFrame([REPORT | changed]), [], today).text().splitlines()


def test_a_report_has_its_status_its_remedy_and_its_deadline() -> None:
    assert lines() == [
        "ORV25093  Vale Weekend (2025-09-12 to 2025-09-14), standard",
        "  received 2025-09-16, version 1: vale.trf",
        "  waits (list of 2025-10): a player's FIDE ID is not registered",
        "  to do: register the player",
        "  last list that can rate it: 2025-12; deadline 2025-11-28 (10 days left)",
    ]


@pytest.mark.parametrize(
    ("today", "remaining"),
    [
        (date(2025, 11, 27), "(1 day left)"),
        (date(2025, 11, 28), "(0 days left)"),
        (date(2025, 11, 29), "(this date has passed)"),
    ],
)
def test_the_days_left(today: date, remaining: str) -> None:
    assert lines(today)[-1].endswith(remaining)


@pytest.mark.parametrize(
    ("status", "month", "text"),
    [
        ("rated", "2025-10", "  rated (list of 2025-10)"),
        ("waiting", None, "  waits: no list that may rate it has been calculated"),
        ("replaced", None, "  replaced: a newer version of the report was received"),
    ],
)
def test_a_status_without_a_reason(status: str, month: str | None, text: str) -> None:
    report = {"status": status, "reason": "", "list_month": month, "missing": "", "rateable_until": None}
    assert lines(**report)[2:] == [text]
