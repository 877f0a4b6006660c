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


@pytest.mark.parametrize("key", ["reason", "who", "name"])
def test_a_date_of_birth_in_a_correction_is_refused_with_its_place(home, tmp_path, key):
    shown = corrected(home, tmp_path, **{key: f"A, {WRITTEN}"})
    assert shown.returncode == 3
    assert f"c.toml, line 1: '{key}' has a date of birth at characters 4 to 18" in shown.stderr
    assert "1983" not in shown.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--because", ("rollback", MONTH, "--because")),
        ("--by", ("rollback", MONTH, "--because", "a wrong result", "--by")),
        ("--by", ("approve", MONTH, "--by")),
    ],
)
def test_a_date_of_birth_in_an_option_is_refused(home, option, words):
    assert f"{option} has a date of birth at characters 4 to 18" in refused(home, *words, f"on {WRITTEN}")
    for character, named in UNSEEN.items():
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


BEFORE, OCTOBER = MONTHS[0], MONTHS[1]


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


@pytest.fixture
def of_september(first_month: Settings) -> Path:
    return first_month.home


def published_events(of_september: Path, question: str = "unlike_name") -> list[pl.DataFrame]:
    """Return the published_events events of the list, and of all lists, after the month was run again.

    ``question``: the one that is raised. The report has other names for its FIDE IDs; where it is refused, the list
    rates nothing.
    """
    did(of_september, "run", OCTOBER, "--because", f"{question}=made up")
    folder = of_september / "published"
    latest = folder / OCTOBER / (folder / OCTOBER / "latest").read_text(encoding="utf-8").strip()
    return [pl.read_parquet(latest / "events.parquet"), pl.read_parquet(folder / "events.parquet")]


@pytest.mark.parametrize(
    "written",
    long_but(
        [
            "2.11.1983",
            "1983年11月2日",
            "2. Novembre 1983",
            "2 nov. 83",
        ],
        "1983年11月2日",
    ),
)
def test_a_name_with_the_date_of_a_player_whose_report_has_the_year_alone_is_not_published(
    of_september, tmp_path, written
):
    did(of_september, "load", delivered(tmp_path / "in", f"Cup of {written}", "CUP1"), "--json")
    for events in published_events(of_september):
        event = events.filter(pl.col("event_id") == "CUP1")
        assert event.select("name", "federation", "status").rows() == [("CUP1", "ORV", "rated")]


@pytest.mark.long
def test_what_a_refused_report_says_is_not_published(of_september, tmp_path):
    folder = delivered(tmp_path / "in", "Cup of 2.11.1983", "CUP1", births="1983/11/02")
    assert "birth_date_in_name" in ratinglist("load", folder, "--json", home=of_september).stdout
    for events in published_events(of_september, "no_events"):
        event = events.filter(pl.col("event_id") == "CUP1")
        assert event.select("name", "federation", "start_date", "end_date", "reason").rows() == [
            ("CUP1", "", None, None, "report_refused")
        ]
        assert events.filter((pl.col("reason") == "report_refused") & (pl.col("name") != pl.col("event_id"))).is_empty()


@pytest.mark.parametrize("code", long_but(["CUP-1983-11-02", "02111983", "CUP 2. nov. 1983"], "CUP-1983-11-02"))
def test_a_code_with_a_date_of_birth_refuses_its_report_and_is_not_published(of_september, tmp_path, code):
    shown = ratinglist("load", delivered(tmp_path / "in", "Cup", code), home=of_september)
    assert (
        "the event_id has the date of birth of a player, and codes of events are published"
        in shown.stderr + shown.stdout
    )
    for events in published_events(of_september, "no_events"):
        assert code not in set(events["event_id"])
    assert code not in "".join(path.read_text("utf-8") for path in (of_september / "published").rglob("manifest.json"))


# -------------------------------------------------------------------------------------------------------------- letters


LIST_OF_OCTOBER = Period.parse("2025-10")


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("language", resources.languages("letters"))
def test_each_report_of_the_month_has_a_letter(last: Settings, tmp_path: Path, language: str) -> None:
    summary = letters(last, LIST_OF_OCTOBER, tmp_path / "out", language)
    events = pl.read_parquet(last.published / "2025-10" / "r1" / "events.parquet")
    assert len(summary.values["files"]) == len(events)
    assert sum(summary.values["letters"].values()) == len(events)
    written = texts(tmp_path / "out")
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


def test_an_event_with_a_birth_in_its_name_has_its_code_in_the_letters(awaiting_december: Path, tmp_path: Path) -> None:
    """The report that a list refuses for it, and the one that is published under its code."""
    home = Path(shutil.copytree(awaiting_december, tmp_path / "home"))
    folder = Path(shutil.copytree(SAMPLE / "reports" / "2025-12", tmp_path / "inbox"))
    for name, player in (("november-open", " 1996/12/13"), ("old-mill", "")):
        text = (folder / f"{name}.trf").read_text(encoding="utf-8")
        assert player in text
        (folder / f"{name}.trf").write_text(re.sub("^012 .*", "012 Born 13 Dec 1996", text), encoding="utf-8")
    ratinglist("load", folder, home=home)
    ratinglist("rate", "2025-12", home=home)
    ratinglist("letters", "2025-12", "--out", tmp_path / "out", home=home)
    written = texts(tmp_path / "out")
    assert sum(b"Report: ORV25112, 2025" in text or b"Report: ORV25086, 2025" in text for text in written.values()) == 2
    assert b"13 Dec" not in b"".join(written.values())


def test_what_is_over_has_no_letter(awaiting_december: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(awaiting_december, tmp_path / "home"))

    def written(month: str) -> set[str]:
        out = tmp_path / month
        did(home, "letters", month, "--out", out)
        return {code for code in ("ORV25093", "ORV25112") if list(out.glob(f"{code}-*.txt"))}

    did(home, "load", SAMPLE / "reports" / "2025-12")
    did(home, "correct", "withdraw", "ORV25112", "--by", "A. Rossi", "--because", "it was never played")
    did(home, "run", "2025-12")
    assert written("2025-12") == {"ORV25093", "ORV25112"}
    did(home, "rate", "2026-01")
    # It still looks at both: the one came too late, and the other is withdrawn.
    assert ratinglist("letters", "2026-01", "--out", tmp_path / "none", home=home).returncode == 3
    shutil.rmtree(tmp_path / "2025-12")
    did(home, "dismiss", "ORV25093", "--because", "the event was never played")
    assert written("2025-12") == {"ORV25112"}


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
