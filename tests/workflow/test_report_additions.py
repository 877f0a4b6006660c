"""What a report lacks, stated in a manifest: the report stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command_line import Shown, ratinglist
from tests.trf_text import CELLS, HEAD, NAMES, player, report

HEAD_WITHOUT_FACTS = tuple(line for line in HEAD if line[:3] not in ("012", "042", "052"))
IDS = (99900208, 99900347, 99900471, 99900143)
LACKING = report(
    [
        player(number, name, cells, fide_id="L-17" if number == 3 else 0)
        for number, (name, cells) in enumerate(zip(NAMES, CELLS, strict=True), 1)
    ],
    HEAD_WITHOUT_FACTS,
)
ADDED = "file,name,start_date,end_date,time_control,start_number,fide_id\n" + (
    "club.trf,Club Open,2025-08-01,2025-08-03,standard,,\n"
)
WHY = ("--because", "the score sheets say so", "--by", "chief arbiter")
PLAYERS = "".join(f"club.trf,,,,,{number},{fide_id}\n" for number, fide_id in enumerate(IDS, 1))


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(homes / "2025-08", tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A delivery of a report without a name, dates and FIDE IDs, and without a manifest."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "club.trf").write_text(LACKING, encoding="utf-8")
    return tmp_path / "inbox"


def loaded(home: Path, folder: Path, manifest: str = "") -> Shown:
    if manifest:
        (folder / "manifest.csv").write_text(manifest, encoding="utf-8")
    return ratinglist("load", folder, home=home)


NO_ID = (
    "Alder, Jon (start number 1) has no FIDE identification number, and without it the event is not rated → "
    "ask the player's federation; write the number in a row of manifest.csv in the report's folder (file, "
    "start_number 1, fide_id), and load both again"
)
ANSWERS: dict[str, tuple[str, list[str]]] = {
    "nothing stated": (
        "",
        [
            "write it under name of manifest.csv in the report's folder, in the row of the report, and load both again",
            "write it as YYYY-MM-DD under start_date of manifest.csv in the report's folder",
            "write it as YYYY-MM-DD under end_date of manifest.csv in the report's folder",
            NO_ID,
            "'L-17' of start number 3 is not a number",
        ],
    ),
    "an ID for nobody": (
        f"{ADDED}{PLAYERS}club.trf,,,,,17,99900095\n",
        [
            "the manifest has the FIDE ID 99900095 for start number 17, and the report has no such player → correct "
            "start_number in manifest.csv"
        ],
    ),
    "an ID given to two players": (
        ADDED + PLAYERS.replace(str(IDS[1]), str(IDS[0])),
        [
            f"the FIDE identification number {IDS[0]} is already on line",
            "write that of the other one in a row of manifest.csv in the report's folder",
        ],
    ),
    "a name with the birth date of a player": (
        ADDED.replace("Club Open", "Open of 17.05.1990") + PLAYERS,
        ["has the date of birth of a player of this report"],
    ),
}


@pytest.mark.parametrize(("manifest", "remedies"), ANSWERS.values(), ids=ANSWERS)
def test_what_a_report_or_its_manifest_lacks_is_said_with_the_row_that_answers_it(home, folder, manifest, remedies):
    loaded(home, folder, manifest)
    shown = ratinglist("quarantine", home=home).stdout
    assert [remedy for remedy in remedies if remedy not in shown] == []


def test_the_manifest_answers_all_of_them_and_the_report_stays_as_it_is(home, folder):
    assert "0 accepted, 0 known already, 1 refused" in loaded(home, folder).stdout
    shown = loaded(home, folder, ADDED + PLAYERS)
    assert "1 accepted, 0 known already, 0 refused; 6 games played" in shown.stdout
    assert "1 report has FIDE IDs from manifest.csv in the place of the report's, or where it has none" in shown.stdout
    assert (folder / "club.trf").read_text(encoding="utf-8") == LACKING
    assert "Club Open (2025-08-01 to 2025-08-03), standard" in ratinglist("event", "Club", home=home).stdout
    again = loaded(home, folder)
    assert "1 known already" in again.stdout


def test_the_name_of_the_manifest_counts_before_the_reports_and_is_noted(home, folder):
    (folder / "club.trf").write_text(report(), encoding="utf-8")
    shown = loaded(home, folder, "file,name\nclub.trf,Open of the Club\n").stdout
    assert f"1 report has the name '{HEAD[0][4:]}', and manifest.csv has 'Open of the Club', which counts" in shown


def corrected(home: Path, path: Path, content: str) -> Shown:
    path.write_text(content, encoding="utf-8")
    return ratinglist("correct", "report", "Club Open", "--file", path, *WHY, home=home)


def test_a_new_report_in_the_place_of_one_keeps_what_the_manifest_stated(home, folder, tmp_path, moves_nothing):
    loaded(home, folder, ADDED + PLAYERS)
    done = corrected(home, tmp_path / "new.trf", LACKING + "### a remark\n")
    assert (done.returncode, "report replaced by new.trf" in done.stdout) == (0, True), done
    for _ in range(2):
        shown = ratinglist("event", "Club", home=home).stdout
        assert "Club Open (2025-08-01 to 2025-08-03), standard" in shown
        assert "'L-17'" not in ratinglist("quarantine", home=home).stdout
        # A store that is made again from the log and the originals has the same.
        ratinglist("doctor", "--rebuild", home=home)
    # What was stated of the new report counts for the next one too, but for the dates that it has itself.
    again = corrected(home, tmp_path / "newer.trf", "042 2025/08/02\n" + LACKING + "### two remarks\n")
    assert again.returncode == 0, again
    assert "Club Open (2025-08-02 to 2025-08-03), standard" in ratinglist("event", "Club", home=home).stdout
