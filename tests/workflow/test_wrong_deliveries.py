"""A wrong delivery, typed through the command line: what the office answers, and that no list goes out by it."""

from __future__ import annotations

import json
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


@pytest.mark.long
def test_dates_in_american_form(home: Path, folder: Path) -> None:
    right = (folder / "manifest.csv").read_text(encoding="utf-8")
    edit(folder, r"(20\d\d)-(\d\d)-(\d\d)", r"\2/\3/\1")
    shown = run_december(home, folder)
    assert shown.returncode == 4
    why = f"first {folder}/KEL251100001.trf: the manifest has '09/25/2025' in {folder}/manifest.csv, line 2, "
    assert shown.stderr.count(f"  refused  8 reports, {why}column registered_on (allowed: ") == 1
    assert "most_refused: Is it right that 8 of the 8 reports that were loaded for this list" in shown.stderr
    assert "received on or after 2025-12-01" not in shown.stderr
    assert not is_published(home)
    (folder / "manifest.csv").write_text(right, encoding="utf-8")
    assert run_december(home, folder).returncode == 0


@pytest.mark.long
def test_a_forgotten_file_of_players(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    folder = tmp_path / "inbox"
    folder.mkdir()
    shutil.copy(SAMPLE / "reports" / "2025-09" / "ORV250800002.trf", folder)
    for name in ("ORV250800003", "KEL250800001"):
        text = (SAMPLE / "reports" / "2025-09" / f"{name}.trf").read_bytes()
        # The FIDE ID of a player whom the file of players registers, and who plays in the first report.
        (folder / f"{name}.trf").write_bytes(re.sub(rb"(?m)^(001.{54}).{11}", rb"\1  900000140", text, count=1))
    manifest = (SAMPLE / "reports" / "2025-09" / "manifest.csv").read_bytes()
    (folder / "manifest.csv").write_bytes(re.sub(rb"(?m)^(?!file,|ORV25080000[23]|KEL250800001).*\n", b"", manifest))
    shown = ratinglist("run", "2025-09", folder, home=tmp_path / "home")
    assert shown.returncode == 4
    assert "most_waiting: Is it right that 3 of the 3 reports that were loaded for this list wait" in shown.stderr
    assert "  events   3 known: 3 waits\n" in shown.stderr
    preview = ratinglist("publish", "2025-09", "--preview", home=tmp_path / "home")
    report = (tmp_path / "home" / "previews" / "2025-09" / "REPORT.md").read_text(encoding="utf-8")
    assert preview.returncode == 0
    assert "3 known: 3 waits." in report
    assert "### Refused (0)" in report
    assert "no_events: Is it right that the list rates no event?" in shown.stderr
    assert '--because most_waiting="..." --because no_events="..."' in shown.stderr
    ratinglist("import-players", SAMPLE / "players-2025-09.csv", home=tmp_path / "home")
    found = json.loads(ratinglist("status", "--json", home=tmp_path / "home").stdout)
    assert (found["waiting"], found["received"]) == ([], 3)
    assert ratinglist("quarantine", "--json", home=tmp_path / "home").stdout == "[]\n"
    # The list that was calculated still is one without them.
    again = ratinglist("publish", "2025-09", home=tmp_path / "home")
    assert again.returncode == 4
    assert "reports 3, " in again.stderr
    assert "why registered_since" in again.stderr
    ratinglist("run", "2025-09", "--because", "unlike_name=made up", home=tmp_path / "home")
    assert (tmp_path / "home" / "published" / "2025-09" / "latest").exists()


def test_why_a_report_is_refused_stays_in_the_office(home: Path, folder: Path) -> None:
    edit(folder, r"(20\d\d)-(\d\d)-(\d\d)", r"\2/\3/\1")
    because = "--because"
    assert run_december(home, folder, because, "most_refused=they come again in January").returncode == 0
    manifest = (home / "published" / "2025-12" / "r1" / "manifest.json").read_text(encoding="utf-8")
    assert '"reports": 8' in manifest
    assert "inbox" not in manifest
    assert "registered_on" not in manifest


LANTERN = "lantern-open.trf"


def raises(home: Path, question: str, *evidence: str, delivery: Path) -> None:
    """Nothing is published, and the message names the question, the evidence and the whole command."""
    shown = run_december(home, delivery)
    assert (shown.returncode, shown.stdout) == (4, "")
    for text in (f"    {question}: ", *evidence, f'ratinglist publish 2025-12 --because {question}="..."'):
        assert text in shown.stderr
    assert not is_published(home)


def test_a_report_that_the_manifest_names_is_forgotten(home: Path, folder: Path) -> None:
    (folder / LANTERN).unlink()
    raises(home, "unread_file", f"file {folder}/{LANTERN}, why it is missing", delivery=folder)
    shutil.copy(DECEMBER / LANTERN, folder)
    assert "1 accepted" in ratinglist("load", folder, home=home).stdout


def test_a_report_that_came_after_the_calculation(home: Path, folder: Path) -> None:
    (folder / LANTERN).unlink()
    edit(folder, f"(?m)^{LANTERN}.*\n", "")
    assert ratinglist("load", folder, home=home).returncode == 0
    assert ratinglist("rate", "2025-12", home=home).returncode == 0
    assert ratinglist("load", DECEMBER, home=home).returncode == 0
    shown = ratinglist("publish", "2025-12", home=home)
    assert shown.returncode == 4
    assert "loaded_since: " in shown.stderr
    assert LANTERN in shown.stderr
    assert not is_published(home)
    assert ratinglist("rate", "2025-12", home=home).returncode == 0
    assert ratinglist("publish", "2025-12", home=home).returncode == 0


@pytest.mark.parametrize(
    ("start", "end"), [("2025-10-30", "2025-11-22"), ("2025-11-05", "2025-11-07"), ("2025-10-20", "2025-10-22")]
)
def test_other_days_in_the_manifest_than_in_the_report(home: Path, folder: Path, start: str, end: str) -> None:
    edit(folder, "2025-11-20,2025-11-22", f"{start},{end}", count=1)
    raises(home, "other_days", f"in manifest {start} to {end}", "in report 2025-11-20 to 2025-11-22", delivery=folder)
    days = ("--field", "start_date=2025-11-20", "--field", "end_date=2025-11-22")
    words = ("correct", "report", "ORV25116", *days, "--because", "the arbiter's days are right", "--by", "Anna")
    assert ratinglist(*words, home=home).returncode == 0
    assert "other_days" not in run_december(home).stderr


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
