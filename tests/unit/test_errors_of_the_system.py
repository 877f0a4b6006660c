"""What the machine refused, said in one sentence, whichever library reports it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
from xlsxwriter.exceptions import FileCreateError

from ratinglist.errors import is_shortage, system_error_text
from ratinglist.home.log import Log
from ratinglist.workflows import opening, sql
from tests.conftest import MONTHS, office

FULL = (
    pl.exceptions.ComputeError(
        "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"
    ),
    OSError("No space left on device (os error 28)"),
    OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device"),
    duckdb.IOException('IO Error: Async write failed: {"exception_message":"No space left on device","errno":"28"}'),
    duckdb.TransactionException("Failed to commit: Could not write file: No space left on device"),
    FileCreateError(OSError(errno.ENOSPC, "No space left on device", "/home/list.xlsx")),
)
MANY = (
    OSError(errno.EMFILE, "Too many open files", "/home/list.csv"),
    OSError("Too many open files (os error 24): /home/list.csv"),
    OSError(errno.EMFILE, "Failed to open local file '/home/list.csv'. Detail: [errno 24] Too many open files"),
    duckdb.IOException('IO Error: Cannot open file "/home/list.csv": Too many open files'),
    duckdb.TransactionException('Failed to commit: Cannot open file "/home/list.csv": Too many open files'),
)


def refused(number: int) -> OSError:
    return OSError(number, os.strerror(number), "/home/a")


FREE_SPACE = "No space left on device. Free space on the disk. Then give the command again."


@pytest.mark.parametrize(
    ("error", "begins", "remedy"),
    [
        *((error, "", FREE_SPACE) for error in FULL),
        *(
            (error, "/home/list.csv: too many files are open at the same time.", "Close other programs")
            for error in MANY
        ),
        (refused(errno.EACCES), "/home/a: ", "Correct the permissions"),
        (refused(errno.EROFS), "/home/a: ", "name a folder on another disk"),
        (refused(errno.EIO), "/home/a: ", "restore a backup"),
        (refused(errno.ENAMETOOLONG), "/home/a: ", "Look at the file and its folder"),
        (duckdb.FatalException("FATAL Error: fsync failed!"), "", "the disk could not read or write"),
    ],
)
def test_each_cause_has_its_remedy_whichever_library_reports_it(error: Exception, begins: str, remedy: str) -> None:
    text = system_error_text(error)
    assert text.startswith(begins)
    assert remedy in text
    assert ("Free space" in text) == (remedy == FREE_SPACE)


def test_what_is_no_error_of_the_system_has_no_text() -> None:
    for error in (ValueError("No space left"), pl.exceptions.ComputeError("wrong"), duckdb.BinderException("wrong")):
        assert system_error_text(error) == ""


DAMAGED = (
    duckdb.IOException('IO Error: Cannot open file "/home/list.parquet": No such file or directory'),
    duckdb.InvalidInputException("Invalid Input Error: No magic bytes found at end of file '/home/list.parquet'"),
    OSError(errno.EIO, "Input/output error", "/home/list.parquet"),
)


def test_a_shortage_is_no_damage_of_the_file_that_it_names() -> None:
    assert [is_shortage(error) for error in (*FULL, *MANY, MemoryError())] == [True] * (len(FULL) + len(MANY) + 1)
    assert [is_shortage(error) for error in DAMAGED] == [False] * len(DAMAGED)
    assert "too many files are open" in str(sql._damaged(MANY[3]))
    assert "A published file is damaged" in str(sql._damaged(DAMAGED[0]))


def test_a_store_that_cannot_be_opened_for_a_shortage_is_not_made_again(
    homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object, **__: object) -> None:
        raise MANY[3]

    monkeypatch.setattr(opening, "Store", short)
    settings = office(homes / MONTHS[0])
    with (
        pytest.raises(duckdb.IOException, match="Too many open files"),
        opening.opened_store(Log.open(settings.home), settings),
    ):
        pass


def test_a_command_with_too_many_open_files_says_so(homes: Path) -> None:
    program = (
        "import resource, sys, ratinglist.workflows.status, ratinglist.cli.main as m\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))\n"
        f"sys.argv = ['ratinglist', 'status', '--home', {str(homes / MONTHS[0])!r}]\nm.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "too many" in done.stderr.lower()
    assert "defect" not in done.stderr
    assert "Free space" not in done.stderr
