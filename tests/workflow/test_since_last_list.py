"""What was typed since the last list is read before a list goes out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ratinglist.period import Period
from ratinglist.publication import approvals
from ratinglist.workflows import undo
from ratinglist.workflows.opening import open_to_read
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office

BY = ("--because", "certificate", "--by", "Rossi")
TYPED_WRONG = ("--because", "past_federation=certificate", "--by", "Rossi")


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    """An office that has published November."""
    return Path(shutil.copytree(homes / "2025-11", tmp_path / "home"))


def done(home: Path, *words: str | Path) -> str:
    shown = ratinglist(*words, home=home)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def test_a_preview_its_report_and_the_publication_show_what_was_typed(
    home: Path, moves_nothing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATINGLIST_BY", "Verdi")
    done(home, "correct", "player", "99900046", "title=GM", "sex=F", *BY)
    done(home, "correct", "player", "99900095", "federation=ORV", *TYPED_WRONG)
    done(home, "correct", "undo", "2", *BY)
    done(home, "dismiss", "ORV25093", "--because", "it came twice")
    done(home, "import-players", SAMPLE / "players-2025-12.csv")
    entry = int(done(home, "log").splitlines()[-1].split()[0])
    done(home, "retract", str(entry))
    done(home, "import-players", SAMPLE / "players-2025-12.csv")
    lines = [
        "99900046 Thorbjörnsson, Egill: sex corrected from M to F; title corrected from none to GM (entry ",
        "99900095 von Treskau, Albrecht: federation corrected from KEL to ORV (entry ",
        "correction 2 (change data 99900095) is undone (entry ",
        f"A refused report was set aside: it came twice (entry {entry - 1})",
        f"Entry {entry} was undone (entry {entry + 1})",
    ]
    done(home, "load", SAMPLE / "reports" / "2025-12")
    done(home, "rate", "2025-12")
    preview = done(home, "publish", "2025-12", "--preview")
    report = (home / "previews" / "2025-12" / "REPORT.md").read_text(encoding="utf-8").replace("\\", "")
    published = done(home, "publish", "2025-12")
    assert "Typed since the list before was published: 5" in preview
    for line in lines:
        for text in (preview, report.partition("## Typed since the last list")[2].partition("\n## ")[0], published):
            assert f"2025-12-01, Verdi: {line}" in text
    # Published again, it is not new; and the next list begins again from nothing.
    assert "Typed" not in done(home, "publish", "2025-12")


def test_a_rollback_is_shown_with_the_revision_before(corrected_home: Path, tmp_path: Path) -> None:
    settings = office(Path(shutil.copytree(corrected_home, tmp_path / "home")))
    undo.rollback(settings, Period.parse(MONTHS[0]), "a wrong sheet")
    with open_to_read(settings) as store:
        number = len(store.log.entries)
        assert approvals.typed(store) == [
            f"2025-12-01: The list of {MONTHS[0]} is r1 again, in place of r2: a wrong sheet (entry {number})"
        ]
