"""Locks on folders and files, which each system has in its own way; `make check` types every system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.errors import StoreInUseError
from ratinglist.files.durable_files import lock_file, locked_folder


def elsewhere(program: str) -> str:
    """What a program of another process prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize(("held", "wanted", "free"), [(False, False, False), (True, False, False), (True, True, True)])
def test_a_locked_folder_is_in_use_elsewhere(tmp_path: Path, held: bool, wanted: bool, free: bool) -> None:
    handle = locked_folder(tmp_path, "in use", shared=held)
    program = (
        "from pathlib import Path; from ratinglist.files.durable_files import locked_folder\n"
        f"locked_folder(Path({str(tmp_path)!r}), 'in use', shared={wanted}); print('free')"
    )
    try:
        shown = elsewhere(program)
    finally:
        os.close(handle)
    assert (shown == "free") == free
    assert free or "StoreInUseError: in use" in shown
    assert elsewhere(program) == "free"


def test_a_locked_folder_is_refused_with_the_text_of_the_caller(tmp_path: Path) -> None:
    handle = locked_folder(tmp_path, "first")
    with pytest.raises(StoreInUseError, match="second"):
        locked_folder(tmp_path, "second")
    os.close(handle)
    assert list(tmp_path.iterdir()) == []


def test_a_locked_file_can_be_read_and_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("7")
    with path.open("r+b") as held, path.open("r+b") as other:
        lock_file(held.fileno())
        with pytest.raises(BlockingIOError):
            lock_file(other.fileno())
        assert other.read() == b"7"
