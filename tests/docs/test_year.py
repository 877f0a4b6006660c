"""The page on a year: its commands, typed twice in two folders, publish the same bytes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from tests.command_line import Shown, entered
from tests.conftest import published_bytes
from tests.docs.session import ROOT, fences, words

PAGE = ROOT / "docs" / "how-to" / "run-an-office-for-a-year.md"
FIRST, LAST = Period.parse("2025-01"), Period.parse("2025-12")
BEGIN, MONTHLY, CORRECTION, WRONG_CORRECTION, LOST_DISK, END = (
    [line for line in content.splitlines() if line.startswith("ratinglist ")] for _, content in fences(PAGE, "sh")
)
EXTRA: Mapping[str, Sequence[str]] = {"2025-04": CORRECTION, "2025-05": WRONG_CORRECTION, "2025-09": LOST_DISK}
_QUESTION = re.compile(r"--because (\w+)=\"\.\.\.\"")


def typed(command: str) -> Shown:
    """Type a command; where the list raises questions, give the reasons that it asks for."""
    shown = entered(*words(command))
    if shown.returncode == 4 and (questions := set(_QUESTION.findall(shown.stderr))):
        because = [f"--because={question}=a small federation" for question in sorted(questions)]
        again = ["rerate", *words(command)[2:]] if "rerate" in command else ["publish", words(command)[2]]
        shown = entered("ratinglist", *again, *because)
    assert shown.returncode == 0, f"{command}\n{shown.stderr}"
    return shown


def wrong_result(home: Path) -> str:
    """A game of the list of March that White won, as `correct result` takes it, with the other result."""
    games = pl.read_parquet(home / "published" / "2025-03" / "r1" / "games.parquet")
    won = games.filter(pl.col("rated"), pl.col("colour") == "w", pl.col("score_halves") == 2)
    game = won.sort("event_id", "round", "fide_id").row(0, named=True)
    return f"{game['event_id']} {game['round']} {game['fide_id']} {game['opponent_id']} 0-1"


def year(folder: Path, here: pytest.MonkeyPatch) -> Path:
    """Run the year of the page in an empty folder, and return the home."""
    folder.mkdir()
    here.chdir(folder)
    home = folder / "ratinglist-home"
    here.setenv("RATINGLIST_TODAY", f"{FIRST}-01")
    for command in BEGIN:
        typed(command)
    period = FIRST
    while period <= LAST:
        here.setenv("RATINGLIST_TODAY", f"{period}-01")
        for command in EXTRA.get(str(period), ()):
            if "restore" in command:
                shutil.rmtree(home)
            typed(command.replace("CORRECTED", wrong_result(home) if "CORRECTED" in command else ""))
        for command in MONTHLY:
            of_month = command.replace("2025-01", str(period))
            if "import-players" not in command or Path(words(of_month)[2]).exists():
                typed(of_month)
        period = period + 1
    for command in END:
        typed(command)
    return home


@pytest.mark.long
def test_a_year_typed_twice_publishes_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RATINGLIST_HOME", "RATINGLIST_RULES"):
        monkeypatch.delenv(name, raising=False)
    published, other = (published_bytes(year(tmp_path / name, monkeypatch)) for name in ("one", "other"))
    assert published == other
    latest = {month: published[f"{month}/latest"].strip() for month in ("2025-02", "2025-03", "2025-04", "2025-12")}
    assert latest == {"2025-02": b"r1", "2025-03": b"r1", "2025-04": b"r2", "2025-12": b"r1"}
    assert published["2025-03/r2/standard.csv"] != published["2025-03/r1/standard.csv"]
