"""A month calculated in buckets is published with the bytes of a month calculated as a whole."""

from __future__ import annotations

import errno
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ratinglist.config import EngineChoice, Settings
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.workflows import rate as workflow
from ratinglist.workflows.rate import rate
from ratinglist.workflows.tidy import tidy
from tests.command_line import ratinglist
from tests.conftest import office, published_bytes, run_sample

MONTH = "2025-11"


def assert_as_a_whole(settings: Settings, homes: Path) -> None:
    run_sample(settings, MONTH)
    assert published_bytes(settings.home) == published_bytes(homes / MONTH)
    assert not (settings.home / "buckets").exists()


@pytest.mark.long
def test_the_published_bytes_are_those_of_a_month_as_a_whole(until_october: Settings, homes: Path) -> None:
    (until_october.home / "buckets").mkdir()
    (until_october.home / "buckets" / "left-by-a-killed-run").touch()
    assert_as_a_whole(replace(until_october, engine=EngineChoice("local", 3)), homes)


@pytest.mark.long
def test_buckets_that_cannot_be_deleted_are_a_warning(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[str] = []
    home = Path(shutil.copytree(homes / "2025-09", tmp_path / "home"))
    settings = replace(office(home), engine=EngineChoice("local", 2), warn=warned.append)

    def refused(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder / "a.parquet"))

    monkeypatch.setattr(workflow, "remove_folder", refused)
    assert rate(settings, Period.parse("2025-09")).month == "2025-09"
    (warning,) = warned
    assert warning.startswith(f"{home / 'buckets'} was not deleted, and no list needs it")
    assert f"{home / 'buckets' / 'a.parquet'}: Permission denied." in warning
    assert any("buckets" in one for one in tidy(office(home)).removed)


@pytest.mark.long
@pytest.mark.parametrize("buckets", [1, 7, 40])
def test_the_number_of_buckets_changes_no_byte(until_october: Settings, homes: Path, buckets: int) -> None:
    assert_as_a_whole(replace(until_october, engine=EngineChoice("local", buckets)), homes)


def test_a_family_of_another_system_is_refused_before_anything_is_received(until_october: Settings) -> None:
    settings = replace(until_october, family="glicko", engine=EngineChoice("local", 3))
    with pytest.raises(CommandLineError, match="leave out --engine and --buckets"):
        run_sample(settings, MONTH)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--buckets", "0"], "--buckets 0: write a whole number from 1 to 4,096"),
        (["--scheduler", "tcp://scheduler:8786"], "write --engine dask too"),
    ],
)
def test_options_that_cannot_be_meant(until_october: Settings, options: list[str], message: str) -> None:
    done = ratinglist("run", MONTH, *options, home=until_october.home)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    "command",
    [["rerate", "--from", MONTH, "--engine", "dask"], ["reproduce", "r1", "--inputs", "in", "--buckets", "3"]],
)
def test_a_command_without_engines_says_so(until_october: Settings, command: list[str]) -> None:
    done = ratinglist(*command, home=until_october.home)
    assert done.returncode == 2
    assert f"{command[0]} calculates every month as a whole, in this process" in done.stderr


def test_dask_is_not_installed(until_october: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "ratinglist.engine.dask_engine", raising=False)
    with pytest.raises(CommandLineError, match=r"pip install 'ratinglist\[dask\]'"):
        rate(replace(until_october, engine=EngineChoice("dask")), Period.parse(MONTH))
