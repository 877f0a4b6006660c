"""An error of the disk names the file, or the folder on that disk, in full."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist.errors import system_error_text
from ratinglist.files import durable_files
from ratinglist.files.durable_files import remove_folder
from ratinglist.settings import Settings
from ratinglist.workflows import opening


def refusing(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("function", ["unlink", "rmdir"])
def test_a_folder_that_cannot_be_deleted_is_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    file = tmp_path / "month=2025-09" / "games.parquet"
    file.parent.mkdir()
    file.touch()

    def refused(path: str, **_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    with monkeypatch.context() as patched:
        patched.setattr(os, function, refused)
        with pytest.raises(OSError, match="No space left") as error:
            remove_folder(tmp_path)
    assert system_error_text(error.value).startswith(f"{tmp_path}: No space left on device. ")
    remove_folder(tmp_path)
    assert not tmp_path.exists()


@pytest.mark.parametrize(
    "keep",
    [
        lambda folder: durable_files.keep_file(folder, Path(__file__)),
        lambda folder: durable_files.keep_all(folder, {"x": b"x"}),
    ],
    ids=["file", "all"],
)
def test_an_archive_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Callable[[Path], object]
) -> None:
    monkeypatch.setattr("ratinglist.files.durable_files.os.fsync", refusing)
    with pytest.raises(OSError, match="No space left") as error:
        keep(tmp_path)
    assert str(error.value.filename).startswith(str(tmp_path / durable_files.UNFINISHED))


def test_the_home_is_named_where_no_file_is(rated: Settings) -> None:
    with pytest.raises(OSError, match="No space left") as error, opening.open_to_write(rated):
        refusing()
    assert error.value.filename == str(rated.home)
