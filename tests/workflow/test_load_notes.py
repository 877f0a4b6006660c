"""What a load notes: one sentence for reports with the same note, and the names of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.settings import Settings
from ratinglist.summaries import LoadNote
from ratinglist.workflows import load
from tests.conftest import copied
from tests.trf_text import HEAD, report

MANIFEST = "file,event_id,version,official,registered_on,minutes_per_60_moves\n"


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Settings:
    return copied(homes / "2025-08", tmp_path)


def delivered(folder: Path, reports: dict[str, bytes]) -> Path:
    """A folder with these reports and a manifest that leaves nothing about them open."""
    folder.mkdir()
    for name, data in reports.items():
        (folder / name).write_bytes(data)
    rows = [f"{name},E{number},1,0,2024-01-01,120\n" for number, name in enumerate(reports)]
    (folder / "manifest.csv").write_text("".join([MANIFEST, *rows]), encoding="utf-8")
    return folder


def noted(home: Settings, folder: Path) -> list[str]:
    """The notes of loading ``folder``, as they are printed, without the folder's path."""
    lines = [line for line in load.load(home, [folder]).text().splitlines() if line.startswith("  note: ")]
    return [line.removeprefix("  note: ").replace(f"{folder.as_posix()}/", "") for line in lines]


def latin(number: int) -> bytes:
    """A report in Windows-1252 that differs from those with other numbers."""
    return report(head=(f"012 Öpen {number}", *HEAD[1:])).encode("cp1252")


def test_notes_that_name_different_values_are_apart_and_name_their_lines(home, tmp_path):
    text = report()
    folder = delivered(
        tmp_path / "in",
        {
            "a.trf": text.replace("2024/04/01", "01.04.24", 1).encode(),
            "b.trf": text.replace("2024/04/03", "03.04.24", 1).encode(),
        },
    )
    assert noted(home, folder) == [
        "1 report has the date '01.04.24' with a year of two digits, read as 2024-04-01: a.trf (line 4)",
        "1 report has the date '03.04.24' with a year of two digits, read as 2024-04-03: b.trf (line 5)",
    ]


def test_what_is_known_already_is_not_noted_again(home, tmp_path):
    folder = delivered(tmp_path / "in", {"a.trf": latin(1)})
    load.load(home, [folder])
    assert noted(home, folder) == []


def test_a_column_of_the_manifest_that_is_passed_over_is_noted(home, tmp_path):
    folder = delivered(tmp_path / "in", {"a.trf": report().encode()})
    sheet = folder / "manifest.csv"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("minutes_per_60_moves", "minutes_per_60_moves,colour"))
    (note, *_) = noted(home, folder)
    assert note.startswith("manifest.csv: the column 'colour' is not one of")


def test_the_notes_are_structured_for_programs(home, tmp_path):
    folder = delivered(tmp_path / "in", {"a.trf": latin(1)})
    notes = load.load(home, [folder]).as_dict()["notes"]
    (note,) = [note for note in notes if note["reason"] == "encoding_assumed"]
    assert note == {
        "reason": "encoding_assumed",
        "says": "1 report is not UTF-8, read as Windows-1252",
        "remedy": "nothing for the ratings; if names look wrong, export the report as UTF-8",
        "files": {(folder / "a.trf").as_posix(): []},
    }


def test_of_many_reports_the_first_are_named():
    note = LoadNote("encoding_assumed", "1,666 reports are not UTF-8", "", {f"{n:04}.trf": [] for n in range(1666)})
    assert note.text().endswith("0000.trf, 0001.trf, 0002.trf, 0003.trf, 0004.trf and 1,661 more")
