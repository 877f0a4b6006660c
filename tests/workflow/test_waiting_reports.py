"""Reports without a time control wait, until it is stated for them or for all."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import LoadNote
from ratinglist.workflows import import_files, load, quarantine, run, status
from tests import conftest, trf_text
from tests.command_line import Shown, ratinglist
from tests.conftest import copied
from tests.parameters import long_but
from tests.trf_text import CELLS, NAMES, player, report
from tests.workflow.test_rerate import correct, correction

pytestmark = pytest.mark.asks_only()

NOVEMBER = Period.parse("2025-11")
HEAD = tuple(line for line in trf_text.HEAD if not line.startswith(("042", "052", "122")))
COLUMNS = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,rating,k,"
    "games_played,reached_2400,reached_2300,last_played,flag"
)


def deliver(folder: Path, name: str, head: tuple[str, ...] = HEAD, **facts: str) -> Path:
    """Write a report into a folder with a manifest of ``facts``."""
    folder.mkdir(parents=True)
    (folder / name).write_text(trf_text.report(head=(f"012 {name}", *head[1:])), encoding="utf-8")
    rows = {"file": name, "event_id": name, "version": "1", "official": "0", "registered_on": "2025-01-01", **facts}
    (folder / "manifest.csv").write_text(f"{','.join(rows)}\n{','.join(rows.values())}\n", encoding="utf-8")
    return folder


OCTOBER_DAYS = {"start_date": "2025-10-01", "end_date": "2025-10-20", "received_on": "2025-10-21"}


@pytest.fixture(scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("listed")
    names = enumerate(("Alder", "Birch", "Cedar", "Dogwood"), start=900001)
    rows = [f"{number},{name},ITA,m,,,,,1990,standard,1800,20,0,,,," for number, name in names]
    (folder / "list.csv").write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
    import_files.import_list(conftest.office(folder / "home"), folder / "list.csv", Period.parse("2025-10"))
    return folder / "home"


@pytest.fixture
def home(_home: Path, tmp_path: Path) -> Settings:
    """Return an office with the list of 2025-10 imported."""
    return copied(_home, tmp_path)


def events(settings: Settings, month: str) -> dict[str, tuple[str, str]]:
    of_month = pl.read_parquet(settings.published / month / "r1" / "events.parquet")
    return {event["event_id"]: (event["status"], event["reason"]) for event in of_month.to_dicts()}


@pytest.mark.long
def test_a_report_waits_until_its_time_control_is_stated(home: Settings, tmp_path: Path) -> None:
    """In a manifest, or in `office.toml` for all reports."""
    unclear = (*HEAD, "122 90 min x 40")
    loaded = load.load(home, [deliver(tmp_path / "a", "weekend.trf", unclear, **OCTOBER_DAYS)])
    (row,) = loaded.refused
    assert (row["reason"], row["status"], row["line"], row["column"]) == ("time_control_unknown", "waiting", 7, 5)
    assert "90 min x 40" in loaded.text()
    assert [refusal["reason"] for refusal in quarantine.quarantined(home) if "weekend" in str(refusal["file"])] == [
        row["reason"]
    ]
    deliver(tmp_path / "b", "weekend.trf", unclear, time_control="standard", **OCTOBER_DAYS)
    run.run(home, NOVEMBER, [tmp_path / "b"])
    assert events(home, "2025-11")["weekend.trf"] == ("rated", "")
    assert set(quarantine.event(home, "weekend.trf").reports["status"]) == {"waiting", "rated"}
    (home.home / "office.toml").write_text('[reports]\ntime_control = "standard"\n', encoding="utf-8")
    stated = load.load(conftest.office(home.home), [deliver(tmp_path / "c", "other.trf", **OCTOBER_DAYS)])
    assert (stated.refused, "office_time_control" in [note.reason for note in stated.notes]) == ([], True)


@pytest.mark.asks_only("no_events")
@pytest.mark.parametrize("version", long_but(["1", "2"], "2"))
def test_a_report_without_a_game_blocks_nothing(home: Settings, tmp_path: Path, version: str) -> None:
    facts = {"time_control": "standard", "version": version, **OCTOBER_DAYS}
    folder = deliver(tmp_path / "a", "weekend.trf", **facts)
    empty = trf_text.report(trf_text.players(((),) * 4), (f"012 {'weekend.trf'}", *HEAD[1:]))
    (folder / "weekend.trf").write_text(empty, encoding="utf-8")
    assert [row["reason"] for row in load.load(home, [folder]).refused] == ["no_games"]
    assert quarantine.event(home, "weekend.trf").reports.select("status", "reason").rows() == [("refused", "no_games")]
    run.run(home, NOVEMBER, because={"no_events": "the only report was written before the first round"})
    assert events(home, "2025-11")["weekend.trf"] == ("refused", "no_games")
    facts |= {"version": "1", "received_on": "2025-11-05"}
    run.run(home, Period.parse("2025-12"), [deliver(tmp_path / "b", "weekend.trf", **facts)])
    assert events(home, "2025-12")["weekend.trf"] == ("rated", "")


# ---------------------------------------------------------------------------------------------------------------- notes


MANIFEST = "file,event_id,version,official,registered_on,minutes_per_60_moves\n"


@pytest.fixture
def sample_home(homes: Path, tmp_path: Path) -> Settings:
    return copied(homes / "2025-08", tmp_path)


def delivered(folder: Path, reports: dict[str, bytes]) -> Path:
    """A folder with these reports and a manifest that leaves nothing about them open."""
    folder.mkdir()
    for name, data in reports.items():
        (folder / name).write_bytes(data)
    rows = [f"{name},E{number},1,0,2024-01-01,120\n" for number, name in enumerate(reports)]
    (folder / "manifest.csv").write_text("".join([MANIFEST, *rows]), encoding="utf-8")
    return folder


def noted(sample_home: Settings, folder: Path) -> list[str]:
    """The notes of loading ``folder``, as they are printed, without the folder's path."""
    lines = [line for line in load.load(sample_home, [folder]).text().splitlines() if line.startswith("  note: ")]
    return [line.removeprefix("  note: ").replace(f"{folder.as_posix()}/", "") for line in lines]


def test_notes_that_name_different_values_are_apart_and_name_their_lines(sample_home, tmp_path):
    text = report()
    folder = delivered(
        tmp_path / "in",
        {
            "a.trf": text.replace("2024/04/01", "01.04.24", 1).encode(),
            "b.trf": text.replace("2024/04/03", "03.04.24", 1).encode(),
        },
    )
    sheet = folder / "manifest.csv"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("minutes_per_60_moves", "minutes_per_60_moves,colour"))
    passed_over, *different = noted(sample_home, folder)
    assert passed_over.startswith("manifest.csv: the column 'colour' is not one of")
    assert different == [
        "1 report has the date '01.04.24' with a year of two digits, read as 2024-04-01: a.trf (line 4)",
        "1 report has the date '03.04.24' with a year of two digits, read as 2024-04-03: b.trf (line 5)",
    ]


def test_the_notes_are_structured_for_programs_and_what_is_known_already_is_not_noted_again(sample_home, tmp_path):
    latin = report(head=("012 Öpen", *trf_text.HEAD[1:])).encode("cp1252")
    folder = delivered(tmp_path / "in", {"a.trf": latin})
    notes = load.load(sample_home, [folder]).as_dict()["notes"]
    (note,) = [note for note in notes if note["reason"] == "encoding_assumed"]
    assert note == {
        "reason": "encoding_assumed",
        "says": "1 report is not UTF-8, read as Windows-1252",
        "remedy": "nothing for the ratings; if names look wrong, export the report as UTF-8",
        "files": {(folder / "a.trf").as_posix(): []},
    }
    assert noted(sample_home, folder) == []


def test_of_many_reports_the_first_are_named():
    note = LoadNote("encoding_assumed", "1,666 reports are not UTF-8", "", {f"{n:04}.trf": [] for n in range(1666)})
    assert note.text().endswith("0000.trf, 0001.trf, 0002.trf, 0003.trf, 0004.trf and 1,661 more")


# -------------------------------------------------------------------------------------------------- what a report lacks


HEAD_WITHOUT_FACTS = tuple(line for line in trf_text.HEAD if line[:3] not in ("012", "042", "052"))
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
def after_first_list(homes: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(homes / "2025-08", tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A delivery of a report without a name, dates and FIDE IDs, and without a manifest."""
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "club.trf").write_text(LACKING, encoding="utf-8")
    return tmp_path / "inbox"


def loaded(after_first_list: Path, folder: Path, manifest: str = "") -> Shown:
    if manifest:
        (folder / "manifest.csv").write_text(manifest, encoding="utf-8")
    return ratinglist("load", folder, home=after_first_list)


NO_ID = (
    "Alder, Jon (start number 1) has no FIDE identification number, and without it the event is not rated → "
    "ask the player's federation; write the number in a row of manifest.csv in the report's folder (file, "
    "start_number 1, fide_id), and load both again"
)
LACKED = (
    "write it under name of manifest.csv in the report's folder, in the row of the report, and load both again",
    "write it as YYYY-MM-DD under start_date of manifest.csv in the report's folder",
    "write it as YYYY-MM-DD under end_date of manifest.csv in the report's folder",
    NO_ID,
    "'L-17' of start number 3 is not a number",
)
ANSWERS: dict[str, tuple[str, list[str]]] = {
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


def test_what_a_manifest_states_wrongly_is_said_with_the_row_that_answers_it(after_first_list, tmp_path):
    for name, (manifest, _) in ANSWERS.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "club.trf").write_text(f"{LACKING}### {name}\n", encoding="utf-8")
        (tmp_path / "in" / name / "manifest.csv").write_text(manifest, encoding="utf-8")
    ratinglist("load", tmp_path / "in", home=after_first_list)
    refused = quarantine.quarantined(conftest.office(after_first_list))
    for name, (_, remedies) in ANSWERS.items():
        said = [f"{row['says']} → {row['remedy']}" for row in refused if name in str(row["file"])]
        assert [remedy for remedy in remedies if remedy not in "\n".join(said)] == []


def test_the_manifest_answers_all_that_a_report_lacks_and_the_report_stays_as_it_is(after_first_list, folder):
    assert "0 accepted, 0 known already, 1 refused" in loaded(after_first_list, folder).stdout
    refused = ratinglist("quarantine", home=after_first_list).stdout
    assert [remedy for remedy in LACKED if remedy not in refused] == []
    shown = loaded(after_first_list, folder, ADDED + PLAYERS)
    assert "1 accepted, 0 known already, 0 refused; 6 games played" in shown.stdout
    assert "1 report has FIDE IDs from manifest.csv in the place of the report's, or where it has none" in shown.stdout
    assert (folder / "club.trf").read_text(encoding="utf-8") == LACKING
    assert "Club Open (2025-08-01 to 2025-08-03), standard" in ratinglist("event", "Club", home=after_first_list).stdout
    again = loaded(after_first_list, folder)
    assert "1 known already" in again.stdout


def test_the_name_of_the_manifest_counts_before_the_reports_and_is_noted(after_first_list, folder):
    (folder / "club.trf").write_text(report(), encoding="utf-8")
    shown = loaded(after_first_list, folder, "file,name\nclub.trf,Open of the Club\n").stdout
    assert (
        f"1 report has the name '{trf_text.HEAD[0][4:]}', and manifest.csv has 'Open of the Club', which counts"
        in shown
    )


def corrected(after_first_list: Path, path: Path, content: str) -> Shown:
    path.write_text(content, encoding="utf-8")
    return ratinglist("correct", "report", "Club Open", "--file", path, *WHY, home=after_first_list)


def test_a_new_report_in_the_place_of_one_keeps_what_the_manifest_stated(
    after_first_list, folder, tmp_path, moves_nothing
):
    loaded(after_first_list, folder, ADDED + PLAYERS)
    done = corrected(after_first_list, tmp_path / "new.trf", LACKING + "### a remark\n")
    assert (done.returncode, "report replaced by new.trf" in done.stdout) == (0, True), done
    settings = conftest.office(after_first_list)
    shown = quarantine.event(settings, "Club").text()
    assert "Club Open (2025-08-01 to 2025-08-03), standard" in shown
    assert "'L-17'" not in shown
    # A store that is made again from the log and the originals has the same.
    settings.store.unlink()
    assert quarantine.event(settings, "Club").text() == shown
    # What was stated of the new report counts for the next one too, but for the dates that it has itself.
    again = corrected(after_first_list, tmp_path / "newer.trf", "042 2025/08/02\n" + LACKING + "### two remarks\n")
    assert again.returncode == 0, again
    assert "Club Open (2025-08-02 to 2025-08-03), standard" in quarantine.event(settings, "Club").text()


def test_of_the_same_bytes_those_loaded_last_count_and_a_correction_holds_for_all(
    home: Settings, tmp_path: Path
) -> None:
    early, late = "2025-01-01", "2025-10-20"

    def load_all(delivery: str, days: dict[str, str], **facts: str) -> None:
        facts |= {"time_control": "standard", **OCTOBER_DAYS}
        load.load(
            home,
            [deliver(tmp_path / delivery / name, name, registered_on=day, **facts) for name, day in days.items()],
        )

    load_all("first", {"in time": late, "too late": early, "withdrawn": early, "corrected": early})
    correct(
        home,
        correction("withdraw_event", 'event_id = "withdrawn"'),
        correction("change_report", 'event_id = "corrected"', f"registered_on = {late}"),
    )
    load_all("again", {"in time": early, "too late": late, "withdrawn": early, "corrected": early}, event_type="swiss")
    run.run(home, NOVEMBER)
    assert events(home, "2025-11") == {
        "in time": ("rated", ""),
        "too late": ("refused", "registered_late"),
        "withdrawn": ("refused", "withdrawn"),
        "corrected": ("refused", "registered_late"),
    }


def test_an_undone_merge_reaches_the_lists_that_read_the_old_fide_id(home: Settings, tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text("fide_id,name,federation\n900099,Alder,ITA\n", encoding="utf-8")
    import_files.import_players(home, tmp_path / "players.csv")
    correct(home, correction("merge", "fide_id = 900099", "into = 900001"))
    cup = deliver(tmp_path / "in", "cup", time_control="standard", **OCTOBER_DAYS) / "cup"
    text = cup.read_text(encoding="utf-8")
    assert "900001" in text
    cup.write_text(text.replace("900001", "900099"), encoding="utf-8")
    run.run(home, NOVEMBER, [cup.parent])
    correct(home, correction("undo", "correction = 1"))
    [to_do] = status.status(home).to_do
    assert to_do.endswith(": ratinglist rerate --from 2025-11")
