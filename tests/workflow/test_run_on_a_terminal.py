"""A run on a terminal shows the list and asks before it is published; elsewhere there is no question."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import sys
from pathlib import Path

import pytest

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, publish, run
from ratinglist.workflows.run import RunPreview
from tests.command_line import environment
from tests.conftest import SAMPLE, office

NOVEMBER = Period.parse("2025-11")
REPORTS = SAMPLE / "reports" / "2025-11"


@pytest.fixture
def settings(homes: Path, tmp_path: Path) -> Settings:
    """An office that is about to run November."""
    shutil.copytree(homes / "2025-10", tmp_path / "home")
    import_files.import_players(office(tmp_path / "home"), SAMPLE / "players-2025-11.csv")
    return office(tmp_path / "home")


def on_terminal(answer: bytes, *words: str, home: Path) -> tuple[int, str]:
    """Give a command on a terminal of its own, with an answer to its question; return its exit code and its output."""
    process, terminal = pty.fork()
    if process == 0:
        env = {**environment(home), "TERM": "dumb"}
        os.execve(sys.executable, [sys.executable, "-m", "ratinglist", *words], env)
    output = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end was closed
            break
        output += part
        if part and b"[y/N]" in output and answer:
            os.write(terminal, answer)
            answer = b""
        if not part:
            break
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), output.decode().replace("\r", "")


def test_no_answer_is_a_no_and_what_it_leaves_is_said(settings: Settings) -> None:
    code, output = on_terminal(b"\n", "run", "2025-11", str(REPORTS), home=settings.home)
    assert code == 4
    assert "largest  standard: +63 Ibarård, Wendel (1653)" in output
    assert "publish? [y/N]" in output
    assert "Nothing was published: the answer was no." in output
    assert "To publish it as it is: ratinglist publish 2025-11\n" in output
    assert revisions.latest(settings.published, NOVEMBER) is None
    assert (settings.previews / "2025-11" / "REPORT.md").is_file()
    assert publish.publish(settings, NOVEMBER).revision == "r1"


def test_an_interrupt_at_the_question_ends_the_command(settings: Settings) -> None:
    code, output = on_terminal(b"\x03", "run", "2025-11", str(REPORTS), home=settings.home)
    assert (code, "publish? [y/N]" in output) == (-signal.SIGINT, True)
    assert revisions.latest(settings.published, NOVEMBER) is None


def test_a_yes_publishes_what_was_shown(settings: Settings) -> None:
    shown: list[RunPreview] = []

    def agrees(preview: RunPreview) -> bool:
        shown.append(preview)
        return True

    done = run.run(settings, NOVEMBER, [REPORTS], confirm=agrees)
    assert (done.published.is_new, done.published.digest) == (True, shown[0].preview.digest)


def test_the_store_is_free_while_the_person_thinks_and_another_list_is_not_published(settings: Settings) -> None:
    def changes(_: RunPreview) -> bool:
        players = settings.home.parent / "players.csv"
        players.write_text('fide_id,name,federation\n900000113,"Berg, Changed",ORV\n', encoding="utf-8")
        import_files.import_players(settings, players, because={"unlike_name": "the player has another name now"})
        return True

    with pytest.raises(CheckError, match="was changed by another command since it was shown"):
        run.run(settings, NOVEMBER, [REPORTS], confirm=changes)
    assert revisions.latest(settings.published, NOVEMBER) is None


@pytest.mark.long
def test_with_yes_a_terminal_gets_no_question(settings: Settings) -> None:
    code, output = on_terminal(b"", "run", "2025-11", str(REPORTS), "--yes", home=settings.home)
    assert (code, "[y/N]" in output, "published as r1" in output) == (0, False, True)
