"""Every command that writes, killed or refused by the disk at its steps.

The same command given again, or another one first, ends with the home of an undisturbed run, and what the messages
said was true.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ratinglist.period import Period
from ratinglist.workflows import load, publish, rate
from tests.conftest import MONTHS, ROOT, SAMPLE, made_once, office, run_sample
from tests.workflow.test_verify import key_files

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    "POLARS_MAX_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
}
DAY = "2025-12-01"
FIRST, SECOND, THIRD = MONTHS[:3]
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
REPORTS = str(SAMPLE / "reports" / SECOND)
LOADED = 6
"""The entry of the log that records the reports of the second month, where they were loaded."""
SEVERAL_ENTRIES = ("run", "rerate")
"""The commands that make several changes, each with an entry of its own."""


@dataclass(frozen=True)
class Case:
    """A command, and the stage of the office that it is given in."""

    stage: str
    words: tuple[str, ...]


CASES = {
    "import-list": Case("nothing", ("import-list", str(SAMPLE / "list-2025-08.csv"), "--month", "2025-08")),
    "import-reference": Case(
        "first month", ("import-list", "--reference", str(SAMPLE / "list-2025-08.csv"), "--month", SECOND)
    ),
    "import-players": Case("first month", ("import-players", str(SAMPLE / f"players-{SECOND}.csv"))),
    "load": Case("first month", ("load", REPORTS)),
    "retract": Case("loaded", ("retract", str(LOADED), "--because", "of another office")),
    "dismiss": Case("loaded", ("dismiss", "vale-weekend.trf", "--because", "a test file")),
    "rate": Case("loaded", ("rate", SECOND)),
    "run": Case("first month", ("run", SECOND, REPORTS)),
    "preview": Case("rated", ("publish", SECOND, "--preview")),
    "publish": Case("rated", ("publish", SECOND)),
    "approve": Case("previewed", ("approve", SECOND, "--by", "Anna Berg")),
    "sign": Case("has a key", ("sign", FIRST)),
    "correct": Case("third month", ("correct", "corrections.toml")),
    "correct-typed": Case(
        *("third month", ("correct", "withdraw", "ORV25081", "--because", "the hall was closed", "--by", "arbiter"))
    ),
    "rerate": Case("corrected", ("rerate", "--from", FIRST)),
    "withdraw": Case("first month", ("rollback", FIRST, "--because", "K was wrong")),
    "rollback": Case("revised", ("rollback", FIRST, "--because", "K was wrong")),
}
LATE = ("previewed", "has a key", "third month", "corrected", "revised")
"""The stages that take longest to make; the ordinary run does without them."""
KILLED = 0
IN_THE_ORDINARY_RUN = {
    "publish": ((0.75, KILLED), (0.93, KILLED), (0.5, errno.ENOSPC)),
    "withdraw": ((0.6, KILLED), (0.8, KILLED)),
}
"""Where in its steps a command is disturbed, and how: killed, or refused by the disk with an error."""

CORRECTION = """\
[[correction]]
action = "withdraw_event"
match = { event_id = "ORV25081" }
reason = "the hall was closed"
who = "chief arbiter"
reported_on = 2025-11-30
"""


def _stages(folder: Path, *, homes: Path, late: bool = False) -> None:
    """Make a home for each stage; the first two are copies of ``homes``."""

    def after(name: str, before: str) -> Path:
        return Path(shutil.copytree(folder / before, folder / name))

    shutil.copytree(homes / "2025-08", folder / "start")
    shutil.copytree(homes / FIRST, folder / "first month")
    loaded = after("loaded", "first month")
    load.load(office(loaded), [SAMPLE / "reports" / SECOND])
    rated = after("rated", "loaded")
    rate.rate(office(rated), Period.parse(SECOND))
    if not late:
        return
    previewed = after("previewed", "rated")
    (previewed / "office.toml").write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    publish.preview(office(previewed), Period.parse(SECOND))
    (folder / "corrections.toml").write_text(CORRECTION, encoding="utf-8")
    third = after("third month", "first month")
    for month in (SECOND, THIRD):
        run_sample(office(third), month)
    corrected = after("corrected", "third month")
    _give(corrected, CASES["correct"].words)
    for signing in (corrected, after("has a key", "first month")):
        private, _ = key_files(signing)
        (signing / "office.toml").write_text(f'[publication]\nsigning_key = "{private.name}"\n', encoding="utf-8")
    revised = after("revised", "corrected")
    _give(revised, CASES["rerate"].words)


def _give(home: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "ratinglist", *words, "--home", str(home)]
    subprocess.run(
        command, check=True, env={**ENVIRONMENT, "RATINGLIST_TODAY": DAY}, cwd=home.parent, capture_output=True
    )


@pytest.fixture(scope="session")
def stages(homes: Path, for_all_workers: Path) -> Path:
    """The office at each stage but the late ones; look, do not touch."""
    return made_once(for_all_workers / "stages-of-an-office", partial(_stages, homes=homes))


@pytest.fixture(scope="session")
def late_stages(homes: Path, for_all_workers: Path) -> Path:
    """The office at each stage; look, do not touch."""
    return made_once(for_all_workers / "all-stages-of-an-office", partial(_stages, homes=homes, late=True))


class Office:
    """A process that gives the commands of one case, each in a fork of itself."""

    def __init__(self, stages: Path, folder: Path, case: Case) -> None:
        self.base, self.home, self.words = stages / case.stage, folder / "home", list(case.words)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.injected"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**ENVIRONMENT, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            cwd=stages,
            text=True,
        )
        self.steps = int(self.disturbed(0, 0)["steps"])
        self.undisturbed = self.then()
        shutil.rmtree(self.home)
        if self.base.exists():
            shutil.copytree(self.base, self.home)
        self.before = self.then()

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"home": str(self.home), "day": DAY, **request}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "defect" not in answer, answer["defect"]
        return answer

    def disturbed(self, at: int, error: int) -> dict[str, Any]:
        """Give the command in a new copy of its stage, killed (0) or refused (an error number) at a step."""
        return self._ask(base=str(self.base), words=self.words, at=at, error=error)

    def then(self, *commands: list[str]) -> dict[str, Any]:
        """Give commands in the home as it is, and return what it holds then."""
        return self._ask(commands=list(commands))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def given(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Office]:
    """The process of the case named by the test's parameter."""
    case = CASES[request.param]
    stages = request.getfixturevalue("late_stages" if case.stage in LATE else "stages")
    process = Office(stages, tmp_path, case)
    yield process
    process.close()


OTHERS = ([], [["quarantine"]], [["load", REPORTS]])
"""What is given before the same command is given again: nothing, a command that reads, or one that writes."""


def compared(state: dict[str, Any]) -> dict[str, Any]:
    return {name: state[name] for name in ("published", "files", "rows", "whole", "open", "store")}


def others(given: Office, at: int) -> list[list[str]]:
    """The commands before the same one, in turn; a command that would load other reports is left out."""
    has_reports = given.base.name not in ("start", "nothing", "first month", "has a key")
    may_load = (has_reports or given.words[0] in ("load", "run")) and given.words[0] != "retract"
    return OTHERS[at % (3 if may_load else 2)]


def is_before_or_after(given: Office, seen: dict[str, Any]) -> bool:
    """Whether a home has the log of before the command or of after it, or of a part where it makes several changes."""
    first, last = given.before["entries"], given.undisturbed["entries"]
    return seen["entries"] in (range(first, last + 1) if given.words[0] in SEVERAL_ENTRIES else (first, last))


def check_killed(given: Office, at: int) -> None:
    assert given.disturbed(at, KILLED).get("killed"), at
    seen = given.then()
    assert seen["whole"] == [], at
    assert is_before_or_after(given, seen), at
    if not seen["open"]:
        assert seen["published"] in (given.before["published"], given.undisturbed["published"]), at
    first = others(given, at)
    after = given.then(*first, given.words)
    assert all("Traceback" not in one["err"] and "defect" not in one["err"] for one in after["answers"]), (at, after)
    assert compared(after) == compared(given.undisturbed), (at, after["answers"])


def check_refused(given: Office, at: int, error: int) -> None:
    answer = given.disturbed(at, error)
    place = (at, error, answer)
    assert "Traceback" not in answer["err"], place
    assert "defect" not in answer["err"], place
    seen = given.then()
    assert is_before_or_after(given, seen), place
    if answer["exit"] == 0:
        assert seen["published"] == given.undisturbed["published"], place
        assert seen["entries"] == given.undisturbed["entries"], place
    elif "was decided" in answer["err"]:
        assert seen["entries"] > given.before["entries"], place
        after = given.then(["quarantine"])
        assert after["store"], place
        assert not after["open"], place
        if given.words[0] not in SEVERAL_ENTRIES:
            assert after["published"] == given.undisturbed["published"], place
            assert after["rows"] == given.undisturbed["rows"], place
    else:
        assert seen["published"] == given.before["published"], place
        assert not seen["open"], place
        if given.words[0] not in SEVERAL_ENTRIES:
            assert seen["entries"] == given.before["entries"], place
            assert seen["rows"] == given.before["rows"], place
    after = given.then(given.words)
    assert compared(after) == compared(given.undisturbed), (place, after["answers"])


@pytest.mark.parametrize(("given", "places"), IN_THE_ORDINARY_RUN.items(), indirect=["given"], ids=IN_THE_ORDINARY_RUN)
def test_a_command_disturbed_at_a_few_steps_is_ended_by_the_same_command(
    given: Office, places: tuple[tuple[float, int], ...]
) -> None:
    for part, error in places:
        at = max(1, int(part * given.steps))
        if error == KILLED:
            check_killed(given, at)
        else:
            check_refused(given, at, error)


@pytest.mark.long
@pytest.mark.parametrize("given", CASES, indirect=True)
def test_a_command_killed_at_any_step_is_ended_by_the_same_command(given: Office) -> None:
    for at in range(1, given.steps + 1):
        check_killed(given, at)


@pytest.mark.long
@pytest.mark.parametrize("given", CASES, indirect=True)
def test_a_command_refused_at_any_step_says_what_is_true(given: Office) -> None:
    for at in range(1, given.steps + 1):
        check_refused(given, at, ERRORS[at % len(ERRORS)])


AT_RANDOM = int(os.environ.get("RATINGLIST_AT_RANDOM", "300"))
"""How often each command is disturbed at a random step."""


@pytest.mark.long
@pytest.mark.parametrize("given", CASES, indirect=True)
def test_a_command_disturbed_at_random_is_ended_by_the_same_command(given: Office) -> None:
    random, failed = Random(" ".join(given.words[:1])), []
    for _ in range(AT_RANDOM):
        at, error = random.randint(1, given.steps), random.choice((KILLED, *ERRORS))
        try:
            check_killed(given, at) if error == KILLED else check_refused(given, at, error)
        except AssertionError as problem:
            failed.append(f"step {at} of {given.steps}, error {error}: {problem}")
    assert not failed, "\n".join(failed)
