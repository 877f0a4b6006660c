"""Slips with players, lists and FIDE IDs, each played through the command line: what it says, and what undoes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from tests.command_line import Shown, ratinglist
from tests.conftest import SAMPLE

KINGSPORT, RAMON, URSULA = "KEL250800001", 900000046, 900000119
LIST, PLAYERS = SAMPLE / "list-2025-08.csv", SAMPLE / "players-2025-09.csv"
BY = ("--because", "score sheets and passports", "--by", "Rossi")


@pytest.fixture(scope="module")
def august(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office that has imported its first list, and the players of the month after."""
    home = tmp_path_factory.mktemp("august") / "home"
    assert ratinglist("import-list", LIST, "--month", "2025-08", home=home).returncode == 0
    assert ratinglist("import-players", PLAYERS, home=home).returncode == 0
    return home


@pytest.fixture
def home(august: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(august, tmp_path / "home"))


def did(home: Path, *words: str | Path) -> str:
    """What a command that succeeds prints."""
    shown = ratinglist(*words, home=home)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def stopped(home: Path, code: int, *words: str | Path) -> str:
    """What a command that is stopped says; it prints no result."""
    shown: Shown = ratinglist(*words, home=home)
    assert (shown.returncode, shown.stdout) == (code, "")
    return shown.stderr


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(text, encoding=encoding)
    return path


def rated_in(home: Path, fide_id: int) -> list[str]:
    """The events of a player that the published list of September rates."""
    games = pl.read_parquet(home / "published/2025-09/r1/games.parquet")
    return sorted(games.filter(pl.col("fide_id") == fide_id)["event_id"].unique())


@pytest.fixture
def exchanged(tmp_path: Path) -> Path:
    """The reports of September, two FIDE IDs exchanged in one of them."""
    inbox = Path(shutil.copytree(SAMPLE / "reports" / "2025-09", tmp_path / "inbox"))
    report = inbox / f"{KINGSPORT}.trf"
    data = report.read_bytes().replace(b"%d" % RAMON, b"X" * 9)
    report.write_bytes(data.replace(b"%d" % URSULA, b"%d" % RAMON).replace(b"X" * 9, b"%d" % URSULA))
    return inbox


def test_two_fide_ids_that_are_exchanged_in_a_report_are_a_question(home: Path, exchanged: Path) -> None:
    said = stopped(home, 4, "run", "2025-09", exchanged)
    assert 'ratinglist publish 2025-09 --because unlike_name="..."' in said
    assert "line 15, fide_id 900000119, name Nørrström, Ramón, birth_year 2009, registered Ibarunda, Ursula" in said
    assert (
        f"the FIDE ID {URSULA} is registered for Ibarunda, Ursula, born 1968; the report names Nørrström, Ramón, born "
        f"2009, who is {RAMON}: {exchanged.as_posix()}/{KINGSPORT}.trf (line 15)"
    ) in said
    assert "no answer to unlike_name" in did(home, "status")
    assert not (home / "published").exists()

    once = ("correct", "report", KINGSPORT, "--id", f"{URSULA}={RAMON}", *BY)
    assert f"--id {URSULA}={RAMON} --id {RAMON}={URSULA}. Nothing was corrected." in stopped(home, 3, *once)
    assert "2 corrections applied" in did(home, *once[:5], "--id", f"{RAMON}={URSULA}", *BY)
    assert "published as r1" in did(home, "run", "2025-09")
    # Each has the games of the line with the own name again.
    games = pl.read_parquet(home / "published/2025-09/r1/games.parquet").filter(pl.col("event_id") == KINGSPORT)
    first = games.filter(pl.col("round") == 1)
    assert first.filter(pl.col("fide_id") == RAMON)["opponent_id"].item() != RAMON
    assert dict(first.select("fide_id", "score_halves").iter_rows())[RAMON] == 2


def test_a_player_who_has_another_name_in_a_report_is_rated_once_it_is_said_why(home: Path, exchanged: Path) -> None:
    did(home, "load", exchanged, "--received", "2025-08-28")
    status = did(home, "status")
    assert "Other names than the register: 2" in status
    assert f"{KINGSPORT}.trf, line 20: the FIDE ID {RAMON} is registered for Nørrström, Ramón" in status
    said = did(home, "run", "2025-09", "--because", "unlike_name=both changed their names, documents seen")
    assert "published as r1" in said
    assert KINGSPORT in rated_in(home, URSULA)
    manifest = (home / "published/2025-09/r1/manifest.json").read_text(encoding="utf-8")
    assert "both changed their names" in manifest
    assert "Ibarunda" not in manifest
    assert "2009" not in manifest


def test_a_wrong_fide_id_is_written_as_an_equation(home: Path) -> None:
    assert "--id '12': write WRONG=RIGHT" in stopped(home, 2, "correct", "report", KINGSPORT, "--id", "12", *BY)
    same = f"{RAMON}={RAMON}"
    assert "is the same number on both sides" in stopped(home, 3, "correct", "report", KINGSPORT, "--id", same, *BY)
