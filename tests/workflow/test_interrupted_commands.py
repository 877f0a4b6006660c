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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest

from ratinglist.cli.main import program
from ratinglist.errors import AlteredError, StoreInUseError
from ratinglist.period import Period
from ratinglist.publication.manifest import INDEX
from ratinglist.settings import LOG
from ratinglist.workflows import backup, import_files, load, publish, replay, run
from tests import injected
from tests.command_line import ratinglist
from tests.conftest import MONTHS, ROOT, SAMPLE, made_once, office, run_sample
from tests.injected import copied
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
LOADED = 7
"""The entry of the log that records the reports of the second month, where they were loaded."""
SEVERAL_ENTRIES = ("run", "rerate")
"""The commands that make several changes, each with an entry of its own."""
READ_ON = (*SEVERAL_ENTRIES, "rate")
"""The commands that read on after a change of theirs: where the disk refuses that, what they finished is kept."""
PUTS_BACK = ("restore", "doctor")
"""The commands that replace what is in a home, and keep it aside."""
NEED_A_BACKUP = ("backup", "restore")
"""The commands that are given where there is a backup already."""
OLD, NEW = "99900018", "900000001"
"""Two players who met nobody in the same event."""


@dataclass(frozen=True)
class Case:
    """A command, and the stage of the office that it is given in; ``{place}`` is the folder of the home.

    ``every``: at which of its steps it is disturbed; a replay writes hundreds of files that it deletes again.
    """

    stage: str
    words: tuple[str, ...]
    every: int = 1


WHY = ("--because", "the hall was closed", "--by", "arbiter")
LAB = ("--from", THIRD)
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
    "run": Case("registered", ("run", SECOND, REPORTS)),
    "preview": Case("rated", ("publish", SECOND, "--preview")),
    "publish": Case("rated", ("publish", SECOND)),
    "approve": Case("previewed", ("approve", SECOND, "--by", "Anna Berg")),
    "publish-approved": Case("approved", ("publish", SECOND)),
    "sign": Case("has a key", ("sign", FIRST)),
    "correct": Case("third month", ("correct", "corrections.toml")),
    "correct-withdraw": Case("third month", ("correct", "withdraw", "ORV25081", *WHY)),
    "correct-result": Case(
        "third month", ("correct", "result", "ORV25081", "1", "99900046", "99900095", "1/2-1/2", *WHY)
    ),
    "correct-report": Case("third month", ("correct", "report", "ORV25081", "--field", "event_type=roundrobin", *WHY)),
    "correct-player": Case("third month", ("correct", "player", "99900046", "birth_year=1962", *WHY)),
    "correct-merge": Case("third month", ("correct", "merge", OLD, NEW, *WHY)),
    "correct-undo": Case("corrected", ("correct", "undo", "1", *WHY)),
    "rerate": Case("corrected", ("rerate", "--from", FIRST)),
    "rerate-preview": Case("corrected", ("rerate", "--from", FIRST, "--preview")),
    "withdraw": Case("first month", ("rollback", FIRST, "--because", "K was wrong")),
    "rollback": Case("revised", ("rollback", FIRST, "--because", "K was wrong")),
    "rollback-to": Case("revised", ("rollback", FIRST, "--to", "r1", "--because", "K was wrong")),
    "backup": Case("rated", ("backup", "{place}/backup")),
    "restore": Case("nothing", ("restore", "{place}/backup")),
    "rebuild": Case("damaged", ("doctor", "--rebuild")),
    "tidy": Case("untidy", ("doctor", "--tidy")),
    "lab-replay": Case("third month", ("lab", "replay", "--systems", "fide,glicko", *LAB), every=7),
    "lab-report": Case("replayed", ("lab", "report", "--out", "{place}/study", *LAB)),
    "lab-what-if": Case(
        "third month", ("lab", "what-if", "--change", "entry.min_games=4", "--out", "{place}/study", *LAB), every=7
    ),
    "export": Case("first month", ("export", FIRST, "--format", "csv", "--out", "{place}/list.csv")),
    "letters": Case("first month", ("letters", FIRST, "--out", "{place}/letters")),
    "site": Case("first month", ("site", "--out", "{place}/site")),
    "statistics": Case("first month", ("statistics", FIRST, "--out", "{place}/statistics")),
    "reconcile": Case(
        "first month", ("reconcile", FIRST, str(SAMPLE / "list-2025-08.csv"), "--out", "{place}/differences.csv")
    ),
}
"""Every command that writes, in the ways in which it writes."""
LATE = (
    *("previewed", "approved", "has a key", "third month", "corrected", "revised"),
    *("damaged", "untidy", "replayed"),
)
"""The stages that take longest to make; the ordinary run does without them."""
KILLED, PAUSE = injected.KILL, injected.PAUSE
DOCTOR = ["doctor"]
WITHOUT_REPORTS = ("start", "nothing", "first month", "registered", "has a key", "damaged", "replayed")
"""The stages at which the reports of the second month were not loaded."""
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
    import_files.import_players(office(after("registered", "first month")), SAMPLE / f"players-{SECOND}.csv")
    loaded = after("loaded", "registered")
    load.load(office(loaded), [SAMPLE / "reports" / SECOND])
    rated = after("rated", "loaded")
    run.rate(office(rated), Period.parse(SECOND))
    if not late:
        return
    backup.backup(office(folder / "first month"), folder / "backup")
    _damaged(after("damaged", "first month"))
    _untidy(after("untidy", "rated"))
    previewed = after("previewed", "rated")
    (previewed / "office.toml").write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    publish.preview(office(previewed), Period.parse(SECOND))
    approved = after("approved", "previewed")
    for name in ("Anna Berg", "Carl Dahl"):
        publish.approve(office(approved), Period.parse(SECOND), name)
    (folder / "corrections.toml").write_text(CORRECTION, encoding="utf-8")
    third = after("third month", "first month")
    for month in (SECOND, THIRD):
        run_sample(office(third), month)
    _give(after("replayed", "third month"), CASES["lab-replay"].words)
    corrected = after("corrected", "third month")
    _give(corrected, CASES["correct"].words)
    for signing in (corrected, after("has a key", "first month")):
        private, _ = key_files(signing)
        (signing / "office.toml").write_text(f'[publication]\nsigning_key = "{private.name}"\n', encoding="utf-8")
    revised = after("revised", "corrected")
    _give(revised, CASES["rerate"].words)


def _damaged(home: Path) -> None:
    """Remove a file of a calculation, and one of what is published."""
    for name in ("calculations", "published"):
        next((home / name).rglob("standard.parquet")).unlink()


def _untidy(home: Path) -> None:
    """Leave what a home does not need: a preview that is too old, what a rebuild replaced, a folder of a killed one."""
    publish.preview(office(home), Period.parse(SECOND))
    next(home.glob("published/*/r1/standard.csv")).unlink()
    replay.rebuild(office(home))
    run.rate(office(home), Period.parse(SECOND))
    (home / ".tmp-rebuild").mkdir()


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
        self.stages, self.base, self.home = stages, stages / case.stage, folder / "home"
        self.words = [word.format(place=folder) for word in case.words]
        self.every = case.every
        self._bases = {"home": str(self.base)}
        if self.words[0] in NEED_A_BACKUP:
            self._bases["backup"] = str(stages / "backup")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.injected"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
            cwd=stages,
            text=True,
        )
        self.copy()
        self.before = self.then()
        self.answer = self.disturbed(0, KILLED)
        self.steps = int(self.answer["steps"])
        self.undisturbed = self.then(DOCTOR)

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"home": str(self.home), "day": DAY, **request}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "defect" not in answer, answer["defect"]
        return answer

    def copy(self) -> None:
        """Put a new copy of the stage in the place of what is there."""
        copied(self._bases, self.home)

    def disturbed(self, at: int, error: int, between: list[list[str]] | None = None) -> dict[str, Any]:
        """Give the command in a new copy of its stage, killed (0) or refused (an error number) at a step.

        ``between``: commands that are given while it waits at that step, with PAUSE.
        """
        return self._ask(bases=self._bases, words=self.words, at=at, error=error, between=between or [])

    def then(self, *commands: list[str], with_state: bool = True) -> dict[str, Any]:
        """Give commands in the home as it is, and return their answers and what it holds then."""
        return self._ask(commands=list(commands), with_state=with_state)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def process(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Office]:
    """The process of the case named by the test's parameter."""
    case = CASES[request.param]
    is_late = case.stage in LATE or case.words[0] in NEED_A_BACKUP
    stages = request.getfixturevalue("late_stages" if is_late else "stages")
    started = Office(stages, tmp_path, case)
    yield started
    started.close()


OTHERS = ([], [["quarantine"]], [["load", REPORTS]])
"""What is given before the same command is given again: nothing, a command that reads, or one that writes."""


def compared(process: Office, state: dict[str, Any]) -> dict[str, Any]:
    """Return what of a state has to be that of a run that was not disturbed."""
    parts = {name: state[name] for name in ("published", "files", "rows", "whole", "open", "store", "outside")}
    if process.words[0] in SEVERAL_ENTRIES:
        # What was calculated before the disturbance is calculated again, and the index states the newest entry.
        parts["published"] = {name: digest for name, digest in state["published"].items() if not name.endswith(INDEX)}
        placed = {name: digest for name, digest in state["rows"]["placed"].items() if name != INDEX}
        parts["rows"] = {**state["rows"], "index": None, "placed": placed}
    if process.words != ["doctor", "--tidy"]:
        # What a rebuild or a restore replaced is kept.
        parts["files"] = [name for name in parts["files"] if not name.startswith("replaced/")]
    return parts


def differences(value: Any, due: Any, where: str = "") -> list[str]:
    """Return a line for each value that is not the one that is due."""
    if isinstance(value, dict) and isinstance(due, dict):
        return [
            line
            for key in sorted({*value, *due}, key=str)
            for line in differences(value.get(key), due.get(key), f"{where} {key}")
        ]
    if isinstance(value, list) and isinstance(due, list) and value != due:
        more, less = [part for part in value if part not in due], [part for part in due if part not in value]
        return [f"{where}: more {more}, missing {less}"]
    return [] if value == due else [f"{where}: {value}, and {due} is due"]


def others(process: Office, at: int) -> list[list[str]]:
    """The commands before the same one, in turn; a command that would load other reports is left out."""
    has_reports = process.base.name not in WITHOUT_REPORTS and process.words[0] != "restore"
    may_load = (has_reports or process.words[0] in ("load", "run")) and process.words[0] != "retract"
    return OTHERS[at % (3 if may_load else 2)]


def is_before_or_after(process: Office, seen: dict[str, Any]) -> bool:
    """Whether a home has the log of before the command or of after it, or of a part where it makes several changes."""
    first, last = process.before["entries"], process.undisturbed["entries"]
    return seen["entries"] in (range(first, last + 1) if process.words[0] in SEVERAL_ENTRIES else (first, last))


def is_half_restored(process: Office) -> bool:
    """Whether a restore has not been finished: every other command says so and is refused."""
    return (process.home / ".tmp-restore").exists()


def check_ends_well(process: Office, place: object, *first: list[str]) -> None:
    """Give the same command, after others; then the home is that of a run that was not disturbed, and whole."""
    after = process.then(*first, process.words, DOCTOR)
    assert all("Traceback" not in answer["err"] and "defect" not in answer["err"] for answer in after["answers"]), (
        place,
        after,
    )
    wrong = differences(compared(process, after), compared(process, process.undisturbed))
    assert not wrong, (wrong, place, after["answers"])
    assert after["answers"][-1]["exit"] == 0, (place, after["answers"])


def check_backup_can_be_restored(process: Office) -> None:
    """The backup from before is whole, or the new one is."""
    if process.words[0] == "backup":
        elsewhere = process.home.with_name("elsewhere")
        (answer,) = process.then(["restore", process.words[1], "--home", str(elsewhere)], with_state=False)["answers"]
        assert answer["exit"] == 0, answer
        shutil.rmtree(elsewhere)


def check_killed(process: Office, at: int) -> None:
    assert process.disturbed(at, KILLED).get("killed"), at
    if not is_half_restored(process):
        seen = process.then()
        assert set(seen["whole"]) <= set(process.before["whole"]), at
        assert is_before_or_after(process, seen), at
        if not seen["open"]:
            assert seen["published"] in (process.before["published"], process.undisturbed["published"]), at
    check_backup_can_be_restored(process)
    check_ends_well(process, at, *others(process, at))


def check_refused(process: Office, at: int, error: int) -> None:
    answer = process.disturbed(at, error)
    place = (at, error, answer)
    assert "Traceback" not in answer["err"], place
    assert "defect" not in answer["err"], place
    if is_half_restored(process):
        check_ends_well(process, place)
        return
    seen = process.then()
    assert is_before_or_after(process, seen), place
    if answer["exit"] == 0:
        assert seen["published"] == process.undisturbed["published"], place
        assert seen["entries"] == process.undisturbed["entries"], place
    elif "was decided" in answer["err"]:
        assert seen["entries"] > process.before["entries"], place
        after = process.then(["quarantine"])
        assert after["store"], place
        assert not after["open"], place
        if process.words[0] not in SEVERAL_ENTRIES:
            assert after["published"] == process.undisturbed["published"], place
            assert after["rows"] == process.undisturbed["rows"], place
    elif process.words[0] in PUTS_BACK:
        assert seen["published"] in (process.before["published"], process.undisturbed["published"]), place
    else:
        assert seen["published"] == process.before["published"], place
        assert not seen["open"], place
        if process.words[0] not in READ_ON:
            assert seen["entries"] == process.before["entries"], place
            assert seen["rows"] == process.before["rows"], place
    check_backup_can_be_restored(process)
    check_ends_well(process, place)


@pytest.mark.parametrize("process", ["publish"], indirect=True)
def test_a_publication_killed_or_refused_at_a_step_is_ended_by_the_same_command(process: Office) -> None:
    check_killed(process, int(0.93 * process.steps))
    check_refused(process, process.steps // 2, errno.ENOSPC)


@pytest.mark.long
@pytest.mark.parametrize("process", CASES, indirect=True)
def test_a_command_killed_at_any_step_is_ended_by_the_same_command(process: Office) -> None:
    for at in range(1, process.steps + 1, process.every):
        check_killed(process, at)


@pytest.mark.long
@pytest.mark.parametrize("process", CASES, indirect=True)
def test_a_command_refused_at_any_step_says_what_is_true(process: Office) -> None:
    for at in range(1, process.steps + 1, process.every):
        check_refused(process, at, ERRORS[at % len(ERRORS)])


ONLY_READ = [
    *(["quarantine"], ["rules"], ["status"], ["log"], ["expected", "1700", "1500"], ["verify", "{home}/published"]),
    *(["explain", "99900046", FIRST], ["list", FIRST], ["event", "ORV25081"], ["sql", "select 1"], ["find", "lind"]),
    *(["rounds", "8"], ["systems"], ["update", "1600", "--against", "1500", "--results", "1"]),
    *(["standings", "ORV25081"], ["performance", "99900046"], ["identities"]),
    *(["reproduce", "{home}/published/2025-09/r1", "--inputs", str(SAMPLE)],),
]
"""A way to give each command that changes no file of a home and writes none elsewhere."""


def commands_of(group: click.Group, *before: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, those of groups too."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands_of(command, *before, name)
        else:
            yield (*before, name)


def test_every_command_is_disturbed_or_changes_no_file(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [case.words for case in CASES.values()]
    # A file of corrections is the argument in the place of the hidden command's name.
    left = {words for words in commands_of(program) if words != ("correct", "file")}
    left -= {words[:length] for words in commands for length in (1, 2)}
    # They make a home by the steps of other commands, or give these commands.
    left -= {("init",), ("demo",), ("desk",)}
    # They write folders of their own and read no home.
    left -= {("dev", "new-system"), ("simulate",)}
    assert left == {(words[0],) for words in ONLY_READ}
    monkeypatch.chdir(tmp_path)
    home = Path(shutil.copytree(homes / FIRST, tmp_path / "home"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for words in ONLY_READ:
        shown = ratinglist(*(word.format(home=home) for word in words), home=home)
        assert shown.returncode == 0, (words, shown)
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before, words


# ------------------------------------------------------------------------- at random


def rebuild_after(process: Office, random: Random) -> None:
    """The command is killed at a step, or refused, and the home is rebuilt before anything else."""
    at, error = random.randint(1, process.steps), random.choice((KILLED, *ERRORS))
    answer = process.disturbed(at, error)
    place = (at, error, answer)
    half_restored = is_half_restored(process)
    rebuilt = process.then(["doctor", "--rebuild"], DOCTOR, with_state=not half_restored)
    if not half_restored and rebuilt["entries"]:
        assert [reply["exit"] for reply in rebuilt["answers"]] == [0, 0], (place, rebuilt["answers"])
        assert is_before_or_after(process, rebuilt), place
        assert (rebuilt["whole"], rebuilt["open"]) == ([], False), place
        check_published(process, rebuilt, place)
    check_ends_well(process, place)


def check_published(process: Office, seen: dict[str, Any], place: object, but: str = "") -> None:
    """Every published file is one from before the command, or one of the command; ``but``: one that was damaged."""
    right = (process.before["published"], process.undisturbed["published"])
    wrong = [
        name
        for name, digest in seen["published"].items()
        if name != but and all(digests.get(name) != digest for digests in right)
    ]
    assert not wrong, (place, wrong)


IN_USE = StoreInUseError.exit_code
ALLOWED = {
    0: "done",
    2: "the command fits no state of the home: the month is published, the revision is current already",
    3: "there is nothing to read: the month is not calculated",
    4: "a check, a question or an unpublished list stops it",
    IN_USE: "another process writes",
}
"""What a command may end with here, and why. 1 would be a defect."""
READERS = [
    *([name] for name in ("status", "quarantine", "log")),
    *(["list", FIRST], ["event", "ORV25081"], ["explain", "99900046", FIRST], ["sql", "select count(*) from lists"]),
    *(["verify", "{home}/published"], ["export", FIRST, "--format", "csv", "--out", "{home}-{number}.csv"]),
]


def interleave(process: Office, random: Random) -> None:
    """Other commands are given while the command waits at a step: one that writes is refused, none that reads is."""
    at, readers = random.randint(1, process.steps), random.sample(READERS, 2)
    readers = [[word.format(home=process.home, number=at) for word in words] for words in readers]
    writer = random.choice((process.words, DOCTOR, ["rerate", "--from", FIRST, "--preview"]))
    process.copy()
    before = [reply["exit"] for reply in process.then(*readers, with_state=False)["answers"]]
    answer = process.disturbed(at, PAUSE, [*readers, writer])
    place = (at, readers, writer, answer)
    assert all(word not in answer["err"] for word in ("Traceback", "defect", "is damaged", "was altered")), place
    *read, written = answer["between"]
    half_restored = is_half_restored(process)
    for code, reply in zip(before, read, strict=True):
        assert "Traceback" not in reply["err"], place
        assert "defect" not in reply["err"], place
        # While a home is made or restored, what cannot be read yet is said; a list may have been withdrawn.
        assert code or reply["exit"] == 0 or process.words[0] in ("restore", "rollback"), place
    assert written["exit"] in ALLOWED, place
    if written["exit"] == IN_USE:
        assert "Wait until it has finished, then run the command again." in written["err"], place
        assert answer["exit"] == process.answer["exit"], place
    assert not half_restored, place
    for path in process.home.parent.glob("home-*.csv"):
        path.unlink()
    check_ends_well(process, place)


def harm(process: Office, random: Random) -> None:
    """A file is damaged before the command; what is lost is named, and the rest is put back by a rebuild."""
    process.copy()
    files = [path for path in process.home.parent.rglob("*") if path.is_file()]
    if not files:
        return
    path = random.choice(sorted(files))
    kind = random.choice(sorted(DAMAGES))
    whole, mode = path.read_bytes(), path.stat().st_mode
    name = path.relative_to(process.home.parent).as_posix()
    if not DAMAGES[kind](path, random, process.stages):
        return
    place: object = (name, kind)
    answer = process.then(process.words, with_state=False)
    assert not answer.get("killed"), place
    place = (*place, answer)
    check_no_defect(answer, place)
    if name.startswith("backup/") and answer["answers"][0]["exit"]:
        # A backup that is damaged is refused, and what is damaged is named.
        assert path.name in answer["answers"][0]["err"], place
        put_back(path, whole, mode)
        check_ends_well(process, place)
        return
    shown = process.then(DOCTOR, ["status"], ["verify", f"{process.home}/published"], with_state=False)
    assert not shown.get("killed"), place
    check_no_defect(shown, place)
    place = (*place, shown)
    rebuilt = process.then(["doctor", "--rebuild"], with_state=False)
    assert not rebuilt.get("killed"), place
    check_no_defect(rebuilt, place)
    place = (*place, rebuilt)
    is_lost = rebuilt["answers"][0]["exit"] != 0
    if is_lost:
        assert path.name in rebuilt["answers"][0]["err"], place
        assert shown["answers"][0]["exit"] != 0, place
    # Without the newest entry a rebuild goes on, and only the store shows that the log was longer.
    is_cut = (
        kind == "gone" and path.parent.name == LOG and path.name > max(entry.name for entry in path.parent.iterdir())
    )
    if is_cut:
        assert path.name in shown["answers"][0]["out"] + shown["answers"][0]["err"], place
    if is_lost or is_cut or not name.startswith("home/") or name.startswith("home/previews/") or name.count("/") == 1:
        # What nothing else holds, what another command makes again, and what the office writes itself.
        put_back(path, whole, mode)
        (again,) = process.then(["doctor", "--rebuild"], with_state=False)["answers"]
        assert again["exit"] == 0 or process.base.name == "nothing", (place, again)
    seen = process.then(DOCTOR)
    assert seen["answers"][0]["exit"] == 0, (place, seen["answers"])
    assert seen["whole"] == [], place
    check_published(process, seen, place)
    check_ends_well(process, place)


def check_no_defect(shown: dict[str, Any], place: object) -> None:
    for answer in shown["answers"]:
        assert answer["exit"] in (*ALLOWED, AlteredError.exit_code), (place, answer)
        assert all(word not in answer["err"] + answer["out"] for word in ("Traceback", "defect of the program")), (
            place,
            answer,
        )


def put_back(path: Path, data: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def replaced_by(data: bytes) -> Callable[[Path], bool]:
    def replace(path: Path) -> bool:
        mode = path.stat().st_mode
        if path.read_bytes() == data:
            return False
        put_back(path, data, mode)
        return True

    return replace


def by_a_bit(path: Path, random: Random, _: Path) -> bool:
    data = bytearray(path.read_bytes())
    if not data or path.name == "office.toml":
        return False
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return replaced_by(bytes(data))(path)


def by_a_cut(path: Path, random: Random, _: Path) -> bool:
    data = path.read_bytes()
    return replaced_by(data[: random.randrange(len(data) or 1)])(path)


def by_removal(path: Path, _: Random, __: Path) -> bool:
    path.unlink()
    return True


def by_a_pipe(path: Path, _: Random, __: Path) -> bool:
    path.unlink()
    os.mkfifo(path)
    return True


DAMAGES: dict[str, Callable[[Path, Random, Path], bool]] = {
    "bit": by_a_bit,
    "cut": by_a_cut,
    "gone": by_removal,
    "pipe": by_a_pipe,
}
"""What happens to a file; each returns whether the file is another one now."""
TRIALS = {"rebuild": rebuild_after, "interleave": interleave, "harm": harm}
AT_RANDOM = int(os.environ.get("RATINGLIST_AT_RANDOM", "300"))
"""How often each command is disturbed in each way."""


@pytest.mark.long
@pytest.mark.parametrize("trial", TRIALS)
@pytest.mark.parametrize("process", CASES, indirect=True)
def test_a_command_disturbed_at_random_is_ended_by_the_same_command(process: Office, trial: str) -> None:
    random, failed = Random(f"{trial} {process.words}"), []
    for number in range(AT_RANDOM):
        try:
            TRIALS[trial](process, random)
        except AssertionError as problem:
            failed.append(f"{number}: {problem}")
    assert not failed, "\n".join(failed)
