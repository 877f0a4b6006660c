"""A log is read as far as it is whole: what an entry states is looked at too, also where its digest is right."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import HomeError
from ratinglist.files.durable_files import digest_of
from ratinglist.home.log import Log, path_of, read

DAY = date(2025, 11, 1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of two entries."""
    log = Log(tmp_path, "Rossi")
    log.append(log.next("dismiss", DAY, {"report_id": "a", "reason": "never played"}))
    log.append(log.next("dismiss", DAY, {"report_id": "a", "reason": ""}))
    return tmp_path


def forge(home: Path, number: int, **altered: object) -> None:
    """Give an entry other facts, and the digest that is right for them; None removes one."""
    path = path_of(home, number)
    content = {**json.loads(path.read_bytes()), **altered}
    content = {name: value for name, value in content.items() if value is not None}
    path.write_bytes(f"{json.dumps({**content, 'digest': digest_of(content)}, ensure_ascii=False)}\n".encode())


@pytest.mark.parametrize(
    ("altered", "says"),
    [
        ({"reason": None}, "its kind or its facts"),
        ({"kind": "calculate"}, "its kind or its facts"),
        (
            {"kind": "crown", "version": "9.1"},
            "9.1 of ratinglist wrote it",
        ),
        ({"before": "0a" * 32}, "does not continue the entry before it"),
        ({"entry": 3}, "does not continue the entry before it"),
        ({"day": "2025-13-01"}, "cannot be used"),
        ({"by": None}, "cannot be used"),
    ],
)
def test_a_forged_entry_is_named(home: Path, altered: dict[str, object], says: str) -> None:
    forge(home, 2, **altered)
    with pytest.raises(HomeError, match=says) as error:
        Log.open(home)
    assert str(path_of(home, 2)) in str(error.value)
    log, problem = read(home)
    assert (len(log.entries), says in problem) == (1, True)
