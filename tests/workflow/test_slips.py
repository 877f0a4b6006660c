"""What an officer may mistype: the message, the exit code, and nothing published or received is changed."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from ratinglist.home import log, originals
from ratinglist.workflows import backup
from tests.command_line import TODAY, did, entered, ratinglist, stopped
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
    files["log"] = [entry.digest for entry in entries if entry.kind not in ("calculate", "preview")]
    with duckdb.connect(str(home / "ratinglist.duckdb"), read_only=True) as store:
        query = " union all ".join(
            f"select '{table}', count(*), bit_xor(hash({table})) from {table}" for table in FACTS
        )
        return files | {name: digest for name, *digest in store.execute(query).fetchall()}


def times(home: Path) -> dict[Path, tuple[int, int, int]]:
    """Every file of a home, with its number on the disk, its size and the time of its last change."""
    states = {path: path.lstat() for path in home.rglob("*")}
    return {
        path: (state.st_ino, state.st_size, state.st_mtime_ns) for path, state in states.items() if not path.is_dir()
    }


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


NOTES = {slip: note for slip, code, note in slips() if not code}


DECEMBER, OCTOBER = SAMPLE / "reports" / "2025-12", SAMPLE / "reports" / "2025-10"
HEADINGS = "fide_id,name,federation,sex"
SAYS = ("--because", "as registered", "--by", "Rossi")
MANIFEST, OPEN = "manifest.csv", "november-open.trf"
Play = Callable[[Path, Path], str]
"""What an office types, with its home and a delivery of December; it returns what the last command prints."""


@pytest.fixture
def home(awaiting_december: Path, tmp_path: Path) -> Path:
    """An office that has published November, with the players of December."""
    return Path(shutil.copytree(awaiting_december, tmp_path / "home"))


def edited(folder: Path, *edits: tuple[str, str, str | Callable[[re.Match[str]], str]]) -> None:
    """Write other lines into the files of a delivery, by pattern."""
    for name, pattern, by in edits:
        text, times = re.subn(pattern, by, (folder / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert times
        (folder / name).write_text(text, encoding="utf-8")


def loaded(*edits: tuple[str, str, str]) -> Play:
    """Load the delivery with other lines in its files."""

    def play(home: Path, folder: Path) -> str:
        edited(folder, *edits)
        return ratinglist("load", folder, home=home).stdout

    return play


def players(home: Path, folder: Path, *lines: str, headings: str = HEADINGS) -> str:
    """Import a file of players."""
    (folder / "players.csv").write_text("\n".join([headings, *lines, ""]), encoding="utf-8")
    return did(home, "import-players", folder / "players.csv")


def wrong_players(home: Path, folder: Path) -> str:
    """Each line of a file of players is wrong in its own way."""
    lines = (
        '99900046,"Thorbjörnsson, Egill",ORV,M,GM,',
        '99900539,"Quilfeather, Otis",ITA,M,,',
        '99900208,"Szendrő, Bálint",ORVA,M,IM,',
        '99900502,"Vesterholt, Jonas",ORV,M,IGM,',
        '99900996,"Nova, Ada",ORV,F,,2990',
        '99900997,"Nova, Eva",ORV,F,,2025',
        '99900998,"Nova, Ida",ORV,F,,2023',
        '90000190,"Nova, Ole",ORV,M,,',
        '99900999,"Thorbjörnsson, Egill",ORV,M,,1961',
    )
    return players(home, folder, *lines, headings=f"{HEADINGS},title,birth_year")


def report_of_another_event(home: Path, folder: Path) -> str:
    """The file of a correction is the report of another open, in November."""
    return did(home, "correct", "report", "ORV25081", "--file", folder / OPEN, *SAYS)


def codes_moved_by_a_row(home: Path, folder: Path) -> str:
    """Each row but the first has the code of the row above it."""
    head, *rows = (folder / "manifest.csv").read_text(encoding="utf-8").splitlines()
    codes = [row.split(",")[1] for row in rows]
    above = zip(rows, codes, codes[-1:] + codes[:-1], strict=True)
    moved = [row.replace(f",{own},", f",{code},", 1) for row, own, code in above]
    (folder / "manifest.csv").write_text("\n".join([head, *moved, ""]), encoding="utf-8")
    return ratinglist("load", folder, home=home).stdout


def slips_in_a_month(home: Path, folder: Path) -> str:
    """A report has the FIDE ID of a namesake, and the results of the other players.

    A second delivery has another result in a report that is version 2, and in one of an event that was withdrawn, under
    another code; a version below the first one, which was too high; and a new version of an event that is published.
    """
    players(home, folder, '99900999,"Peñalver, Gonzalo",ORV,M')
    edited(
        folder,
        (OPEN, "99900221 1975/02/19", "99900999           "),
        (OPEN, r"( [wb]) ([01])(?=\s|$)", lambda cell: f"{cell[1]} {1 - int(cell[2])}"),
        (MANIFEST, "ORV25117,1,", "ORV25117,11,"),
    )
    did(home, "load", folder)
    did(home, "correct", "withdraw", "ORV25116", *SAYS)
    did(home, "correct", "report", "ORV251100002", *OF_2024, *SAYS)
    for report in (folder / "winter-tournament.trf", folder / "lantern-open.trf"):
        drawn_instead(report, report)
    rated = (OCTOBER / "september-open.trf").read_text(encoding="utf-8")
    (folder / "rated.trf").write_text(rated.replace(" 0.5 ", " 1.5 "), encoding="utf-8")
    edited(
        folder,
        (MANIFEST, "ORV25115,1,", "ORV25115,2,"),
        (MANIFEST, "ORV25116", "ORV25199"),
        (MANIFEST, "ORV25117,11,", "ORV25117,2,"),
        (MANIFEST, r"\Z", "rated.trf,ORV25096,2,2025-11-20,swiss,standard,0,ORV,,,,\n"),
    )
    shown = did(home, "load", folder) + did(home, "rate", "2025-12") + did(home, "publish", "2025-12", "--preview")
    assert "replaced: a newer version of the report was received" in did(home, "event", "ORV25117")
    return shown


OF_2024 = ("--field", "start_date=2024-11-17", "--field", "end_date=2024-11-22")
PLAYED: dict[tuple[str, ...], Play] = {
    (
        "A manifest has another event type than the report",
        "A day on which the event began is weeks early in report and manifest",
        "The day of a round, or the last day of the event, is wrong in the report",
        "An ordinary open is called official in the manifest",
    ): loaded(
        (MANIFEST, "(ORV25115.*),roundrobin", r"\1,swiss"),
        (OPEN, "^042 2025/11/10", "042 2025/10/10"),
        (MANIFEST, "2025-11-10,2025-11-16", "2025-10-10,2025-11-16"),
        ("ORV251100002.trf", r"^(132 .*)25/11/22", r"\g<1>25/12/22"),
        (MANIFEST, "ORV25112,1,2025-11-19,swiss,,0", "ORV25112,1,2025-11-19,swiss,,1"),
    ),
    ("The codes of a manifest are those of other rows, and files are named by the codes",): codes_moved_by_a_row,
    (
        "A corrected report arrives after the list that rated the event",
        "A version number is too high, and the next version arrives",
        "Both players of a game have the other result, and their old points",
        "Version 2 of a report has one other result",
        "The FIDE ID of a report is that of a namesake, without a birth",
        "A withdrawn event comes again under another code, with another result",
        "The results of all games are those of the other player",
        "The days of an event are corrected to those of another year",
    ): slips_in_a_month,
    ("The new report of a correction is that of another event",): report_of_another_event,
    (
        "Titles are filled down",
        "A column of federations is another country's",
        "A federation has four letters",
        "A title that does not exist",
        "A year of birth that has not come, or is this one",
        "A year of birth makes a child of two years of a player",
        "A new player is registered with a digit missing in the FIDE ID",
        "A new FIDE ID is registered for a player who has one",
        "A letter of a name is mistyped",
    ): wrong_players,
}
"""What is typed or delivered, by the slips in it."""


@pytest.mark.parametrize("slips_in_it", PLAYED, ids="; ".join)
def test_notes_name_the_slips(slips_in_it: tuple[str, ...], home: Path, moves_nothing: None, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DECEMBER, tmp_path / DECEMBER.name))
    shown = PLAYED[slips_in_it](home, folder)
    assert [slip for slip in slips_in_it if NOTES[slip] not in shown] == []


def test_each_note_is_played() -> None:
    assert sorted(NOTES) == sorted(slip for slips_in_it in PLAYED for slip in slips_in_it)


# ----------------------------------------------------------------------------------------------------- wrong deliveries


@pytest.mark.long
def test_the_folder_of_last_month_is_not_run_again(home: Path) -> None:
    said = stopped(home, 4, "run", "2025-12", SAMPLE / "reports" / "2025-11")
    assert "was received before (11), and earlier lists have looked at all their events: 2025-11 (10)" in said
    assert not (home / "published" / "2025-12").exists()
    # What was meant is not held up: the folder of the month, and the same command again.
    for _ in range(2):
        did(home, "run", "2025-12", DECEMBER)


@pytest.mark.asks_only("most_refused")
def test_why_a_report_is_refused_stays_in_the_office(home: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DECEMBER, tmp_path / "inbox"))
    loaded((MANIFEST, r"(20\d\d)-(\d\d)-(\d\d)", r"\2/\3/\1"))(home, folder)
    did(home, "run", "2025-12", "--because", "most_refused=they come again in January")
    manifest = (home / "published" / "2025-12" / "r1" / "manifest.json").read_text(encoding="utf-8")
    assert [text in manifest for text in ('"reports": 8', "inbox", "registered_on")] == [True, False, False]


FESTIVAL = "bridge-festival.trf"


@pytest.mark.parametrize("results", long_but(["01", "==", "-+"], "01"))
def test_another_report_of_an_event_that_is_published(
    home: Path, moves_nothing: None, tmp_path: Path, results: str
) -> None:
    """Player 1 won against player 9 in round 1."""
    folder = Path(shutil.copytree(SAMPLE / "reports" / "2025-11", tmp_path / "again"))
    own, other = results
    edits = ((FESTIVAL, "(?m)^(001    1.{90})1", rf"\g<1>{own}"), (FESTIVAL, "(?m)^(001    9.{90})0", rf"\g<1>{other}"))
    shown = loaded(*edits)(home, folder)
    assert "are both version 1 of the event ORV25101" in shown
    (retract,) = set(re.findall(r"ratinglist (retract \d+)", shown))
    (correct,) = re.findall(r"ratinglist (correct report .*?) --because", shown)
    because = ("--because", "the arbiter typed one result wrong")
    did(home, *retract.split(), *because)
    shown = did(home, *shlex.split(correct), *because, "--by", "Anna")
    assert "ORV25101: report replaced by bridge-festival.trf" in shown
    assert "No list was calculated again yet." in shown
    assert "ratinglist rerate --from 2025-11" in shown
