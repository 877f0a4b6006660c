"""Three processes type commands at one home, in any order: one writes at a time, and nothing is ever half done."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import environment
from tests.conftest import MONTHS, SAMPLE

WHY = ("--because", "tried out", "--by", "tester")
QUESTIONS = ("early_list", "missing_month", "unusual_counts", "large_change")
ALLOWED = {
    0: "done",
    2: "the command fits no state of the home: the month is published, the revision is current already",
    3: "there is nothing to read: the month is not calculated",
    4: "a check, a question or an unpublished list stops it",
    5: "another process writes",
}
"""What a command may end with here, and why. 1 would be a defect."""


@dataclass(frozen=True)
class Ended:
    """A command that ended: what it was, its exit code, what it printed."""

    words: tuple[str, ...]
    code: int
    output: str


def commands(chance: random.Random, folder: Path) -> Sequence[tuple[str, ...]]:
    """One command of each kind, on months, revisions and players drawn by ``chance``."""
    month = chance.choice(MONTHS)
    reports = str(SAMPLE / "reports" / month)
    game = ("ORV25081", "1", "99900046", "99900095")
    return (
        ("load", reports),
        ("run", month, reports),
        ("rate", month),
        ("publish", month),
        ("publish", month, "--preview"),
        ("approve", month, "--by", chance.choice(("Anna", "Bert"))),
        ("correct", "result", *game, chance.choice(("1-0", "0-1", "1/2-1/2")), *WHY),
        ("correct", "player", "99900046", f"birth_year={chance.randint(1950, 1990)}", *WHY),
        ("rerate", "--from", month),
        ("rerate", "--from", month, "--preview"),
        ("rollback", month, "--because", "tried out"),
        ("rollback", month, "--to", f"r{chance.randint(1, 3)}", "--because", "tried out"),
        ("import-players", str(SAMPLE / f"players-{month}.csv")),
        ("import-list", str(SAMPLE / "list-2025-08.csv"), "--month", chance.choice(("2025-08", month))),
        ("verify", "published"),
        ("sql", "select count(*) from lists"),
        ("list", month),
        ("event", "ORV25081"),
        ("explain", "99900046", month),
        ("export", month, "--format", "csv-spreadsheet", "--out", str(folder / f"{chance.random()}.csv")),
    )


def typed(home: Path, words: tuple[str, ...]) -> Ended:
    """Type a command in a process of its own."""
    arguments = [str(home / word) if word == "published" else word for word in words]
    done = subprocess.run(
        [sys.executable, "-m", "ratinglist", *arguments],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Ended(words, done.returncode, done.stdout + done.stderr)


def interleaved(home: Path, folder: Path, seed: int, each: int) -> list[Ended]:
    """Let three processes type ``each`` commands at once, and return how all of them ended."""

    def office(number: int) -> list[Ended]:
        chance = random.Random(f"{seed} {number}")
        return [typed(home, chance.choice(commands(chance, folder))) for _ in range(each)]

    with ThreadPoolExecutor(3) as three:
        return [one for done in three.map(office, range(3)) for one in done]


def wrong(done: Sequence[Ended]) -> list[str]:
    """Return the commands that ended as none may: a defect, a false alarm of ``verify``, damage of what is whole."""
    alarms = ("Traceback", "defect of the program", "is damaged", "was altered", "is missing")
    return [
        f"{' '.join(one.words)}: {one.code}\n{one.output}"
        for one in done
        if one.code not in ALLOWED
        or any(alarm in one.output for alarm in alarms)
        or (one.words[0] == "verify" and one.code)
    ]


def check_home(home: Path) -> None:
    """Everything published is whole, nothing remains of what was not finished, and the home goes on."""
    for words in (("verify", "published"), ("rerate", "--from", "2025-09"), ("verify", "published")):
        last = typed(home, words)
        questions = [f"{name}=tried" for name in QUESTIONS if f"--because {name}=" in last.output]
        if last.code == 4 and questions:
            last = typed(home, (*words, *(part for one in questions for part in ("--because", one))))
        assert last.code == 0, last
    rest = [path for path in home.rglob("*") if path.name.startswith(".tmp") or path.name.endswith(".tmp")]
    assert rest == []


def run_interleaved(homes: Path, folder: Path, seed: int, each: int) -> None:
    home = folder / "home"
    shutil.copytree(homes / "2025-12", home)
    done = interleaved(home, folder, seed, each)
    assert wrong(done) == []
    check_home(home)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 14))
def test_two_hundred_commands_of_three_processes_end_well(homes: Path, tmp_path: Path, seed: int) -> None:
    run_interleaved(homes, tmp_path, seed, each=17)


def test_the_commands_are_those_of_the_program(tmp_path: Path) -> None:
    """A renamed command would end with 2 for ever and try nothing."""
    from ratinglist.cli.main import program

    named = {words[0] for words in commands(random.Random(0), tmp_path)}
    assert named <= set(program.commands)
