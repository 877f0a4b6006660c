"""No date of birth and no unseen character of a text that a person writes is stored or published."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows.quarantine import letters
from tests.command_line import Shown, did, ratinglist
from tests.conftest import MONTHS, SAMPLE, office
from tests.parameters import long_but

pytestmark = pytest.mark.asks_only("large_change")

MONTH = MONTHS[0]
PLAYER, BORN, WRITTEN = 99900027, "1983-11-02", "2 November 1983"
UNSEEN = {
    "\u200b": "U+200B",
    "\u2800": "U+2800",
    "\ufffc": "U+FFFC",
    "\u2060": "U+2060",
    "\U000e0041": "U+E0041",
    "\u202e": "U+202E",
    "\x1b": "U+001B",
}


@pytest.fixture(scope="module")
def home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office with a preview; every test leaves it as it was."""
    home = Path(shutil.copytree(homes / MONTH, tmp_path_factory.mktemp("texts") / "home"))
    assert ratinglist("publish", MONTH, "--preview", home=home).returncode == 0
    return home


def published(home: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted((home / "published").rglob("*"))}


def refused(home: Path, *words: str | Path) -> str:
    """The message of a command that is refused and publishes nothing; it does not have the date."""
    before = published(home)
    shown = ratinglist(*words, home=home)
    assert shown.returncode in (2, 3)
    assert shown.stdout == ""
    assert published(home) == before
    assert not any(date in shown.stderr for date in (BORN, WRITTEN, "1983"))
    return shown.stderr


def corrected(home: Path, folder: Path, **keys: str) -> Shown:
    """Give a correction of the player's name, with other texts where ``keys`` has them."""
    texts = {"name": "Castellane, Emil", "reason": "seen in the passport", "who": "arbiter", **keys}
    lines = [f'{key} = "{text}"' for key, text in texts.items()]
    head = ["[[correction]]", 'action = "change_data"', f"match = {{ fide_id = {PLAYER} }}", "reported_on = 2025-11-03"]
    (folder / "c.toml").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    return ratinglist("correct", folder / "c.toml", home=home)


@pytest.mark.parametrize("key", ["reason", "who", "name", "other_titles"])
def test_a_date_of_birth_in_a_correction_is_refused_with_its_place(home, tmp_path, key):
    shown = corrected(home, tmp_path, **{key: f"A, {WRITTEN}"})
    assert shown.returncode == 3
    assert f"c.toml, line 1: '{key}' has a date of birth at characters 4 to 18" in shown.stderr
    assert "1983" not in shown.stderr


@pytest.mark.parametrize(
    ("option", "words", "unseen"),
    [
        ("--because", ("rollback", MONTH, "--because"), UNSEEN),
        ("--by", ("rollback", MONTH, "--because", "a wrong result", "--by"), ["\u200b"]),
        ("--by", ("approve", MONTH, "--by"), ["\u200b"]),
    ],
)
def test_a_date_of_birth_or_an_unseen_character_in_an_option_is_refused(home, option, words, unseen):
    assert f"{option} has a date of birth at characters 4 to 18" in refused(home, *words, f"on {WRITTEN}")
    for character in unseen:
        named = UNSEEN[character]
        assert f"{option} has the character {named}" in refused(home, *words, f"a{character}b")


def test_a_date_of_birth_in_the_reason_of_a_question_is_refused(home, tmp_path):
    careful = Path(shutil.copytree(home, tmp_path / "home"))
    (careful / "office.toml").write_text(
        "[questions]\nchange_deviations = 0\nchange_per_ten_thousand = 1\n", encoding="utf-8"
    )
    message = refused(careful, "publish", MONTH, "--because", f"large_change=she was born {BORN}")
    assert "--because large_change has a date of birth at characters 14 to 23" in message
    assert "The text was not stored, and nothing was published." in message
    # A later command would take a reason that was stored.
    assert "large_change" in ratinglist("publish", MONTH, home=careful).stderr


def test_a_date_of_birth_in_the_name_of_the_office_is_refused(home, tmp_path):
    careful = Path(shutil.copytree(home, tmp_path / "home"))
    (careful / "office.toml").write_text(f'name = "Orvania {BORN}"\n', encoding="utf-8")
    message = refused(careful, "publish", MONTH, "--preview")
    assert "name in office.toml has a date of birth at characters 9 to 18" in message


def test_texts_without_them_are_taken_and_other_blanks_are_blanks(home, tmp_path):
    own = Path(shutil.copytree(home, tmp_path / "home"))
    reason = "arbiter wrote on 2025-11-12, game of 03.10.2025,\u00a0ID 99900027"
    assert corrected(own, tmp_path, reason=reason).returncode == 0
    assert ratinglist("rerate", "--from", MONTH, home=own).returncode == 0
    diff = (own / "published" / MONTH / "r2" / "DIFF.md").read_text(encoding="utf-8")
    assert "arbiter wrote on 2025-11-12, game of 03.10.2025, ID 99900027" in diff


# -------------------------------------------------------------------------------------------- names and codes of events


OCTOBER = MONTHS[1]


def report(name: str, births: str = "1983") -> str:
    """Return a report of one game between the player and another one of the sample."""
    players = [(1, PLAYER, births, 2, "w", "1.0"), (2, 99900208, "", 1, "b", "0.0")]
    lines = [
        f"001 {number:4} m    {'Player, A':33}      ORV {fide_id:11} {born:10} {points:>4}       {other:4} {colour} "
        f"{points[0]}"
        for number, fide_id, born, other, colour, points in players
    ]
    head = [f"012 {name}", "032 ORV", "042 2025/09/13", "052 2025/09/13", "102 Arbiter", "122 90 min + 30 sec"]
    return "\n".join([*head, *lines, ""])


def delivered(folder: Path, name: str, code: str = "", births: str = "1983") -> Path:
    folder.mkdir()
    (folder / "a.trf").write_text(report(name, births), encoding="utf-8")
    manifest = f"file,event_id,time_control,received_on\na.trf,{code},standard,2025-09-15\n"
    (folder / "manifest.csv").write_text(manifest, encoding="utf-8")
    return folder


CODES = {
    "2.11.1983": "02111983",
    "1983年11月2日": "CUP-1983-11-02",
    "2. Novembre 1983": "CUP 2. nov. 1983",
    "2 nov. 83": "CUP 1983-11-02",
}
"""Codes of events with the player's date of birth, by the date as another event has it in its name."""


@pytest.mark.parametrize("written", long_but(CODES, "1983年11月2日"))
def test_a_name_or_code_of_an_event_with_a_date_of_birth_is_not_published(first_month, tmp_path, written):
    """The name of an event whose report has the year alone, that of a refused report, and a code, which is refused.

    The list asks about the first report, which has other names for its FIDE IDs, and about the two others.
    """
    code, home = CODES[written], first_month.home
    did(home, "load", delivered(tmp_path / "year", f"Cup of {written}", "CUP1"))
    refused = delivered(tmp_path / "day", "Cup of 2.11.1983", "CUP2", births="1983/11/02")
    assert "birth_date_in_name" in ratinglist("load", refused, "--json", home=home).stdout
    shown = ratinglist("load", delivered(tmp_path / "code", "Cup", code), home=home)
    says = "the event_id has the date of birth of a player, and codes of events are published"
    assert says in shown.stderr + shown.stdout
    did(home, "run", OCTOBER, "--because", "unlike_name=made up", "--because", "most_refused=made up")
    folder = home / "published"
    for path in (folder / OCTOBER / "r1" / "events.parquet", folder / "events.parquet"):
        events = pl.read_parquet(path)
        assert code not in set(events["event_id"])
        named = events.filter(pl.col("event_id").is_in(["CUP1", "CUP2"])).sort("event_id")
        assert named.select("event_id", "name", "federation", "reason").rows() == [
            ("CUP1", "CUP1", "ORV", ""),
            ("CUP2", "CUP2", "", "report_refused"),
        ]
        assert named.row(0, named=True)["status"] == "rated"
        assert named.select("start_date", "end_date").row(1) == (None, None)
        assert events.filter((pl.col("reason") == "report_refused") & (pl.col("name") != pl.col("event_id"))).is_empty()
    assert code not in "".join(path.read_text("utf-8") for path in folder.rglob("manifest.json"))


# -------------------------------------------------------------------------------------------------------------- letters


LIST_OF_OCTOBER = Period.parse("2025-10")


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_each_report_of_the_month_has_a_letter(last: Settings, tmp_path: Path) -> None:
    events = pl.read_parquet(last.published / "2025-10" / "r1" / "events.parquet")
    for language in resources.languages("letters"):
        summary = letters(last, LIST_OF_OCTOBER, tmp_path / language, language)
        assert len(summary.values["files"]) == len(events)
        assert sum(summary.values["letters"].values()) == len(events)
        written = texts(tmp_path / language)
        assert sorted(written) == summary.values["files"]
        assert all(f"({code})".encode() in b"".join(written.values()) for code in events["event_id"])
    letters(last, LIST_OF_OCTOBER, tmp_path / "again", language)
    assert texts(tmp_path / "again") == written


def test_a_letter_names_the_arbiter_the_line_and_the_deadline(homes: Path, tmp_path: Path) -> None:
    letters(office(homes / "2025-10"), LIST_OF_OCTOBER, tmp_path)
    [granary] = tmp_path.glob("ORV25094-*.txt")
    text = granary.read_text(encoding="utf-8")
    original = (SAMPLE / "reports/2025-10/granary-open.trf").read_text(encoding="utf-8")
    arbiter = next(line[4:].strip() for line in original.splitlines() if line.startswith("102 "))
    assert text.startswith(f"To: {arbiter}\n")
    says = (
        "This report waits: it is not rated on the list of 2025-10.",
        "- line 27, column 58: the FIDE ID 99900641 (Kestrel, Anna) is not registered",
        "It closes on 2025-11-28.",
        "granary-open.trf",
    )
    assert [part for part in says if part not in text] == []
    assert "data/sample" not in text


@pytest.fixture(scope="module")
def of_december(awaiting_december: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office that has calculated December, with births in the names of two events, and an event withdrawn.

    The one event is refused for its name, and the other one is published under its code.
    """
    home = Path(shutil.copytree(awaiting_december, tmp_path_factory.mktemp("december") / "home"))
    folder = Path(shutil.copytree(SAMPLE / "reports" / "2025-12", home.parent / "inbox"))
    for name, player in (("november-open", " 1996/12/13"), ("old-mill", "")):
        text = (folder / f"{name}.trf").read_text(encoding="utf-8")
        assert player in text
        (folder / f"{name}.trf").write_text(re.sub("^012 .*", "012 Born 13 Dec 1996", text), encoding="utf-8")
    did(home, "load", folder)
    did(home, "correct", "withdraw", "ORV25116", "--by", "A. Rossi", "--because", "it was never played")
    did(home, "rate", "2025-12")
    return home


def test_an_event_with_a_birth_in_its_name_has_its_code_in_the_letters(of_december: Path, tmp_path: Path) -> None:
    did(of_december, "letters", "2025-12", "--out", tmp_path / "out")
    written = texts(tmp_path / "out")
    assert sum(b"Report: ORV25112, 2025" in text or b"Report: ORV25086, 2025" in text for text in written.values()) == 2
    assert b"13 Dec" not in b"".join(written.values())


def test_what_is_over_has_no_letter(of_december: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(of_december, tmp_path / "home"))

    def written(month: str, out: Path) -> set[str]:
        did(home, "letters", month, "--out", out)
        return {code for code in ("ORV25093", "ORV25112", "ORV25116") if list(out.glob(f"{code}-*.txt"))}

    assert written("2025-12", tmp_path / "before") == {"ORV25093", "ORV25112", "ORV25116"}
    did(home, "rate", "2026-01")
    # It still looks at all: the first came too late, the second is still refused, and the third is withdrawn.
    assert written("2026-01", tmp_path / "january") == {"ORV25112"}
    for code in ("ORV25093", "ORV25112"):
        did(home, "dismiss", code, "--because", "the event was never played")
    assert ratinglist("letters", "2026-01", "--out", tmp_path / "none", home=home).returncode == 3
    assert written("2025-12", tmp_path / "after") == {"ORV25116"}


def test_letters_are_not_written_into_a_home_nor_over_a_file_nor_in_a_language_without_texts(
    last: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for out, language, says in (
        (last.home / "letters", "en", "in the home"),
        (last.published, "en", f"^{re.escape(str(last.published))} is in "),
        (file, "en", "is not a folder"),
        (tmp_path / "out", "../en", "there are: en, it"),
    ):
        with pytest.raises(CommandLineError, match=says):
            letters(last, LIST_OF_OCTOBER, out, language)
    assert [path.read_text() for path in tmp_path.rglob("*")] == ["mine"]
