"""The command line as a test types it: in this process, where starting another one would show nothing more."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from ratinglist.cli.main import main

TODAY = "2025-12-01"


class Shown(NamedTuple):
    """What a command ends with and what it prints."""

    returncode: int
    stdout: str
    stderr: str


def entered(*words: str) -> Shown:
    """Run a command in this process, through all that a process of its own would run; an error in it fails the test."""
    output, messages = io.StringIO(), io.StringIO()
    of_python = signal.getsignal(signal.SIGINT)
    try:
        with (
            patch.object(sys, "argv", list(words)),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(messages),
            pytest.raises(SystemExit) as ended,
        ):
            main()
    finally:
        signal.signal(signal.SIGINT, of_python)
    assert isinstance(ended.value.code, int)
    return Shown(ended.value.code, output.getvalue(), messages.getvalue())


def environment(home: Path) -> dict[str, str]:
    """The environment of an office in ``home`` on a fixed day."""
    return {**os.environ, "RATINGLIST_HOME": str(home), "RATINGLIST_TODAY": TODAY}


def ratinglist(*arguments: str | Path, home: Path) -> Shown:
    """A command of the office in ``home``."""
    with patch.dict(os.environ, environment(home)):
        shown = entered("ratinglist", *map(str, arguments))
    assert "Traceback" not in shown.stderr
    return shown


def did(home: Path, *arguments: str | Path) -> str:
    """What a command that succeeds prints."""
    shown = ratinglist(*arguments, home=home)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def stopped(home: Path, code: int, *arguments: str | Path) -> str:
    """What a command that is stopped says; it prints no result."""
    shown = ratinglist(*arguments, home=home)
    assert (shown.returncode, shown.stdout) == (code, ""), shown.stderr
    return shown.stderr


def ratinglist_process(*arguments: str | Path, home: Path) -> Shown:
    """The same in a process of its own: what a shell and a script see."""
    done = subprocess.run(
        [sys.executable, "-m", "ratinglist", *map(str, arguments)],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Shown(done.returncode, done.stdout, done.stderr)
