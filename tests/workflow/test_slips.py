"""What an officer may mistype: the message, the exit code, and nothing published or received is changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from ratinglist.home import log, originals
from ratinglist.workflows import backup
from tests.command_line import TODAY, entered, ratinglist
from tests.conftest import SAMPLE, office
from tests.docs.session import words
from tests.parameters import long_but
from tests.slips import slips
from tests.workflow.test_rerate import drawn_instead

FACTS = (
    *("report", "report_player", "report_game", "finding", "player", "source_file", "imported_list", "correction"),
)
"""The tables with what was received."""
CALCULATES = "ratinglist run 2026-01"
"""A slip that is found only after the list is calculated."""


class Slip(NamedTuple):
    command: str
    exit_code: int
    message: str


SLIPS = [Slip(command, int(code), message) for command, code, message in slips() if code]


@pytest.fixture(scope="module")
def place(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A desk: the office's home after three lists, an inbox, a backup, and files that are wrong in one way each."""
    place = tmp_path_factory.mktemp("desk")
    home = Path(shutil.copytree(homes / "2025-11", place / "ratinglist-home"))
    shutil.copytree(SAMPLE / "reports" / "2025-12", place / "inbox")
    backup.backup(office(place / "ratinglist-home"), place / "backups")
    (place / "empty").mkdir()
    shutil.copyfile(SAMPLE / "list-2025-08.csv", place / "list.csv")
    shutil.copyfile(min((place / "inbox").glob("*.trf")), place / "cup.trf")
    withdrawn = (
        '[[correction]]\naction = "withdraw_event"\nmatch = { event_id = "ORV25081" }\nreason = "never played"\n'
        'who = "Rossi"\nreported_on = 2025-12-01\n'
    )
    texts = {
        "cut.zip": "PK\x03\x04" + "\0" * 40,
        "no-ids.csv": "name,federation,rating\nRossi,ITA,1800\n",
        "bad-birth.csv": "fide_id,name,federation,sex,birth_date\n99900046,Rossi,ITA,M,1990-02-30\n",
        "scientific.csv": "fide_id,name,federation,sex\n9E+08,Rossi,ITA,M\n",
        "thousands.csv": "fide_id;name;federation;sex\n900.000.400;Rossi;ITA;M\n",
        "decimals.csv": "fide_id,name,federation,sex\n900000400.0,Rossi,ITA,M\n",
        "american-birth.csv": "fide_id,name,federation,sex,birth_date\n99900046,Rossi,ITA,M,3/5/1990\n",
        "number-of-a-day.csv": "fide_id,name,federation,sex,birth_date\n99900046,Rossi,ITA,M,36925\n",
        "comma.csv": "fide_id;name;federation;sex\n99900046,0;Rossi;ITA;M\n",
        "exchanged.csv": 'fide_id,name,federation,sex\n99900046,ORV,"Thorbjörnsson, Egill",M\n',
        "sex-as-title.csv": 'fide_id,name,federation,sex,title\n99900502,"Vesterholt, Jonas",ORV,IM,M\n',
        "of-england.csv": 'fide_id,name,federation,sex,birth_year\n99900046,"Smith, John",ENG,M,1970\n',
        "list-of-england.csv": 'fide_id,name,federation,time_control,rating,k\n555001,"Hill, J",ENG,standard,1900,20\n',
        "twice.csv": 'fide_id,name\n99900046,"Thorbjörnsson, Egill"\n99900046,"Szendrő, Bálint"\n',
        "list-of-2025-11.csv": (home / "published/2025-11/r1/standard.csv").read_text(encoding="utf-8"),
        "empty.csv": "",
        "only-headings.csv": "fide_id,name\n",
        "old.xls": "\u00d0\u00cf\u0011\u00e0",
        "broken.toml": withdrawn.replace('played"', "played"),
        "unknown-key.toml": f"{withdrawn}round = 1\n",
        "half-wrong.toml": withdrawn + withdrawn.replace("ORV25081", "ORV99999"),
    }
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def public_and_received(home: Path) -> dict[str, object]:
    """What is published, received and decided: the bytes of files, a digest of the rows of tables, entries of the log.

    A calculation and a preview decide nothing, and an original that no entry names is of an import that failed.
    """
    entries = log.read(home)[0].entries
    needed = [path for path in originals.required(home, entries) if path.parent.name == originals.FOLDER]
    files: dict[str, object] = {
        str(path.relative_to(home)): path.read_bytes()
        for path in [*needed, *sorted((home / "published").rglob("*")), *sorted((home / "reports").rglob("*"))]
        if path.is_file()
    }
    files["log"] = [one.digest for one in entries if one.kind not in ("calculate", "preview")]
    with duckdb.connect(str(home / "ratinglist.duckdb"), read_only=True) as store:
        query = " union all ".join(f"select '{one}', count(*), bit_xor(hash({one})) from {one}" for one in FACTS)
        return files | {name: digest for name, *digest in store.execute(query).fetchall()}


def times(home: Path) -> dict[Path, tuple[int, int, int]]:
    """Every file of a home, with its number on the disk, its size and the time of its last change."""
    found = {path: path.lstat() for path in home.rglob("*")}
    return {path: (one.st_ino, one.st_size, one.st_mtime_ns) for path, one in found.items() if not path.is_dir()}


@pytest.fixture(scope="module")
def held() -> dict[Path, tuple[dict[Path, tuple[int, int, int]], dict[str, object]]]:
    """The files of the home of a place when they were read last, and what it held before the first slip."""
    return {}


@pytest.mark.parametrize("slip", long_but(SLIPS, *SLIPS[::3]), ids=lambda slip: slip.command)
def test_a_slip_is_answered_and_changes_nothing(
    slip: Slip,
    place: Path,
    held: dict[Path, tuple[dict[Path, tuple[int, int, int]], dict[str, object]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if slip.command == CALCULATES:
        shutil.copytree(place, tmp_path / "desk")
        place = tmp_path / "desk"
    for name in ("RATINGLIST_HOME", "RATINGLIST_RULES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RATINGLIST_TODAY", TODAY)
    monkeypatch.chdir(place)
    home = place / "ratinglist-home"
    if place not in held:
        held[place] = times(home), public_and_received(home)
    files, before = held[place]
    shown = entered(*words(slip.command))
    assert (shown.returncode, shown.stdout) == (slip.exit_code, "")
    assert slip.message in shown.stderr
    assert "Traceback" not in shown.stderr
    if (files_now := times(home)) != files:
        assert public_and_received(home) == before
        held[place] = files_now, before


@pytest.mark.long
def test_a_result_corrected_after_the_list_was_calculated_is_a_question(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(place, tmp_path / "desk")
    monkeypatch.setenv("RATINGLIST_TODAY", TODAY)
    monkeypatch.chdir(tmp_path / "desk")
    corrected = "ratinglist correct result ORV25081 1 99900046 99900095 1-0 --because 'score sheet' --by Rossi"
    for command in ("ratinglist load inbox", "ratinglist rate 2025-12", corrected):
        done = entered(*words(command))
        assert done.returncode == 0, done.stderr
    stopped = entered("ratinglist", "publish", "2025-12")
    assert stopped.returncode == 4
    assert "    pending_correction: " in stopped.stderr
    assert '--because pending_correction="..."' in stopped.stderr
    assert not (tmp_path / "desk" / "ratinglist-home" / "published" / "2025-12" / "latest").exists()


NOTES = {slip: note for slip, code, note in slips() if not code}


DECEMBER, OCTOBER = SAMPLE / "reports" / "2025-12", SAMPLE / "reports" / "2025-10"


HEADINGS = "fide_id,name,federation,sex"


SAYS = ("--because", "as registered", "--by", "Rossi")


@pytest.fixture
def home(awaiting_december: Path, tmp_path: Path) -> Path:
    """An office that has published November, with the players of December."""
    return Path(shutil.copytree(awaiting_december, tmp_path / "home"))


def in_manifest(pattern: str, by: str) -> Callable[[Path, Path], str]:
    """Load the delivery of December with another manifest."""

    def play(home: Path, folder: Path) -> str:
        text, found = re.subn(pattern, by, (folder / "manifest.csv").read_text(encoding="utf-8"))
        assert found
        (folder / "manifest.csv").write_text(text, encoding="utf-8")
        return ratinglist("load", folder, home=home).stdout

    return play


def in_report(name: str, pattern: str, by: str) -> Callable[[Path, Path], str]:
    """Load the delivery of December with another report."""

    def play(home: Path, folder: Path) -> str:
        text, found = re.subn(pattern, by, (folder / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert found
        (folder / name).write_text(text, encoding="utf-8")
        return ratinglist("load", folder, home=home).stdout

    return play


def players(*lines: str, headings: str = HEADINGS) -> Callable[[Path, Path], str]:
    """Import a file of players."""

    def play(home: Path, folder: Path) -> str:
        file = folder / "players.csv"
        file.write_text("\n".join([headings, *lines, ""]), encoding="utf-8")
        shown = ratinglist("import-players", file, home=home)
        assert shown.returncode == 0
        return shown.stdout

    return play


def typed(*commands: tuple[str | Path, ...]) -> Callable[[Path, Path], str]:
    """Type commands, and return what the last one prints."""

    def play(home: Path, folder: Path) -> str:
        *before, last = ([folder if word == DECEMBER else word for word in command] for command in commands)
        for command in before:
            assert ratinglist(*command, home=home).returncode == 0
        shown = ratinglist(*last, home=home)
        assert shown.returncode in (0, 4)
        return shown.stdout + shown.stderr

    return play


def first_day_weeks_early(home: Path, folder: Path) -> str:
    """The day on which an event began is that of a month before, in the report and in the manifest."""
    in_report("november-open.trf", "^042 2025/11/10", "042 2025/10/10")(home, folder)
    return in_manifest("2025-11-10,2025-11-16", "2025-10-10,2025-11-16")(home, folder)


def codes_moved_by_a_row(home: Path, folder: Path) -> str:
    """Each row but the first has the code of the row above it."""
    head, *rows = (folder / "manifest.csv").read_text(encoding="utf-8").splitlines()
    codes = [row.split(",")[1] for row in rows]
    above = zip(rows, codes, codes[-1:] + codes[:-1], strict=True)
    moved = [row.replace(f",{own},", f",{one},", 1) for row, own, one in above]
    (folder / "manifest.csv").write_text("\n".join([head, *moved, ""]), encoding="utf-8")
    return ratinglist("load", folder, home=home).stdout


def new_version_of_a_rated_event(home: Path, folder: Path) -> str:
    """Version 2 of an event that the list of October has rated."""
    version = folder.parent / "version"
    version.mkdir()
    text = (OCTOBER / "september-open.trf").read_text(encoding="utf-8")
    (version / "second.trf").write_text(text.replace(" 0.5 ", " 1.5 "), encoding="utf-8")
    rows = "file,event_id,version,received_on,time_control\nsecond.trf,ORV25096,2,2025-11-20,standard\n"
    (version / "manifest.csv").write_text(rows, encoding="utf-8")
    ratinglist("load", version, home=home)
    return ratinglist("rate", "2025-12", home=home).stdout


def version_below_another(home: Path, folder: Path) -> str:
    """The first report has version 11 by a slip, and the second one version 2."""
    right = (folder / "manifest.csv").read_text(encoding="utf-8")
    in_manifest("ORV25112,1,", "ORV25112,11,")(home, folder)
    (folder / "manifest.csv").write_text(right.replace("ORV25112,1,", "ORV25112,2,"), encoding="utf-8")
    shown = ratinglist("load", folder, home=home).stdout
    ratinglist("rate", "2025-12", home=home)
    status = ratinglist("event", "ORV25112", home=home).stdout
    assert "rated (list of 2025-12)" in status
    assert "replaced: a newer version of the report was received" in status
    assert "no list has been calculated since it was received" not in status
    return shown


def another_result(home: Path, folder: Path) -> str:
    drawn_instead(folder / "november-open.trf", folder / "november-open.trf")
    return ratinglist("load", folder, home=home).stdout


def version_with_another_result(home: Path, folder: Path) -> str:
    ratinglist("load", folder, home=home)
    drawn_instead(folder / "november-open.trf", folder / "november-open.trf")
    return in_manifest("ORV25112,1,", "ORV25112,2,")(home, folder)


def id_of_a_namesake(home: Path, folder: Path) -> str:
    players('99900999,"Peñalver, Gonzalo",ORV,M')(home, folder)
    in_report("november-open.trf", "99900221 1975/02/19", "99900999           ")(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def withdrawn_event(home: Path, folder: Path) -> str:
    typed(("load", DECEMBER), ("correct", "withdraw", "ORV25112", *SAYS))(home, folder)
    in_manifest("(november-open.trf),ORV25112", r"\1,ORV25199")(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def withdrawn_event_with_another_result(home: Path, folder: Path) -> str:
    """A game of it is a draw now."""
    drawn_instead(folder / "november-open.trf", folder / "november-open.trf")
    return withdrawn_event(home, folder)


def results_of_the_others(home: Path, folder: Path) -> str:
    """Every result of an event is that of the other player, as where two columns are exchanged."""
    file = folder / "november-open.trf"
    text = re.sub(
        r"( [wb]) ([01])(?=\s|$)",
        lambda one: f"{one[1]} {1 - int(one[2])}",
        file.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    file.write_text(text, encoding="utf-8")
    ratinglist("load", folder, home=home)
    return ratinglist("rate", "2025-12", home=home).stdout


def changed(folder: Path, *patterns: tuple[str, str], name: str = "november-open.trf") -> None:
    """Write a file of a delivery with other lines."""
    text = (folder / name).read_text(encoding="utf-8")
    for pattern, by in patterns:
        text, found = re.subn(pattern, by, text, flags=re.MULTILINE)
        assert found
    (folder / name).write_text(text, encoding="utf-8")


def dates_corrected_to_another_year(home: Path, folder: Path) -> str:
    days = ("--field", "start_date=2024-11-10", "--field", "end_date=2024-11-16")
    typed(("load", DECEMBER), ("correct", "report", "ORV25112", *days, *SAYS))(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def report_of_another_event(home: Path, folder: Path) -> str:
    return typed(("correct", "report", "ORV25081", "--file", folder / "november-open.trf", *SAYS))(home, folder)


PLAYED: dict[str, Callable[[Path, Path], str]] = {
    "A manifest has another event type than the report": in_manifest("(ORV25115.*),roundrobin", r"\1,swiss"),
    "A day on which the event began is weeks early in report and manifest": first_day_weeks_early,
    "The day of a round, or the last day of the event, is wrong in the report": in_report(
        "ORV251100002.trf", r"^(132 .*)25/11/22", r"\g<1>25/12/22"
    ),
    "The codes of a manifest are those of other rows, and files are named by the codes": codes_moved_by_a_row,
    "A corrected report arrives after the list that rated the event": new_version_of_a_rated_event,
    "A version number is too high, and the next version arrives": version_below_another,
    "Both players of a game have the other result, and their old points": another_result,
    "Version 2 of a report has one other result": version_with_another_result,
    "The new report of a correction is that of another event": report_of_another_event,
    "Titles are filled down": players('99900046,"Thorbjörnsson, Egill",ORV,M,GM', headings=f"{HEADINGS},title"),
    "A column of federations is another country's": players('99900046,"Thorbjörnsson, Egill",ITA,M'),
    "A federation has four letters": players('99900046,"Thorbjörnsson, Egill",ITAL,M'),
    "A title that does not exist": players('99900046,"Thorbjörnsson, Egill",ORV,M,IGM', headings=f"{HEADINGS},title"),
    "A year of birth that has not come, or is this one": players(
        '99900999,"Nova, Ada",ORV,F,2990', '99900998,"Nova, Eva",ORV,F,2025', headings=f"{HEADINGS},birth_year"
    ),
    "A year of birth makes a child of two years of a player": players(
        '99900999,"Nova, Ada",ORV,F,2023', headings=f"{HEADINGS},birth_year"
    ),
    "The FIDE ID of a report is that of a namesake, without a birth": id_of_a_namesake,
    "A withdrawn event comes again under another code, with another result": withdrawn_event_with_another_result,
    "The results of all games are those of the other player": results_of_the_others,
    "The days of an event are corrected to those of another year": dates_corrected_to_another_year,
    "An ordinary open is called official in the manifest": in_manifest(
        "ORV25112,1,2025-11-19,swiss,,0", "ORV25112,1,2025-11-19,swiss,,1"
    ),
    "A new player is registered with a digit missing in the FIDE ID": players('90000190,"Nova, Ada",ORV,F'),
    "A letter of a name is mistyped": players('99900046,"Thorbjornsen, Egill",ORV,M'),
}


@pytest.mark.parametrize("slip", PLAYED)
def test_a_note_names_the_slip(slip: str, home: Path, moves_nothing: None, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DECEMBER, tmp_path / DECEMBER.name))
    assert NOTES[slip] in PLAYED[slip](home, folder)


def test_each_note_is_played() -> None:
    assert NOTES.keys() == PLAYED.keys()
