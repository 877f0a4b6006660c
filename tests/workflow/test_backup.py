"""A backup is whole, verified and incremental; a restore loses nothing silently; both survive a kill at any step."""

from __future__ import annotations

import contextlib
import errno
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ratinglist.canonical_json import digest_of
from ratinglist.errors import HomeError, NothingReadError, StoreInUseError
from ratinglist.period import Period
from ratinglist.private_files import exposed
from ratinglist.store import replaced_parts, table_scan, write_ahead_log
from ratinglist.workflows import backup, doctor, rate, restore, run, tidy
from tests.command_line import ratinglist, ratinglist_process
from tests.conftest import MONTHS, ROOT, SAMPLE, made_once, office
from tests.injected import KILL
from tests.stores import open_store
from tests.workflow.test_interrupted_commands import ENVIRONMENT, ERRORS

FIRST, SECOND = Period.parse(MONTHS[0]), Period.parse(MONTHS[1])


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but what a restore has kept, the view of ``published/``, and what is in no backup."""
    others = ("current/", "replaced/", "last-backup.json", "compared.json")
    return {
        name: path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not (name := path.relative_to(folder).as_posix()).startswith(others)
    }


@pytest.fixture(scope="session")
def backed_up(homes: Path, for_all_workers: Path) -> Path:
    """A home of one month and its backup; look, do not touch."""

    def make(folder: Path) -> None:
        shutil.copytree(homes / MONTHS[0], folder / "home")
        (folder / "home" / "office.toml").write_text('[publication]\nsigning_key = ""\n', encoding="utf-8")
        backup.backup(office(folder / "home"), folder / "backup")

    return made_once(for_all_workers / "backed-up", make)


@pytest.fixture
def place(backed_up: Path, tmp_path: Path) -> Path:
    """A folder with a home of one month and its backup; yours to break."""
    shutil.copytree(backed_up, tmp_path / "place")
    return tmp_path / "place"


def test_a_backup_has_every_file_of_the_home_in_copies_of_its_own(place: Path) -> None:
    content = json.loads((place / "backup" / "backup.json").read_text())["files"]
    home = tree(place / "home")
    assert set(content) == set(home)
    inodes = {path.stat().st_ino for path in (place / "home").rglob("*")}
    for name, sha256 in content.items():
        copy = place / "backup" / "files" / sha256
        assert copy.read_bytes() == home[name]
        assert copy.stat().st_ino not in inodes
    assert (place / "backup").stat().st_mode & 0o077 == 0


@pytest.mark.thorough
def test_a_backup_restored_elsewhere_is_the_home(place: Path) -> None:
    settings = office(place / "elsewhere")
    done = restore.restore(settings, place / "backup")
    assert (done.kept, done.published) == ("", [f"{FIRST}/r1"])
    assert tree(settings.home) == tree(place / "home")
    assert (settings.current / "games" / f"month={MONTHS[0]}" / "revision=1" / "games.parquet").exists()
    assert exposed(settings.home) == []
    assert doctor.check(settings).problems == []
    shared = settings.published / MONTHS[0] / "r1" / "games.parquet"
    assert [path.name for path in settings.home.glob("calculations/*/*/*") if path.samefile(shared)] == [shared.name]
    assert not run.run(settings, FIRST).published.is_new


@pytest.mark.thorough
def test_a_second_backup_copies_what_is_new_and_deletes_what_is_old(place: Path) -> None:
    settings, folder = office(place / "home"), place / "backup"
    assert backup.backup(settings, folder).copied == 0
    rate.rate(settings, FIRST)
    done = backup.backup(settings, folder)
    assert 0 < done.copied < 30
    used = set(json.loads((folder / "backup.json").read_text())["files"].values())
    assert {path.name for path in (folder / "files").iterdir()} == used


def test_an_altered_file_of_a_backup_is_replaced_by_the_next_one(place: Path) -> None:
    copy = max((place / "backup" / "files").iterdir())
    copy.write_bytes(b"altered")
    with pytest.raises(HomeError, match=rf"(?s)this backup is damaged.*{copy}"):
        restore.restore(office(place / "elsewhere"), place / "backup")
    assert not any((place / "elsewhere").glob("*"))
    assert backup.backup(office(place / "home"), place / "backup").copied == 0
    restore.restore(office(place / "elsewhere"), place / "backup")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"files": {"../x": "0"}, "digest": ""}'])
def test_an_altered_list_of_a_backup_is_named(place: Path, text: str) -> None:
    (place / "backup" / "backup.json").write_text(text)
    with pytest.raises(HomeError, match=r"backup.json was altered"):
        restore.restore(office(place / "elsewhere"), place / "backup")


@pytest.mark.parametrize("name", ["", "/etc/x", "a/../../x", "a\0b"])
def test_a_list_of_a_backup_that_names_no_file_of_a_home_is_refused(place: Path, name: str) -> None:
    path = place / "backup" / "backup.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["digest"]
    content["files"][name] = "0" * 64
    path.write_text(json.dumps({**content, "digest": digest_of(content)}), encoding="utf-8")
    with pytest.raises(HomeError, match=r"(?s)backup.json was altered: it names a file outside of the home"):
        restore.restore(office(place / "elsewhere"), place / "backup")


def test_a_damaged_home_does_not_replace_its_backup(place: Path) -> None:
    settings = office(place / "home")
    before = tree(place / "backup")
    (settings.published / MONTHS[0] / "latest").write_text("r7\n")
    with pytest.raises(HomeError, match=r"(?s)Not backed up, because the home is not whole.*latest"):
        backup.backup(settings, place / "backup")
    assert tree(place / "backup") == before


def test_the_private_key_is_not_copied(place: Path) -> None:
    settings = office(place / "home")
    (settings.home / "office.pem").write_text("secret")
    (settings.home / "office.toml").write_text('[publication]\nsigning_key = "office.pem"\n', encoding="utf-8")
    done = backup.backup(office(settings.home), place / "backup")
    assert done.left_out == ["office.pem (the private key: keep a copy of it in another place)"]
    assert b"secret" not in tree(place / "backup").values()


@pytest.mark.parametrize(
    ("folder", "message"),
    [("home/backup", "must not be in its home"), (".", "must not be in its home"), ("home/office.toml", "must not be")],
)
def test_a_backup_is_not_written_there(place: Path, folder: str, message: str) -> None:
    with pytest.raises(NothingReadError, match=message):
        backup.backup(office(place / "home"), place / folder)


def test_a_folder_of_something_else_holds_no_backup(place: Path) -> None:
    (place / "other").mkdir()
    (place / "other" / "letter.txt").touch()
    with pytest.raises(NothingReadError, match=r"holds letter.txt, which is no part of a backup"):
        backup.backup(office(place / "home"), place / "other")
    with pytest.raises(NothingReadError, match="holds no complete backup"):
        restore.restore(office(place / "elsewhere"), place / "other")


def test_a_backup_of_later_changes_is_not_overwritten_by_an_earlier_home(place: Path) -> None:
    shutil.copytree(place / "home", place / "earlier")
    rate.rate(office(place / "home"), FIRST)
    backup.backup(office(place / "home"), place / "backup")
    with pytest.raises(HomeError, match="holds the backup of another home, or of later changes"):
        backup.backup(office(place / "earlier"), place / "backup")


@pytest.mark.thorough
def test_a_home_is_not_backed_up_while_another_command_writes(place: Path) -> None:
    with open_store(place / "home" / "ratinglist.duckdb"):
        shown = ratinglist_process("backup", place / "backup", home=place / "home")
    assert (shown.returncode, "is in use by another writer" in shown.stderr) == (StoreInUseError.exit_code, True)


def test_a_log_that_the_disk_of_the_home_has_no_space_for_is_written_into_the_copy(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = office(place / "home")
    before = table_scan.scan(settings.store)
    with duckdb.connect(str(settings.store)) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("create table added (a integer)")
        connection.execute("drop table added")
    log = write_ahead_log.path_of(settings.store)
    data = log.read_bytes()
    monkeypatch.setattr(backup, "open_store", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(backup.backup_trace, "write", refused)
    warnings: list[str] = []
    backup.backup(replace(settings, warn=warnings.append), place / "backup")
    assert log.read_bytes() == data
    assert len(warnings) == 1
    assert warnings[0].startswith("the backup is whole, and status will not name it: ")
    assert sorted(path.name for path in (place / "backup").iterdir()) == ["backup.json", "files"]
    restore.restore(office(place / "elsewhere"), place / "backup")
    restored = place / "elsewhere" / settings.store.name
    assert not write_ahead_log.path_of(restored).exists()
    assert table_scan.scan(restored) == before


def refused(home: Path, _: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", str(home))


def test_a_restore_keeps_the_home_that_it_replaces(place: Path) -> None:
    settings = office(place / "home")
    before = tree(settings.home)
    settings.store.write_bytes(b"damaged")
    with pytest.raises(HomeError, match=r"is not empty\. Nothing was changed"):
        restore.restore(settings, place / "backup")
    done = restore.restore(settings, place / "backup", replace=True)
    assert tree(settings.home) == before
    assert (Path(done.kept) / "ratinglist.duckdb").read_bytes() == b"damaged"
    assert len(tidy.tidy(settings).removed) == 1
    assert not Path(done.kept).parent.exists()


def test_a_restore_that_was_finished_leaves_no_empty_folder_and_is_named(place: Path) -> None:
    settings = office(place / "elsewhere")
    restore.restore(settings, place / "backup")
    with pytest.raises(
        HomeError, match=r"is not empty\. Nothing was changed\. It has the changes and the lists of this"
    ):
        restore.restore(settings, place / "backup")
    # As a process leaves it that was killed when half of the parts were in place: the store is the last.
    (settings.home / "rebuilt").mkdir()
    settings.store.rename(settings.home / "rebuilt" / settings.store.name)
    (settings.home / "replaced" / "1").mkdir(parents=True)
    with open_store(settings.store):
        pass
    assert not (settings.home / "replaced").exists()
    settings.store.unlink()
    with pytest.raises(HomeError, match=r"is not empty\. Nothing was changed\. Restore into an empty home"):
        restore.restore(settings, place / "backup")


def test_what_an_interrupted_rebuild_keeps_is_not_deleted(place: Path) -> None:
    home = place / "home"
    (home / "rebuilt").mkdir()
    (home / "replaced" / "1").mkdir(parents=True)
    (home / "replaced" / "2").mkdir()
    (home / "replaced" / "2" / "office.toml").write_text("")
    replaced_parts.put_in_place(home)
    assert [path.name for path in (home / "replaced").iterdir()] == ["2"]


@pytest.mark.parametrize("left", [".tmp-rebuild", ".tmp-rebuilt"])
def test_a_home_whose_restore_was_killed_is_restored_again(place: Path, left: str) -> None:
    home = place / "else where"
    shutil.copytree(place / "home" / "published", home / left / "published")
    shown = ratinglist("status", home=home)
    assert shown.returncode == 2
    assert "a restore into it was interrupted" in shown.stderr
    assert f"ratinglist restore DIR --home '{home}'" in shown.stderr
    mistyped = ratinglist("status", home=home / "no")
    assert (mistyped.returncode, ".tmp-" in mistyped.stderr) == (2, False)
    restore.restore(office(home), place / "backup")
    assert ratinglist("status", home=home).returncode == 0


def test_a_restore_names_what_was_published_since(place: Path) -> None:
    settings = office(place / "home")
    run.run(settings, SECOND, [SAMPLE / "reports" / MONTHS[1]])
    published = tree(settings.published)
    with pytest.raises(
        HomeError, match=rf"(?s)published/{SECOND}/r1, which was published since.*changes of the journal"
    ):
        restore.restore(settings, place / "backup", replace=True)
    assert tree(settings.published) == published
    done = restore.restore(settings, place / "backup", replace=True, discard_newer=True)
    assert not (settings.published / MONTHS[1]).exists()
    assert tree(Path(done.kept) / "published") == published
    assert doctor.check(settings).problems == []


def test_the_commands_print_what_they_did(place: Path) -> None:
    again = ratinglist("backup", place / "backup", home=place / "home")
    assert again.stdout.splitlines()[0] == f"{place}/backup: a whole backup of {place}/home"
    shown = ratinglist("restore", place / "backup", "--json", home=place / "elsewhere")
    assert json.loads(shown.stdout)["published"] == [f"{FIRST}/r1"]
    refused = ratinglist("restore", place / "backup", home=place / "elsewhere")
    assert (refused.returncode, "--replace" in refused.stderr) == (4, True)


# ------------------------------------------------------------------------- killed, or refused by the disk


def disturbed_at(command: str, place: Path, step: int, error: int) -> dict[str, Any]:
    """What a command answers that is killed at a step, or to which the disk refuses it; empty where it was killed."""
    words = [command, str(place), str(step), str(error)]
    arguments = [sys.executable, "-m", "tests.home_command_disturbed", *words]
    done = subprocess.run(arguments, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if step and error == KILL else 0), done.stderr
    return json.loads(done.stdout) if done.stdout else {}


def after_backup(place: Path, before: dict[str, bytes]) -> None:
    """The backup before is whole, or the new one is; the same command completes it."""
    restore.restore(office(place / "elsewhere"), place / "backup")
    shutil.rmtree(place / "elsewhere")
    backup.backup(office(place / "home"), place / "backup")
    restore.restore(office(place / "elsewhere"), place / "backup")
    assert tree(place / "elsewhere") == tree(place / "home") == before
    assert not list((place / "backup").rglob(".tmp-*"))


def after_restore(place: Path, before: dict[str, bytes]) -> None:
    """Another command finds the home as before or as restored; the same command completes it."""
    settings = office(place / "home")
    with open_store(settings.store):
        pass
    assert doctor.check(settings).problems == []
    restore.restore(settings, place / "backup", replace=True)
    assert tree(settings.home) == before
    assert not list(settings.home.rglob(".tmp-*"))


def after_rebuild(place: Path, before: dict[str, bytes]) -> None:
    """Another command says that the store is missing, or works; a rebuild completes it."""
    settings = office(place / "home")
    shown = ratinglist("rate", MONTHS[0], "--json", home=settings.home)
    assert shown.returncode == 0 or "doctor --rebuild" in shown.stderr
    ratinglist("doctor", "--rebuild", home=settings.home)
    assert doctor.check(settings).problems == []
    published = {name: data for name, data in before.items() if name.startswith("published/")}
    assert {name: data for name, data in tree(settings.home).items() if name.startswith("published/")} == published
    assert not list(settings.home.rglob(".tmp-*"))


AFTER: dict[str, Callable[[Path, dict[str, bytes]], None]] = {
    "backup": after_backup,
    "restore": after_restore,
    "rebuild": after_rebuild,
}


def check_disturbed(command: str, backed_up: Path, place: Path, step: int, error: int) -> None:
    shutil.copytree(backed_up, place)
    before = tree(place / "home")
    if command == "backup":
        rate.rate(office(place / "home"), FIRST)
        before = tree(place / "home")
    answer = disturbed_at(command, place, step, error)
    for word in ("Traceback", "defect"):
        assert word not in answer.get("err", ""), (step, error, answer)
    AFTER[command](place, before)


@pytest.fixture(scope="module")
def steps(backed_up: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], int]:
    """How many steps a command has that is not disturbed."""

    def count(command: str) -> int:
        place = tmp_path_factory.mktemp("steps") / "place"
        shutil.copytree(backed_up, place)
        return int(disturbed_at(command, place, 0, KILL)["steps"])

    return count


@pytest.mark.thorough
@pytest.mark.parametrize(("command", "part"), [("restore", 0.97)])
def test_a_killed_command_is_completed_by_the_same_command(
    backed_up: Path, tmp_path: Path, steps: Callable[[str], int], command: str, part: float
) -> None:
    check_disturbed(command, backed_up, tmp_path / "place", max(1, int(part * steps(command))), KILL)


@pytest.mark.long
@pytest.mark.parametrize("command", AFTER)
def test_a_command_killed_at_any_step_is_completed_by_the_same_command(
    backed_up: Path, tmp_path: Path, steps: Callable[[str], int], command: str
) -> None:
    total = steps(command)
    # The last steps put the parts in their places; of those before, a part.
    for step in sorted({*range(1, total, max(1, total // 40)), *range(max(1, total - 25), total + 1)}):
        check_disturbed(command, backed_up, tmp_path / str(step), step, KILL)
        shutil.rmtree(tmp_path / str(step))


@pytest.mark.long
@pytest.mark.parametrize("command", AFTER)
def test_a_command_refused_at_any_step_is_completed_by_the_same_command(
    backed_up: Path, tmp_path: Path, steps: Callable[[str], int], command: str
) -> None:
    total = steps(command)
    for step in sorted({*range(1, total, max(1, total // 40)), *range(max(1, total - 25), total + 1)}):
        check_disturbed(command, backed_up, tmp_path / str(step), step, ERRORS[step % len(ERRORS)])
        shutil.rmtree(tmp_path / str(step))
