"""Opening a home: what was decided is finished, what was abandoned is deleted, and log and publications agree."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ratinglist.errors import (
    CheckError,
    CommandLineError,
    HomeError,
    NothingReadError,
    UnfinishedError,
)
from ratinglist.home.location import check_home
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication import settle
from ratinglist.publication.published_files import refuse_to_change
from ratinglist.settings import Settings
from ratinglist.workflows import correct, doctor, import_files, load, publish, quarantine, replay, rerate, run, undo
from ratinglist.workflows.opening import open_to_read, open_to_write
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, corrected_office, office, published_bytes, unpublish
from tests.parameters import long_but
from tests.stores import open_store
from tests.workflow.test_rerate import correction

FIRST, LAST = Period.parse(MONTHS[0]), Period.parse(MONTHS[-1])


def corrections_file(settings: Settings) -> Path:
    file = settings.home.parent / "corrections.toml"
    file.write_text(correction("withdraw_event", 'event_id = "ORV25081"'), encoding="utf-8")
    return file


# ----------------------------------------------------------------------------------- log and publications agree


WRITING: dict[str, Callable[[Settings], object]] = {
    "load": lambda settings: load.load(settings, [SAMPLE / "reports" / MONTHS[0]]),
    "rate": lambda settings: run.rate(settings, LAST),
    "run": lambda settings: run.run(settings, LAST),
    "publish": lambda settings: publish.publish(settings, LAST),
    "preview": lambda settings: publish.preview(settings, LAST),
    "approve": lambda settings: publish.approve(settings, LAST, "Anna Berg"),
    "correct": lambda settings: correct.correct(settings, corrections_file(settings)),
    "rerate": lambda settings: rerate.rerate(settings, LAST),
    "rollback": lambda settings: undo.rollback(settings, LAST, "K was wrong"),
    "import-list": lambda settings: import_files.import_list(settings, SAMPLE / "list-2025-08.csv", LAST + 1),
    "import-players": lambda settings: import_files.import_players(settings, SAMPLE / "players-2025-10.csv"),
}


@pytest.fixture(scope="module")
def disagreeing(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office with a revision that its log does not know; look, no command may change it."""
    home = tmp_path_factory.mktemp("disagreeing") / "home"
    shutil.copytree(homes / MONTHS[-1], home)
    shutil.copytree(home / "published" / MONTHS[-1] / "r1", home / "published" / MONTHS[-1] / "r2")
    return office(home)


@pytest.mark.parametrize("command", WRITING)
def test_every_writing_command_stops_where_log_and_publications_disagree(command: str, disagreeing: Settings) -> None:
    before = published_bytes(disagreeing.home)
    with pytest.raises(CheckError, match=r"(?s)Nothing was changed.*r2: was not published.*ratinglist doctor"):
        WRITING[command](disagreeing)
    assert published_bytes(disagreeing.home) == before


def test_a_reading_command_goes_on(disagreeing: Settings) -> None:
    assert len(quarantine.quarantined(disagreeing)) > 0


def make_writable(path: Path) -> Path:
    path.chmod(0o644)
    return path


def altered_manifest(month: Path) -> None:
    path = make_writable(month / "r1" / "manifest.json")
    path.write_bytes(path.read_bytes().replace(b'"revision": 1', b'"revision": 2'))


def other_size(month: Path) -> None:
    path = make_writable(month / "r1" / "standard.csv")
    path.write_bytes(path.read_bytes() + b"\n")


def same_size_and_time(month: Path) -> None:
    path = make_writable(month / "r1" / "standard.csv")
    data, status = bytearray(path.read_bytes()), path.stat()
    data[-2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def link_to_a_copy(month: Path) -> None:
    path = month / "r1" / "standard.csv"
    path.rename(month.parent.parent / "copy.csv")
    path.symlink_to(month.parent.parent / "copy.csv")


def pipe(path: Path) -> None:
    """Put a pipe in the place of a file: a command that opened it would not end."""
    path.unlink()
    os.mkfifo(path)


def link_to_a_copied_folder(folder: Path) -> None:
    folder.rename(folder.parents[2] / "moved")
    folder.symlink_to(folder.parents[2] / "moved")


NO_FILE, NOT_PUBLISHED = "is a link, a folder or a device", "was not published: no command wrote it"
ALTERED = "was altered: its digest is not the one recorded"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "revision missing": (lambda month: shutil.rmtree(month / "r1"), "r1: is missing"),
    "month missing": (shutil.rmtree, f"{FIRST}: is missing"),
    "latest missing": (lambda month: (month / "latest").unlink(), "latest: is missing"),
    "latest altered": (lambda month: (month / "latest").write_text("r7\n"), f"latest: {ALTERED}"),
    "latest without an end of line": (
        lambda month: (month / "latest").write_text("r1"),
        f"latest: {ALTERED}",
    ),
    "latest a pipe": (lambda month: pipe(month / "latest"), f"latest: {NO_FILE}"),
    "month a link": (link_to_a_copied_folder, f"{FIRST}: is a link or a file, and was published as a folder"),
    "revision a link": (lambda month: link_to_a_copied_folder(month / "r1"), "r1: is a link or a file, and was"),
    "file of the month added": (lambda month: (month / "notes.txt").touch(), f"notes.txt: {NOT_PUBLISHED}"),
    "file of all months added": (lambda month: (month.parent / "notes.txt").touch(), f"notes.txt: {NOT_PUBLISHED}"),
    "manifest a pipe": (lambda month: pipe(month / "r1" / "manifest.json"), f"manifest.json: {NO_FILE}"),
    "manifest altered": (altered_manifest, f"manifest.json: {ALTERED}"),
    "manifest missing": (lambda month: (month / "r1" / "manifest.json").unlink(), "manifest.json: is missing"),
    "file of another size": (other_size, f"standard.csv: {ALTERED}"),
    "file of the same size": (same_size_and_time, f"standard.csv: {ALTERED}"),
    "file missing": (lambda month: (month / "r1" / "pool.parquet").unlink(), "pool.parquet: is missing"),
    "file added": (lambda month: (month / "r1" / "new.csv").touch(), f"new.csv: {NOT_PUBLISHED}"),
    "file replaced by a link": (link_to_a_copy, f"standard.csv: {NO_FILE}, and was published as a file"),
    "signature added": (lambda month: (month / "r1" / "manifest.json.sig").touch(), f"json.sig: {NOT_PUBLISHED}"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_every_disagreement_is_named(name: str, homes: Path, tmp_path: Path) -> None:
    damage, message = DAMAGES[name]
    settings, history = office(tmp_path), Log.open(homes / MONTHS[0]).history
    shutil.copytree(homes / MONTHS[0] / "published", settings.published)
    refuse_to_change(history, settings)
    damage(settings.published / MONTHS[0])
    with pytest.raises(CheckError, match=re.escape(message)):
        refuse_to_change(history, settings)


@pytest.fixture(scope="module")
def rolled_back(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office with corrected months, the last of which was rolled back; look, do not touch."""
    home = Path(shutil.copytree(corrected_home, tmp_path_factory.mktemp("rolled-back") / "home"))
    undo.rollback(office(home), LAST, "a misread letter")
    return home


def other_reason(published: Path) -> None:
    path = published / MONTHS[-1] / "rollbacks.csv"
    path.write_bytes(path.read_bytes().replace(b"misread", b"mislead"))


def one_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def copied_to_first(name: str) -> Callable[[Path], object]:
    """Copy a file of the last month into the folder of the first."""
    return lambda published: shutil.copy(published / MONTHS[-1] / name, published / MONTHS[0] / name)


UNLISTED: dict[str, tuple[Callable[[Path], object], str]] = {
    "reason altered": (other_reason, f"{LAST}/rollbacks.csv: {ALTERED}"),
    "rollbacks lost": (lambda folder: (folder / str(LAST) / "rollbacks.csv").unlink(), "rollbacks.csv: is missing"),
    "rollbacks added": (copied_to_first("rollbacks.csv"), f"{FIRST}/rollbacks.csv: {NOT_PUBLISHED}"),
    "rollbacks a pipe": (lambda folder: pipe(folder / str(LAST) / "rollbacks.csv"), "rollbacks.csv: is a link, a"),
    "ratings altered": (
        lambda folder: one_bit(folder / str(LAST) / "both_numbers.parquet"),
        f"both_numbers.parquet: {ALTERED}",
    ),
    "ratings lost": (
        lambda folder: (folder / str(FIRST) / "both_numbers.parquet").unlink(),
        "both_numbers.parquet: is missing",
    ),
    "ratings of another month": (copied_to_first("both_numbers.parquet"), f"{FIRST}/both_numbers.parquet: {ALTERED}"),
    "events lost": (lambda folder: (folder / "events.parquet").unlink(), "events.parquet: is missing"),
}


@pytest.mark.parametrize("name", UNLISTED)
def test_a_file_that_no_manifest_names_is_compared_too(name: str, rolled_back: Path, tmp_path: Path) -> None:
    damage, message = UNLISTED[name]
    settings, history = office(tmp_path), Log.open(rolled_back).history
    shutil.copytree(rolled_back / "published", settings.published)
    refuse_to_change(history, settings)
    damage(settings.published)
    with pytest.raises(CheckError, match=rf"(?s){re.escape(message)}.*ratinglist doctor"):
        refuse_to_change(history, settings)
    # A rollback of the month needs its rollbacks and both ratings.
    with pytest.raises(CheckError, match=re.escape(message)):
        refuse_to_change(history, settings, LAST)


# ------------------------------------------------------------------------------------------- decided and not finished


class Killed(BaseException):
    """The end of the process, simulated: nothing in the program may catch it."""


def publish_killed_after(steps: int, settings: Settings, period: Period, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish a month and end after some of the moves; 0: right after the commit."""
    done = 0
    move = settle._move

    def counted(source: Path, target: Path) -> None:
        nonlocal done
        if done == steps:
            raise Killed
        done += 1
        move(source, target)

    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(settle, "_move", counted)
        publish.publish(settings, period)


@pytest.fixture
def warned() -> list[str]:
    """The warnings of the office ``decided``."""
    return []


@pytest.fixture(scope="module")
def _decided_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = office(Path(shutil.copytree(homes / MONTHS[-1], tmp_path_factory.mktemp("decided") / "home")))
    unpublish(settings, MONTHS[-1])
    with pytest.MonkeyPatch.context() as patch:
        publish_killed_after(0, settings, LAST, patch)
    assert not (settings.published / MONTHS[-1]).exists()
    return settings.home


@pytest.fixture
def decided(_decided_home: Path, tmp_path: Path, warned: list[str]) -> Settings:
    """An office that has decided to publish the last month, and was killed right after the commit."""
    return replace(copied(_decided_home, tmp_path), warn=warned.append)


def test_a_reading_command_finishes_it_and_says_so(decided: Settings, homes: Path, warned: list[str]) -> None:
    quarantine.quarantined(decided)
    assert warned == [
        "The list of 2025-12 (r1) was published: this was decided by a command that was interrupted; it is in place "
        "now."
    ]
    assert published_bytes(decided.home) == published_bytes(homes / MONTHS[-1])
    assert not decided.drafts.exists()


def refuse_renames(patch: pytest.MonkeyPatch, settings: Settings, number: int) -> None:
    replace_path = Path.replace

    def refused(source: Path, target: Path) -> Path:
        if source.is_relative_to(settings.drafts):
            raise OSError(number, os.strerror(number), str(target))
        return replace_path(source, target)

    patch.setattr(Path, "replace", refused)


def test_where_the_disk_refuses_it_again_a_reading_command_warns_and_a_writing_one_stops(
    decided: Settings, homes: Path, monkeypatch: pytest.MonkeyPatch, warned: list[str]
) -> None:
    with monkeypatch.context() as patch:
        refuse_renames(patch, decided, errno.EACCES)
        with open_to_read(decided) as store:
            assert settle.is_open(store.log, decided)
        with pytest.raises(UnfinishedError) as stopped:
            run.rate(decided, LAST)
    assert warned == [str(stopped.value)]
    assert "The list of 2025-12 (r1) was published: this was decided" in warned[0]
    assert "Permission denied" in warned[0]
    with open_to_write(decided):
        assert published_bytes(decided.home) == published_bytes(homes / MONTHS[-1])


def test_a_publication_that_the_disk_refuses_says_that_it_was_decided(
    rated: Settings, homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpublish(rated, MONTHS[-1])
    with monkeypatch.context() as patch:
        refuse_renames(patch, rated, errno.ENOSPC)
        with pytest.raises(
            UnfinishedError, match=r"r1\) was published: this was decided.*No space left.*give any command"
        ):
            publish.publish(rated, LAST)
    publish.publish(rated, LAST)
    assert published_bytes(rated.home) == published_bytes(homes / MONTHS[-1])


def test_a_publication_whose_entry_the_disk_refuses_was_not_decided(
    rated: Settings, homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpublish(rated, MONTHS[-1])
    before = published_bytes(rated.home)

    def refused(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patch:
        patch.setattr("ratinglist.home.log.replace_file", refused)
        with pytest.raises(OSError, match=r"No space left.*log/0"):
            publish.publish(rated, LAST)
    assert published_bytes(rated.home) == before
    assert publish.publish(rated, LAST).is_new
    assert published_bytes(rated.home) == published_bytes(homes / MONTHS[-1])


def test_what_is_published_is_on_the_disk_of_the_home(rated: Settings) -> None:
    disk = rated.home.stat().st_dev
    other_disks = [folder for folder in ("/dev/shm", "/var/tmp") if Path(folder).is_dir()]
    elsewhere = next((folder for folder in other_disks if Path(folder).stat().st_dev != disk), None)
    if elsewhere is None:
        pytest.skip("needs a second disk")
    unpublish(rated, MONTHS[-1])
    entries = len(Log.open(rated.home).entries)
    with TemporaryDirectory(dir=elsewhere) as other:
        shutil.move(rated.published, Path(other) / "published")
        rated.published.symlink_to(Path(other) / "published")
        with pytest.raises(CommandLineError, match="published is on another disk than"):
            publish.publish(rated, LAST)
        assert len(Log.open(rated.home).entries) == entries


def test_another_folder_in_the_place_of_a_revision_is_not_replaced(decided: Settings) -> None:
    (decided.published / MONTHS[-1]).mkdir()
    (decided.published / MONTHS[-1] / "notes").write_text("mine")
    with pytest.raises(CheckError, match=r"2025-12/notes: was not published.*Move it out of the way"):
        publish.publish(decided, LAST)
    assert (decided.published / MONTHS[-1] / "notes").read_text() == "mine"


# ------------------------------------------------------------------------------------------------- abandoned files


def test_abandoned_files_are_deleted_by_the_next_writing_command(rated: Settings) -> None:
    before = {path.relative_to(rated.home) for path in rated.home.rglob("*")}
    abandoned = [
        rated.drafts / "published" / "2025-12" / "r2" / "pool.parquet",
        rated.published / "2025-12" / ".tmp-4711" / "pool.parquet",
        rated.published / ".tmp-events.parquet",
        rated.reports / ".tmp-parts" / ("a" * 64),
        rated.home / "originals" / ".tmp-parts" / "copy",
        rated.home / "log" / ".tmp-000999.json",
        rated.home / "calculations" / "month=2025-12" / "c99" / "pool.parquet",
        rated.home / ".tmp-4194999-ratinglist.duckdb",
    ]
    for path in abandoned:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    with open_to_write(rated):
        pass
    after = {path.relative_to(rated.home) for path in rated.home.rglob("*")}
    assert after == before


# ------------------------------------------------------------------------------------------- a log of another day


def test_publications_without_a_log_are_not_taken_over(rated: Settings) -> None:
    shutil.rmtree(rated.home / "log")
    with pytest.raises(HomeError, match="is missing, and this home is not a new one"):
        load.load(rated, [SAMPLE / "reports" / MONTHS[0]])
    with pytest.raises(HomeError, match="is missing, and this home is not a new one"):
        quarantine.quarantined(rated)
    for path in list(rated.home.iterdir()):
        if path.name != "published":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(HomeError, match=r"A copy of published/ alone is for explain ID, export, site, sql"):
        quarantine.quarantined(rated)


# ------------------------------------------------------------------------------------------------- given again


def test_an_import_given_again_is_kept_once(tmp_path: Path) -> None:
    settings = office(tmp_path / "home")
    players, listed = SAMPLE / "players-2025-10.csv", SAMPLE / "list-2025-08.csv"
    for _ in range(2):
        lists = import_files.import_list(settings, listed, Period.parse("2025-08"))
    for _ in range(2):
        registered = import_files.import_players(settings, players)
    assert (lists.already, registered.already) == (True, True)
    with open_store(settings.store) as store:
        assert store.read("select kind from source_file order by source_no")["kind"].to_list() == ["list", "players"]
        assert store.read("select distinct source_no from imported_list")["source_no"].to_list() == [1]
        assert store.read("select month, time_control from list_kept").rows() == [("2025-08", "standard")]


def test_corrections_given_again_are_applied_once(rated: Settings) -> None:
    file = corrections_file(rated)
    first, again = correct.correct(rated, file), correct.correct(rated, file)
    assert (first.already, again.already, again.first_month) == (False, True, first.first_month)
    assert "applied before; nothing was changed" in again.text()
    with open_store(rated.store) as store:
        assert store.read("select count(*) as n from correction").item() == 1


@pytest.fixture(scope="module")
def corrected_first_month(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office that has published one month, and published it again after a correction; look, do not touch."""
    home = tmp_path_factory.mktemp("corrected") / "home"
    corrected_office(homes / MONTHS[0], home)
    return home


@pytest.mark.parametrize("damage", long_but(["altered", "missing", "a folder"], "altered"))
def test_a_rollback_of_a_damaged_revision_keeps_its_digest_and_can_be_rebuilt(
    corrected_first_month: Path, tmp_path: Path, damage: str
) -> None:
    settings = copied(corrected_first_month, tmp_path)
    manifest = settings.published / str(FIRST) / "r2" / "manifest.json"
    digest = manifest.read_text(encoding="utf-8").split('"digest": "')[1].partition('"')[0]
    data = manifest.read_bytes()
    manifest.unlink()
    if damage == "altered":
        manifest.write_bytes(data[: len(data) // 2])
    elif damage == "a folder":
        manifest.mkdir()
    undo.rollback(settings, FIRST, "its manifest is gone")
    assert digest in (settings.published / str(FIRST) / "rollbacks.csv").read_text(encoding="utf-8")
    after = published_bytes(settings.home)
    shutil.rmtree(settings.published / str(FIRST) / "r2")
    replay.rebuild(settings)
    assert published_bytes(settings.home) == {**after, f"{FIRST}/r2/manifest.json": data}
    assert doctor.check(settings).problems == []


@pytest.mark.parametrize(
    "command",
    [
        ["status"],
        ["explain", "99900471"],
        ["sql", "select count(*) from lists"],
        ["load", "data/sample/reports/2025-09"],
        ["rate", "2025-09"],
        ["import-players", "data/sample/players-2025-09.csv"],
        ["publish", "2025-09"],
        ["letters", "2025-09"],
    ],
)
def test_a_mistyped_home_is_an_error_and_makes_nothing(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "office" / "published").mkdir(parents=True)
    shown = ratinglist(*command, home=tmp_path / "offcie")
    assert shown.returncode == 2
    assert f"the home {tmp_path / 'offcie'} does not exist" in shown.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["office"]


def test_a_folder_that_is_no_home_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandLineError, match="has neither log/ nor published/"):
        check_home(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CommandLineError, match="is not the home of an office"):
        check_home(file)


def test_import_list_makes_a_home_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "new"
    command = ("import-list", "data/sample/list-2025-08.csv", "--month", "2025-08")
    said = f"a new home was made: {home}"
    assert said in ratinglist(*command, home=home).stderr
    assert said not in ratinglist(*command, home=home).stderr


def test_after_a_refused_first_list_the_home_is_as_new(tmp_path: Path) -> None:
    home = tmp_path / "new"
    (tmp_path / "list.csv").write_text("fide_id,name\nabc,X\n")
    refused = ratinglist("import-list", tmp_path / "list.csv", "--month", "2025-08", home=home)
    assert refused.returncode == 2
    assert "a new home was made" not in refused.stderr
    assert ratinglist("status", home=home).returncode == 2
    assert ratinglist("import-list", "data/sample/list-2025-08.csv", "--month", "2025-08", home=home).returncode == 0


def test_a_home_without_a_log_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "home" / "published").mkdir(parents=True)
    with pytest.raises(NothingReadError, match="ratinglist import-list"), open_to_read(office(tmp_path / "home")):
        pass
