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
from tests.parameters import long_but

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


@pytest.mark.long
def test_no_delivery_on_the_very_first_list(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    shown = ratinglist("run", "2025-09", home=tmp_path / "home")
    assert shown.returncode == 4
    assert "no_events: Is it right that the list rates no event?" in shown.stderr
    assert "events known 0, refused 0, deferred 0" in shown.stderr
    answered = ratinglist("publish", "2025-09", "--because", "no_events=August was quiet", home=tmp_path / "home")
    assert answered.returncode == 0
    manifest = (tmp_path / "home" / "published" / "2025-09" / "r1" / "manifest.json").read_text(encoding="utf-8")
    assert "August was quiet" in manifest


def test_why_a_report_is_refused_stays_in_the_office(home: Path, folder: Path) -> None:
    edit(folder, r"(20\d\d)-(\d\d)-(\d\d)", r"\2/\3/\1")
    because = "--because"
    assert run_december(home, folder, because, "most_refused=they come again in January").returncode == 0
    manifest = (home / "published" / "2025-12" / "r1" / "manifest.json").read_text(encoding="utf-8")
    assert '"reports": 8' in manifest
    assert "inbox" not in manifest
    assert "registered_on" not in manifest


def why_waiting(home: Path) -> dict[str, str]:
    """The reports that wait, each with what `quarantine` says of it."""
    shown = ratinglist("quarantine", home=home)
    lines = [line.removeprefix("waits").strip() for line in shown.stdout.splitlines() if line.startswith("waits")]
    return {Path(re.split(": |, line", line)[0]).name: line for line in lines}


@pytest.mark.long
def test_a_manifest_that_contradicts_its_reports(home: Path, folder: Path) -> None:
    edit(folder, r"(KEL251100001.trf.*),standard,", r"\1,blitz,")
    edit(folder, "2025-11-12,2025-11-16", "2024-11-12,2024-11-16")
    edit(folder, r"2025-11-25,(.*2025-11-20)", r"2024-11-25,\1")
    assert ratinglist("load", folder, home=home).returncode == 0
    waiting = why_waiting(home)
    assert sorted(waiting) == ["KEL251100001.trf", "challenge.trf", "lantern-open.trf"]
    blitz, year, before = (waiting[name] for name in sorted(waiting))
    assert "time_control of the manifest is blitz, and the report standard ('150 minutes for 60 moves')" in blitz
    assert "from 2024-11-12 to 2024-11-16, and the report from 2025-11-12 to 2025-11-16" in year
    assert "the day of receipt, 2024-11-25, is before the event began, on 2025-11-20" in before
    assert (
        f"note: {folder / 'KEL251100001.trf'}, line 11: the manifest and"
        in ratinglist("event", "KEL251100001", home=home).stdout
    )
    shown = run_december(home)
    assert shown.returncode == 0
    assert shown.stdout.count("  waits    ") == 3
    # The manifest is corrected: each report counts, with the day on which it did arrive.
    shutil.copy(DECEMBER / "manifest.csv", folder)
    assert ratinglist("load", folder, home=home).returncode == 0
    assert why_waiting(home) == {}
    assert ratinglist("rate", "2025-12", home=home).returncode == 0
    assert ratinglist("event", "ORV25117", home=home).stdout.count("rated (list of 2025-12)") == 1
    assert "received 2025-11-25, version 1" in ratinglist("event", "ORV25116", home=home).stdout


@pytest.mark.long
def test_a_record_of_a_rapid_event_is_not_rated_as_blitz(home: Path, folder: Path) -> None:
    for path in sorted(folder.glob("*.trf"))[1:]:
        path.unlink()
    report = folder / "KEL251100001.trf"
    text = report.read_text(encoding="utf-8")
    report.write_text(re.sub(r"(?m)^122 .*$", "122 x\n222 1500+10", text), encoding="utf-8")
    edit(folder, r"(KEL251100001.trf.*),standard,(.*),150", r"\1,blitz,\2,")
    ratinglist("load", folder, home=home)
    assert "of the manifest is blitz, and the report rapid ('1500+10')" in why_waiting(home)["KEL251100001.trf"]
    # A blank cell leaves the time control to the report.
    edit(folder, ",blitz,", ",,")
    ratinglist("load", folder, home=home)
    assert why_waiting(home) == {}


def drawn_instead(report: Path, copy: Path) -> None:
    """Write a copy of a report in which the first game that White won is a draw."""
    lines = report.read_text(encoding="utf-8").splitlines()
    rows = {int(line[4:8]): place for place, line in enumerate(lines) if line.startswith("001")}
    for place in rows.values():
        opponent = lines[place][91:95].strip()
        if lines[place][96:99] == "w 1":
            for one in (place, rows[int(opponent)]):
                lines[one] = lines[one][:98] + "=" + lines[one][99:]
            break
    copy.write_text("\n".join([*lines, ""]), encoding="utf-8")


@pytest.mark.long
def test_two_reports_of_one_event_and_version(home: Path, folder: Path, tmp_path: Path) -> None:
    ratinglist("load", folder, home=home)
    again = tmp_path / "again"
    again.mkdir()
    drawn_instead(folder / "november-open.trf", again / "november-open.trf")
    row = "november-open.trf,ORV25112,1,2025-11-19,swiss,,0,ORV,2025-11-10,2025-11-16,2025-10-05,"
    header = (folder / "manifest.csv").read_text(encoding="utf-8").splitlines()[0]
    (again / "manifest.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    shown = ratinglist("load", again, home=home)
    assert re.search(
        r"again/november-open.trf and .*/inbox/november-open.trf are both version 1 of the event ORV25112, and 1 game "
        r"differs \(round 1, \d+ against \d+: ½-½ here, [01]-[01] there\). If they are one event, no further list "
        r"takes either. To use this one: write version 2 for it in manifest.csv, and load it again. To use the other "
        r"one: ratinglist retract \d+",
        shown.stdout,
    )
    (undo,) = re.findall(r"ratinglist retract (\d+)", shown.stdout)
    assert "To use this one: write version 2 for it" in ratinglist("event", "ORV25112", home=home).stdout
    shown = run_december(home)
    assert "two reports of it with one version number have different games" in shown.stdout
    both = ratinglist("event", "ORV25112", home=home).stdout
    assert both.count("waits (list of 2025-12): two reports of it with one version number") == 2
    shutil.copytree(home, tmp_path / "other")
    # To use the new one.
    (again / "manifest.csv").write_text(f"{header}\n{row.replace(',1,', ',2,')}\n", encoding="utf-8")
    assert "are both version" not in ratinglist("load", again, home=home).stdout
    ratinglist("rate", "2025-12", home=home)
    assert "version 2" in ratinglist("event", "ORV25112", home=home).stdout
    assert "rated (list of 2025-12)" in ratinglist("event", "ORV25112", home=home).stdout
    assert "are both version" not in ratinglist("event", "ORV25112", home=home).stdout
    # To use the one that was there.
    assert ratinglist("retract", undo, "--because", "a wrong file", home=tmp_path / "other").returncode == 0
    ratinglist("rate", "2025-12", home=tmp_path / "other")
    assert "rated (list of 2025-12)" in ratinglist("event", "ORV25112", home=tmp_path / "other").stdout


@pytest.mark.parametrize("day", ["2024-11-20", "2025-08-31", "2025-12-01"])
def test_a_day_of_receipt_far_from_the_list(day: str, home: Path) -> None:
    before = len(list((home / "log").iterdir()))
    shown = run_december(home, DECEMBER, "--received", day)
    assert (shown.returncode, shown.stdout) == (2, "")
    where = "not before" if day == "2025-12-01" else "long before"
    assert f"--received {day} is {where} the list of 2025-12" in shown.stderr
    assert "arrived before 2025-12-01, and not before 2025-09-01" in shown.stderr
    assert len(list((home / "log").iterdir())) == before


def test_the_rules_of_another_system_in_an_office_of_fide_lists(home: Path) -> None:
    before = len(list((home / "log").iterdir()))
    shown = run_december(home, DECEMBER, "--rules", "fsi")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert (
        "The lists of this home are of the family 'fide' (the newest before 2025-12 is that of 2025-11)" in shown.stderr
    )
    assert "ratinglist --home OTHER run 2025-12 FOLDER --rules fsi" in shown.stderr
    assert len(list((home / "log").iterdir())) == before


@pytest.mark.parametrize("reason", ["x", " . ", "y!"])
def test_a_reason_of_one_letter(reason: str, home: Path) -> None:
    shown = run_december(home, DECEMBER, "--because", f"most_refused={reason}")
    assert shown.returncode == 2
    assert "is no reason that a reader understands" in shown.stderr


LANTERN = "lantern-open.trf"
OPEN_OF_NOVEMBER = "november-open.trf"


def raises(home: Path, question: str, *evidence: str, delivery: Path) -> None:
    """Nothing is published, and the message names the question, the evidence and the whole command."""
    shown = run_december(home, delivery)
    assert (shown.returncode, shown.stdout) == (4, "")
    for text in (f"    {question}: ", *evidence, f'ratinglist publish 2025-12 --because {question}="..."'):
        assert text in shown.stderr
    assert not is_published(home)


@pytest.mark.parametrize(
    ("pattern", "by", "note"),
    [
        pytest.param(
            *("2025-11-20,2025-11-22", "2025-10-20,2025-11-22", "has 2025-10-20 to 2025-11-22, which counts"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *("2025-11-20,2025-11-22", "2025-11-20,2025-12-22", "has 2025-11-20 to 2025-12-22, which counts"),
            marks=pytest.mark.long,
        ),
        ("(ORV25116.*),90\n", r"\1,9\n", "manifest.csv has 9, which counts"),
    ],
)
def test_a_manifest_with_other_days_or_times_than_its_report_is_noted(
    pattern: str, by: str, note: str, home: Path, folder: Path
) -> None:
    edit(folder, pattern, by)
    assert note in ratinglist("load", folder, home=home).stdout


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


@pytest.mark.long
def test_a_report_without_its_last_round(home: Path, folder: Path) -> None:
    whole = (folder / LANTERN).read_bytes()
    cut = re.sub(rb"(?m)^(001.*).{10}$", rb"\1", whole)
    (folder / LANTERN).write_bytes(cut)
    raises(home, "points_differ", "players with other points 9, players 15", delivery=folder)


@pytest.mark.parametrize("announced", ["XXR 12", "132", "142 4\nXXR 12"])
def test_a_report_that_announces_more_rounds_in_one_place(home: Path, folder: Path, announced: str) -> None:
    text = (folder / LANTERN).read_text(encoding="utf-8")
    days = "".join(f"25/11/{day}  " for day in range(11, 23))
    line = "132".ljust(91) + days if announced == "132" else announced
    kept = re.sub(r"(?m)^(132|142|XXR).*\n", "", text)
    (folder / LANTERN).write_text(re.sub(r"(?m)^001", f"{line}\n001", kept, count=1), encoding="utf-8")
    raises(home, "unfinished_event", "rounds with games 5", "rounds announced 12", delivery=folder)


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


@pytest.mark.parametrize(("start", "end"), [("2025-11-19", "2025-11-23"), ("2025-11-21", "2025-11-22")])
def test_a_day_before_or_after_and_a_slice_are_no_other_days(home: Path, folder: Path, start: str, end: str) -> None:
    edit(folder, "2025-11-20,2025-11-22", f"{start},{end}", count=1)
    assert run_december(home, folder).returncode == 0


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


def again(folder: Path, event_id: str) -> None:
    """Deliver the November Open again, under another code and a week later."""
    text = (folder / OPEN_OF_NOVEMBER).read_text(encoding="utf-8")
    later = re.sub(r"2025/11/1(\d)", r"2025/11/2\1", text)
    (folder / "again.trf").write_text(re.sub(r"(?m)^132.*\n", "", later), encoding="utf-8")
    (row,) = re.findall(f"(?m)^{OPEN_OF_NOVEMBER}.*$", (folder / "manifest.csv").read_text(encoding="utf-8"))
    row = row.replace(OPEN_OF_NOVEMBER, "again.trf").replace("ORV25112", event_id)
    row = row.replace("2025-11-10,2025-11-16", "2025-11-20,2025-11-26").replace("2025-11-19", "2025-11-27")
    edit(folder, r"\Z", f"{row}\n")


@pytest.mark.parametrize("event_id", long_but(["ORV25199", "orv25112"], "orv25112"))
def test_an_event_again_with_another_code_and_other_days(event_id: str, home: Path, folder: Path) -> None:
    again(folder, event_id)
    evidence = (
        f"event id {event_id}, days 2025-11-20 to 2025-11-26, games 61, same pairs 61, same games 61, other event "
        "ORV25112, other days 2025-11-10 to 2025-11-16, rated in 2025-12"
    )
    leave_out = f"next: ratinglist correct withdraw {event_id} --because ... --by NAME"
    raises(home, "same_games", evidence, leave_out, delivery=folder)
    ratinglist("correct", "withdraw", event_id, "--because", "it is ORV25112", "--by", "Rossi", home=home)
    assert run_december(home).returncode == 0
