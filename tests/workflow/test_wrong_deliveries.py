"""A wrong delivery, typed through the command line: what the office answers, and that no list goes out by it."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.command_line import Shown, ratinglist
from tests.conftest import SAMPLE

DECEMBER = SAMPLE / "reports" / "2025-12"


@pytest.fixture
def home(awaiting_december: Path, tmp_path: Path) -> Path:
    """An office that has published November, with the players of December."""
    return Path(shutil.copytree(awaiting_december, tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The delivery of December, to be spoiled."""
    return Path(shutil.copytree(DECEMBER, tmp_path / "inbox"))


def edit(folder: Path, pattern: str, by: str, count: int = 0) -> None:
    manifest = folder / "manifest.csv"
    text, found = re.subn(pattern, by, manifest.read_text(encoding="utf-8"), count=count)
    assert found
    manifest.write_text(text, encoding="utf-8")


def run_december(home: Path, *more: str | Path) -> Shown:
    return ratinglist("run", "2025-12", *more, home=home)


def is_published(home: Path) -> bool:
    return (home / "published" / "2025-12" / "latest").exists()


@pytest.mark.long
def test_the_folder_of_last_month(home: Path) -> None:
    shown = run_december(home, SAMPLE / "reports" / "2025-11")
    assert (shown.returncode, shown.stdout) == (4, "")
    assert "was received before (11), and earlier lists have looked at all their events: 2025-11 (10)" in shown.stderr
    assert "List of 2025-12" not in shown.stderr
    assert not is_published(home)
    # What was meant is not held up: the folder of the month, or no folder, or the same command again.
    for _ in range(2):
        assert run_december(home, DECEMBER).returncode == 0
    assert is_published(home)


def test_why_a_report_is_refused_stays_in_the_office(home: Path, folder: Path) -> None:
    edit(folder, r"(20\d\d)-(\d\d)-(\d\d)", r"\2/\3/\1")
    because = "--because"
    assert run_december(home, folder, because, "most_refused=they come again in January").returncode == 0
    manifest = (home / "published" / "2025-12" / "r1" / "manifest.json").read_text(encoding="utf-8")
    assert '"reports": 8' in manifest
    assert "inbox" not in manifest
    assert "registered_on" not in manifest


@pytest.mark.parametrize(
    "row",
    [
        "",
        "other.trf,FESTIVAL,1,2025-11-20,swiss,,0,ORV,2025-09-27,2025-10-03,2025-08-20,\n",
        "other.trf,ORV25199,2,,swiss,standard,,,,,,\n",
    ],
)
def test_a_report_that_was_rated_under_another_name_and_code(home: Path, tmp_path: Path, row: str) -> None:
    folder = tmp_path / "again"
    folder.mkdir()
    shutil.copy(SAMPLE / "reports" / "2025-11" / "bridge-festival.trf", folder / "other.trf")
    header, _ = (DECEMBER / "manifest.csv").read_text(encoding="utf-8").split("\n", 1)
    if row:
        (folder / "manifest.csv").write_text(f"{header}\n{row}", encoding="utf-8")
    shown = run_december(home, folder)
    assert "the event ORV25101, which is on the list of 2025-11 already" in shown.stdout
    assert "count for a later list" not in shown.stdout


FESTIVAL = "bridge-festival.trf"


@pytest.mark.parametrize("results", ["01", "==", "-+"])
def test_another_report_of_an_event_that_is_published(home: Path, tmp_path: Path, results: str) -> None:
    """Player 1 won against player 9 in round 1."""
    folder = tmp_path / "again"
    folder.mkdir()
    text = (SAMPLE / "reports" / "2025-11" / FESTIVAL).read_text(encoding="utf-8")
    other, changed = re.subn("(?m)^(001    ([19]).{90})[10]", lambda line: line[1] + results["19".index(line[2])], text)
    assert changed == 2
    (folder / FESTIVAL).write_text(other, encoding="utf-8")
    rows = (SAMPLE / "reports" / "2025-11" / "manifest.csv").read_text(encoding="utf-8").splitlines()
    kept = [row for row in rows if row.startswith(("file,", FESTIVAL))]
    (folder / "manifest.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    shown = ratinglist("load", folder, home=home)
    assert "are both version 1 of the event ORV25101" in shown.stdout
    assert "manifest.csv, and load it again" not in shown.stdout
    (retract,) = set(re.findall(r"ratinglist (retract \d+)", shown.stdout))
    (correct,) = re.findall(r"ratinglist (correct report .*?) --because", shown.stdout)
    because = ("--because", "the arbiter typed one result wrong")
    assert ratinglist(*retract.split(), *because, home=home).returncode == 0
    corrected = ratinglist(*shlex.split(correct), *because, "--by", "Anna", home=home)
    assert (corrected.returncode, "2025-11  r1" in corrected.stdout) == (0, True)
