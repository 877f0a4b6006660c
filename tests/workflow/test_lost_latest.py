"""The file ``latest`` of a month is missing, empty or wrong: every command that needs the month finds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist.errors import AlteredError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.workflows import doctor, replay, status
from tests.conftest import MONTHS, copied
from tests.parameters import long_but

MONTH = MONTHS[1]


@pytest.mark.parametrize(
    "put", long_but([os.mkfifo, os.mkdir, Path.touch], os.mkdir), ids=["pipe", "folder", "empty file"]
)
def test_status_and_doctor_name_one_file(put: Callable[[Path], None], homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / MONTHS[0], tmp_path)
    latest = settings.published / MONTHS[0] / "latest"
    latest.unlink()
    put(latest)
    (problem,) = doctor.check(settings).problems
    (shown,) = status.status(settings).disagreements
    assert problem.file == str(latest)
    assert shown.startswith(f"{latest}: ")
    replay.rebuild(settings)
    assert doctor.check(settings).problems == []


def month_folder(published: Path, *names: str) -> Path:
    """A month of these revisions, without ``latest``."""
    for name in names:
        (published / "2025-11" / name).mkdir(parents=True)
        (published / "2025-11" / name / "manifest.json").touch()
    return published / "2025-11"


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _path: None, "is missing, and its folder has r1, r2: which list of 2025-11 is current"),
        (lambda path: path.write_bytes(b""), "names no revision of its folder, it is empty: which list"),
        (lambda path: path.write_bytes(b"r3\n"), "names no revision of its folder, it says 'r3': which list"),
        (lambda path: path.write_bytes(b"\xff" * 20), "names no revision of its folder, it says '"),
        (lambda path: path.write_bytes(b"../2025-10/r1"), "names no revision of its folder, it says '../2025-10/r1'"),
    ],
)
def test_what_is_wrong_with_it_is_said(tmp_path: Path, write: Callable[[Path], object], message: str) -> None:
    write(month_folder(tmp_path, "r1", "r2") / "latest")
    with pytest.raises(NothingReadError) as error:
        revisions.latest(tmp_path, Period.parse("2025-11"))
    assert message in str(error.value)
    assert len(str(error.value)) < 700
    assert revisions.months(tmp_path) == [Period.parse("2025-11")]


def test_a_month_without_a_whole_revision_is_not_published(tmp_path: Path) -> None:
    (tmp_path / "2025-11" / "r1").mkdir(parents=True)
    assert revisions.latest(tmp_path, Period.parse("2025-11")) is None
    assert revisions.months(tmp_path) == []


@pytest.mark.parametrize(
    "put",
    [os.mkfifo, os.mkdir, lambda path: path.symlink_to("r1"), lambda path: path.write_bytes(b"\xff" * 5000)],
    ids=["pipe", "folder", "link", "too large"],
)
def test_what_is_no_file_is_not_opened(put: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / MONTH).mkdir()
    put(tmp_path / MONTH / "latest")
    with pytest.raises(AlteredError, match=r"latest is a link, a folder or a device.*ratinglist doctor"):
        revisions.latest(tmp_path, Period.parse(MONTH))
