"""No date of birth and no unseen character of a text that a person writes is stored or published."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command_line import Shown, ratinglist
from tests.conftest import MONTHS

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
    home = tmp_path_factory.mktemp("texts") / "home"
    shutil.copytree(homes / MONTH, home)
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
        ("--remark", ("approve", MONTH, "--by", "Anna", "--remark")),
    ],
)
def test_a_date_of_birth_in_an_option_is_refused(home, option, words):
    assert f"{option} has a date of birth at characters 4 to 18" in refused(home, *words, f"on {WRITTEN}")
    for character, named in UNSEEN.items():
        assert f"{option} has the character {named}" in refused(home, *words, f"a{character}b")


@pytest.mark.parametrize(
    "command",
    [("publish", MONTH), ("publish", MONTH, "--preview"), ("run", MONTH)],
)
def test_a_date_of_birth_in_the_reason_of_a_question_is_refused(home, tmp_path, command):
    careful = tmp_path / "home"
    shutil.copytree(home, careful)
    (careful / "office.toml").write_text(
        "[questions]\nchange_deviations = 0\nchange_per_ten_thousand = 1\n", encoding="utf-8"
    )
    message = refused(careful, *command, "--because", f"large_change=she was born {BORN}")
    assert "--because large_change has a date of birth at characters 14 to 23" in message
    assert "The text was not stored, and nothing was published." in message
    # A later command would take a reason that was stored.
    assert "large_change" in ratinglist("publish", MONTH, home=careful).stderr


def test_texts_without_them_are_taken_and_other_blanks_are_blanks(home, tmp_path):
    own = tmp_path / "home"
    shutil.copytree(home, own)
    reason = "arbiter wrote on 2025-11-12, game of 03.10.2025,\u00a0ID 99900027"
    assert corrected(own, tmp_path, reason=reason).returncode == 0
    assert ratinglist("rerate", "--from", MONTH, home=own).returncode == 0
    diff = (own / "published" / MONTH / "r2" / "DIFF.md").read_text(encoding="utf-8")
    assert "arbiter wrote on 2025-11-12, game of 03.10.2025, ID 99900027" in diff
