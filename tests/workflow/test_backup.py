"""A backup is whole, verified and incremental; a restore loses nothing silently; both survive a kill at any step."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ratinglist.errors import HomeError, NothingReadError
from ratinglist.files.durable_files import digest_of, exposed
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.workflows import backup, doctor, publish, run
from tests.command_line import ratinglist
from tests.conftest import MONTHS, made_once, office
from tests.workflow.test_verify import key_files

pytestmark = pytest.mark.asks_only()

FIRST = Period.parse(MONTHS[0])


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but what a restore has kept, what follows from the rest, and what is in no backup."""
    others = ("current/", "replaced/", "ratinglist.duckdb", "last-backup.json")
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
    return Path(shutil.copytree(backed_up, tmp_path / "place"))


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


def test_a_backup_restored_elsewhere_is_the_home(place: Path) -> None:
    warnings: list[str] = []
    settings = replace(office(place / "elsewhere"), warn=warnings.append)
    done = backup.restore(settings, place / "backup")
    assert (done.values["published"], warnings) == ([f"{FIRST}/r1"], [])
    assert tree(settings.home) == tree(place / "home")
    assert exposed(settings.home) == []
    assert doctor.check(settings).problems == []
    shared = settings.published / MONTHS[0] / "r1" / "games.parquet"
    assert [path.name for path in settings.home.glob("calculations/*/*/*") if path.samefile(shared)] == [shared.name]
    assert not run.run(settings, FIRST).published.is_new


def test_a_second_backup_copies_what_is_new_and_deletes_what_is_old(place: Path) -> None:
    settings, folder = office(place / "home"), place / "backup"
    assert backup.backup(settings, folder).values["copied"] == 0
    run.rate(settings, FIRST)
    done = backup.backup(settings, folder)
    assert 0 < done.values["copied"] < 30
    used = set(json.loads((folder / "backup.json").read_text())["files"].values())
    assert {path.name for path in (folder / "files").iterdir()} == used


def test_an_altered_file_of_a_backup_is_replaced_by_the_next_one(place: Path) -> None:
    copy = max((place / "backup" / "files").iterdir())
    copy.write_bytes(b"altered")
    with pytest.raises(HomeError, match=rf"(?s)this backup is damaged.*{copy}"):
        backup.restore(office(place / "elsewhere"), place / "backup")
    assert not any((place / "elsewhere").glob("*"))
    done = backup.backup(office(place / "home"), place / "backup")
    assert done.values["copied"] == 1
    backup.restore(office(place / "elsewhere"), place / "backup")


def test_a_damaged_home_does_not_replace_its_backup(place: Path) -> None:
    settings = office(place / "home")
    before = tree(place / "backup")
    (settings.published / MONTHS[0] / "latest").write_text("r7\n")
    with pytest.raises(HomeError, match=r"(?s)Not backed up, because the home is not whole.*latest"):
        backup.backup(settings, place / "backup")
    assert tree(place / "backup") == before


def restated(place: Path, **stated: object) -> None:
    """Write the list of the backup with other content and the digest of it, which anybody can reckon."""
    path = place / "backup" / "backup.json"
    content = {**json.loads(path.read_text()), **stated}
    del content["digest"]
    path.write_text(json.dumps({**content, "digest": digest_of(content)}))


FOREIGN = (
    *("../x", "/tmp/x", "log/../../x", "log/a\\b", "log/a\0b", "log/c:x", ""),
    *(".tmp-restore/x", "ratinglist.duckdb.wal", "bin/evil.sh"),
)


@pytest.mark.parametrize("stated", [{"log": 5}, {"files": []}, *FOREIGN], ids=repr)
def test_a_backup_that_states_what_no_backup_does_is_refused(place: Path, stated: dict[str, object] | str) -> None:
    files = json.loads((place / "backup" / "backup.json").read_text())["files"]
    foreign = {"files": {**files, stated: next(iter(files.values()))}} if isinstance(stated, str) else stated
    restated(place, **foreign)
    with pytest.raises(HomeError, match=r"backup.json was altered"):
        backup.restore(office(place / "elsewhere"), place / "backup")
    assert not (place / "elsewhere").exists()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"files": {"../x": "0"}, "digest": ""}'])
def test_an_altered_list_of_a_backup_is_named(place: Path, text: str) -> None:
    (place / "backup" / "backup.json").write_text(text)
    with pytest.raises(HomeError, match=r"backup.json was altered"):
        backup.restore(office(place / "elsewhere"), place / "backup")


@pytest.mark.parametrize("left_out", ["log/000005.json", "reports/", "published/2025-09/latest", "calculations/"])
def test_half_a_home_is_not_restored(place: Path, left_out: str) -> None:
    content = json.loads((place / "backup" / "backup.json").read_text())
    gone = next(name for name in content["files"] if name.startswith(left_out))
    restated(place, files={name: digest for name, digest in content["files"].items() if name != gone})
    settings = office(place / "elsewhere")
    with pytest.raises(HomeError, match=r"this backup is not the whole of a home"):
        backup.restore(settings, place / "backup")
    assert list(settings.home.iterdir()) == []


def test_the_private_key_and_the_runs_of_a_schedule_are_not_copied_and_who_signed_is_said(place: Path) -> None:
    settings = office(place / "home")
    private, public = key_files(settings.home)
    (settings.home / "office.toml").write_text(f'[publication]\nsigning_key = "{private.name}"\n', encoding="utf-8")
    (settings.home / "prefect").mkdir()
    schedule = settings.home / "prefect" / "prefect.db"
    schedule.write_text("a schedule of this home", encoding="utf-8")
    (settings.home / "told").write_text("1\n", encoding="utf-8")
    publish.sign(office(settings.home), FIRST)
    done = backup.backup(office(settings.home), place / "backup")
    left_out = [
        f"{name} (no part of a backup: keep a copy of it in another place)" for name in (private.name, public.name)
    ]
    assert done.values["left_out"] == left_out
    assert not {private.read_bytes(), schedule.read_bytes()} & set(tree(place / "backup").values())
    restored = backup.restore(office(place / "elsewhere"), place / "backup")
    assert restored.values["signed_by"] == Log.open(settings.home).history.index["signed_by"] != ""


@pytest.mark.parametrize("folder", ["home/backup", ".", "home/office.toml"])
def test_a_backup_is_not_written_there(place: Path, folder: str) -> None:
    with pytest.raises(NothingReadError, match="must not be in its home"):
        backup.backup(office(place / "home"), place / folder)


@pytest.mark.parametrize("name", ["thesis.txt", "files/thesis.txt"])
def test_a_folder_with_other_files_is_no_place_for_a_first_backup(place: Path, name: str) -> None:
    (place / "own" / "files").mkdir(parents=True)
    (place / "own" / name).write_text("precious")
    with pytest.raises(NothingReadError, match=f"own holds {name}, which is no part of a backup"):
        backup.backup(office(place / "home"), place / "own")
    assert tree(place / "own") == {name: b"precious"}


def test_an_interrupted_first_backup_is_taken_up(place: Path) -> None:
    (place / "backup" / "backup.json").unlink()
    (place / "backup" / "files" / ".tmp-parts").mkdir()
    unused = place / "backup" / "files" / ("0" * 64)
    unused.touch()
    assert backup.backup(office(place / "home"), place / "backup").values["copied"] == 0
    assert not unused.exists()


def test_a_file_of_another_name_beside_those_of_a_backup_stays(place: Path) -> None:
    (place / "backup" / "files" / "notes.txt").write_text("precious")
    backup.backup(office(place / "home"), place / "backup")
    assert (place / "backup" / "files" / "notes.txt").read_text() == "precious"


def test_a_backup_of_later_changes_is_not_overwritten_by_an_earlier_home(place: Path) -> None:
    shutil.copytree(place / "home", place / "earlier")
    run.rate(office(place / "home"), FIRST)
    backup.backup(office(place / "home"), place / "backup")
    with pytest.raises(HomeError, match="holds the backup of another home, or of later changes"):
        backup.backup(office(place / "earlier"), place / "backup")


def test_a_home_whose_restore_was_killed_is_restored_again(place: Path) -> None:
    home = place / "else where"
    shutil.copytree(place / "home" / "published", home / "published")
    (home / ".tmp-restore").mkdir()
    shown = ratinglist("status", home=home)
    assert shown.returncode == 2
    assert "a restore into it is running, or was interrupted" in shown.stderr
    assert f"ratinglist restore DIR --home '{home}'" in shown.stderr
    mistyped = ratinglist("status", home=home / "no")
    assert (mistyped.returncode, ".tmp-" in mistyped.stderr) == (2, False)
    backup.restore(office(home), place / "backup")
    assert ratinglist("status", home=home).returncode == 0


def test_a_backup_of_an_office_that_signs_is_not_restored_silently_without_signatures(place: Path) -> None:
    """Whoever can write the backup has made another log, in which nothing was ever signed."""
    settings = office(place / "home")
    (settings.home / "office.toml").write_text('[publication]\nsigning_key = "key"\n', encoding="utf-8")
    backup.backup(settings, place / "backup")
    warnings: list[str] = []
    done = backup.restore(replace(office(place / "elsewhere"), warn=warnings.append), place / "backup")
    assert done.values["signed_by"] == ""
    assert any("nothing in this backup is signed" in warning for warning in warnings)
