"""`ratinglist letters`: one file per report of a month, the same bytes each time, nothing private."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows.letters import languages, letters
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office

OCTOBER = Period.parse("2025-10")


@pytest.fixture(scope="module")
def last(homes: Path) -> Settings:
    """The office after all months of the sample; look, do not touch."""
    return office(homes / MONTHS[-1])


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("language", languages())
def test_each_report_of_the_month_has_a_letter(last: Settings, tmp_path: Path, language: str) -> None:
    summary = letters(last, OCTOBER, tmp_path / "out", language)
    events = pl.read_parquet(last.published / "2025-10" / "r1" / "events.parquet")
    assert len(summary.values["files"]) == len(events)
    assert sum(summary.values["letters"].values()) == len(events)
    written = texts(tmp_path / "out")
    assert sorted(written) == summary.values["files"]
    assert all(f"({code})".encode() in b"".join(written.values()) for code in events["event_id"])
    letters(last, OCTOBER, tmp_path / "again", language)
    assert texts(tmp_path / "again") == written


def test_a_letter_names_the_arbiter_the_line_and_the_deadline(homes: Path, tmp_path: Path) -> None:
    letters(office(homes / "2025-10"), OCTOBER, tmp_path)
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
            letters(last, OCTOBER, out, language)
    assert [path.read_text() for path in tmp_path.rglob("*")] == ["mine"]
