"""What an officer may mistype: the message, the exit code, and nothing published or received is changed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from ratinglist.home import log, originals
from ratinglist.workflows import backup
from tests.command_line import TODAY, entered
from tests.conftest import SAMPLE, office
from tests.docs.session import words
from tests.parameters import long_but
from tests.slips import slips

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
