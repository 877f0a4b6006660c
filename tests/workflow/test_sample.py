"""The sample federation: each scene ends as its page says."""

from pathlib import Path

import polars as pl
import pytest


@pytest.mark.parametrize(
    ("month", "event_id", "status"),
    [
        ("2025-10", "KEL25084", "duplicate same_games"),
        ("2025-10", "ORV25093", "refused report_refused"),
        ("2025-10", "ORV25094", "refused unknown_player"),
        ("2025-11", "ORV25094", "rated "),
        ("2025-10", "ORV25095", "deferred received_after_closing"),
        ("2025-11", "ORV25104", "deferred received_after_closing"),
        ("2025-12", "ORV25086", "late third_list_limit"),
        ("2025-12", "ORV25115", "rated "),
        ("2025-12", "ORV25117", "rated "),
    ],
)
def test_each_scene_ends_as_the_page_of_the_sample_says(
    published: Path, month: str, event_id: str, status: str
) -> None:
    events = pl.read_parquet(published / month / "r1" / "events.parquet").filter(event_id=event_id)
    assert [f"{one['status']} {one['reason']}" for one in events.to_dicts()] == [status]


@pytest.mark.parametrize(
    ("month", "fide_id", "expected"),
    [
        ("2025-09", 99900502, ("rated", 20, 2391)),
        ("2025-09", 99900305, ("rated", 35, 1741)),
        ("2025-09", 99900539, ("delisted", 20, 1409)),
        ("2025-10", 99900610, ("entered", None, None)),
        ("2025-11", 99900447, ("entered", None, None)),
    ],
)
def test_each_of_the_cast_fares_as_the_page_of_the_sample_says(
    published: Path, month: str, fide_id: int, expected: tuple[object, ...]
) -> None:
    changes = pl.read_parquet(published / month / "r1" / "changes.parquet").filter(fide_id=fide_id)
    assert changes.select("status", "k", "old_rating").rows() == [expected]
