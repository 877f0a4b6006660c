"""Opening a home: what was decided is finished, what was abandoned is deleted, and log and publications agree."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from ratinglist.files.durable_files import close_to_others, exposed
from ratinglist.home.location import check_home
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication import settle
from ratinglist.publication.published_files import refuse_to_change
from ratinglist.settings import Settings
from ratinglist.workflows import correct, doctor, import_files, load, publish, quarantine, replay, rerate, run, undo
from ratinglist.workflows.opening import open_to_read, open_to_write
from tests.command_line import ratinglist, stopped
from tests.conftest import MONTHS, SAMPLE, copied, corrected_office, office, published_bytes, unpublish
from tests.parameters import long_but
from tests.stores import open_store
from tests.workflow.test_rerate import correction

pytestmark = pytest.mark.asks_only()

FIRST, LAST = Period.parse(MONTHS[0]), Period.parse(MONTHS[-1])


WITHDRAWN = correction("withdraw_event", 'event_id = "ORV25081"')


# ----------------------------------------------------------------------------------- log and publications agree


WRITING: dict[str, Callable[[Settings], object]] = {
    "load": lambda settings: load.load(settings, [SAMPLE / "reports" / MONTHS[0]]),
    "rate": lambda settings: run.rate(settings, LAST),
    "run": lambda settings: run.run(settings, LAST),
    "publish": lambda settings: publish.publish(settings, LAST),
    "preview": lambda settings: publish.preview(settings, LAST),
    "approve": lambda settings: publish.approve(settings, LAST, "Anna Berg"),
    "correct": lambda settings: correct.type_correction(settings, WITHDRAWN),
    "rerate": lambda settings: rerate.rerate(settings, LAST),
    "rollback": lambda settings: undo.rollback(settings, LAST, "K was wrong"),
    "import-list": lambda settings: import_files.import_list(settings, SAMPLE / "list-2025-08.csv", LAST + 1),
    "import-players": lambda settings: import_files.import_players(settings, SAMPLE / "players-2025-10.csv"),
}


@pytest.fixture(scope="module")
def disagreeing(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office with a revision that its log does not know; look, no command may change it."""
    home = Path(shutil.copytree(homes / MONTHS[-1], tmp_path_factory.mktemp("disagreeing") / "home"))
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


NOT_PUBLISHED = "was not published: no command wrote it"
ALTERED = "was altered: its digest is not the one recorded"


@pytest.fixture(scope="module")
def rolled_back(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office with corrected months, the last of which was rolled back; look, do not touch."""
    home = Path(shutil.copytree(corrected_home, tmp_path_factory.mktemp("rolled-back") / "home"))
    undo.rollback(office(home), LAST, "a misread letter")
    return home


def same_size_and_time(path: Path) -> None:
    """Alter a byte of a file, which a look at its size and time does not find."""
    data, status = bytearray(path.read_bytes()), path.stat()
    data[-2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced_by(put: Callable[[Path], object]) -> Callable[[Path], object]:
    """Put something else in the place of a file, with ``put``: a command that opened a pipe would not end."""

    def replace_file(path: Path) -> None:
        path.unlink()
        put(path)

    return replace_file


def linked(path: Path) -> None:
    """Put a link to a folder in its own place."""
    path.symlink_to(path.rename(path.parents[2] / "moved"))


DAMAGES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "revision missing": ("r1", shutil.rmtree, "r1: is missing"),
    "month missing": ("", shutil.rmtree, f"{FIRST}: is missing"),
    "latest without an end of line": ("latest", lambda path: path.write_text("r2"), f"latest: {ALTERED}"),
    "latest a pipe": ("latest", replaced_by(os.mkfifo), "latest: is a link, a folder or a device"),
    "revision a link": ("r1", linked, "r1: is a link or a file, and was published as a folder"),
    "file of the month added": ("notes.txt", Path.touch, f"notes.txt: {NOT_PUBLISHED}"),
    "file of the same size": ("r1/standard.csv", same_size_and_time, f"standard.csv: {ALTERED}"),
    "file missing": ("r1/pool.parquet", Path.unlink, "pool.parquet: is missing"),
    "file replaced by a link": (
        "r1/standard.csv",
        replaced_by(lambda path: path.symlink_to("manifest.json")),
        "is a link",
    ),
    "signature added": ("r1/manifest.json.sig", Path.touch, f"json.sig: {NOT_PUBLISHED}"),
    "rollbacks altered": (f"../{LAST}/rollbacks.csv", same_size_and_time, f"{LAST}/rollbacks.csv: {ALTERED}"),
    "rollbacks added": ("rollbacks.csv", Path.touch, f"{FIRST}/rollbacks.csv: {NOT_PUBLISHED}"),
    "both ratings lost": ("both_numbers.parquet", Path.unlink, "both_numbers.parquet: is missing"),
    "events lost": ("../events.parquet", Path.unlink, "events.parquet: is missing"),
}
"""By what is wrong: the file below the first month, what happens to it, and how it is named."""


@pytest.mark.parametrize(("name", "damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_every_disagreement_is_named(
    name: str, damage: Callable[[Path], object], message: str, rolled_back: Path, tmp_path: Path
) -> None:
    settings, history = office(tmp_path), Log.open(rolled_back).history
    shutil.copytree(rolled_back / "published", settings.published)
    refuse_to_change(history, settings)
    damage(settings.published / MONTHS[0] / name)
    # A rollback of another month needs all of it too.
    for taken_back in (None, LAST):
        with pytest.raises(CheckError, match=rf"(?s){re.escape(message)}.*ratinglist doctor"):
            refuse_to_change(history, settings, taken_back)


# ------------------------------------------------------------------------------------------- decided and not finished


class Killed(BaseException):
    """The end of the process, simulated: nothing in the program may catch it."""


@pytest.fixture
def warned() -> list[str]:
    """The warnings of the office ``decided``."""
    return []


@pytest.fixture(scope="module")
def _decided_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = office(Path(shutil.copytree(homes / MONTHS[-1], tmp_path_factory.mktemp("decided") / "home")))
    unpublish(settings, MONTHS[-1])

    def killed(*_: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settle, "_move", killed)
        with pytest.raises(Killed):
            publish.publish(settings, LAST)
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


def test_what_is_given_again_is_kept_once(first_month: Settings) -> None:
    for _ in range(2):
        registered = import_files.import_players(first_month, SAMPLE / f"players-{MONTHS[0]}.csv")
        file = first_month.home.parent / "corrections.toml"
        file.write_text(WITHDRAWN, encoding="utf-8")
        corrected = correct.correct(first_month, file)
    assert (registered.already, corrected.already) == (True, True)
    with open_store(first_month.store) as store:
        assert store.read("select kind from source_file order by source_no")["kind"].to_list() == [
            "list",
            "players",
            "corrections",
        ]
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


def test_a_folder_that_is_no_home_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(CommandLineError, match="has neither log/ nor published/"):
        check_home(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(CommandLineError, match="is not the home of an office"):
        check_home(tmp_path / "file")
    (tmp_path / "published").mkdir()
    with pytest.raises(NothingReadError, match="ratinglist import-list"), open_to_read(office(tmp_path)):
        pass


def test_a_first_list_makes_a_home_and_a_refused_one_leaves_none(tmp_path: Path) -> None:
    home, refused = tmp_path / "new", tmp_path / "list.csv"
    refused.write_text("fide_id,name\nabc,X\n")
    shown = [
        (done.returncode, f"a new home was made: {home}" in done.stderr)
        for done in (
            ratinglist("import-list", refused, "--month", "2025-08", home=home),
            ratinglist("status", home=home),
            *(
                ratinglist("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08", home=home)
                for _ in range(2)
            ),
        )
    ]
    assert shown == [(2, False), (2, False), (0, True), (0, False)]


OF_OTHERS = ("drafts/novel.txt", "calculations/month=1/c1/x", "reports/x", ".tmp-mine", "thesis.txt")


@pytest.mark.parametrize("name", OF_OTHERS)
def test_a_folder_with_other_files_does_not_become_a_home(tmp_path: Path, name: str) -> None:
    file = tmp_path / "own" / name
    file.parent.mkdir(parents=True)
    file.write_text("precious")
    before = modes(tmp_path / "own")
    shown = ratinglist("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08", home=tmp_path / "own")
    assert shown.returncode == 2
    assert f"{tmp_path / 'own'} holds {Path(name).parts[0]}, and is not the home of an office" in shown.stderr
    assert (file.read_text(), modes(tmp_path / "own")) == ("precious", before)


def test_a_home_whose_path_has_a_question_mark_is_refused(tmp_path: Path) -> None:
    said = stopped(tmp_path / "new?" / "home", 2, "import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08")
    assert f"The path of {tmp_path / 'new?' / 'home'} has a question mark" in said


def test_what_an_office_prepares_first_is_in_its_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("rules", "prefect"):
        (home / name).mkdir(parents=True)
    for name in ("office.toml", "office.pem", "office.pub", ".DS_Store"):
        (home / name).touch()
    import_files.import_list(office(home), SAMPLE / "list-2025-08.csv", FIRST + -1)
    assert len(Log.open(home).entries) == 1


# ---------------------------------------------------------------------------------------------------------- permissions


MONTH = MONTHS[0]


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def modes(home: Path) -> dict[str, str]:
    """The mode of everything in a home."""
    return {path.name: mode(path) for path in sorted(home.iterdir())}


@pytest.fixture(scope="module")
def closed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office that was given every command that makes a file of its own in it; look, do not touch."""
    home = tmp_path_factory.mktemp("permissions") / "home"
    with umask(0o022):
        for words in (
            ("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08"),
            ("import-players", SAMPLE / f"players-{MONTH}.csv"),
            # Before there is a list that it could move.
            ("correct", "player", "99900027", "birth_date=1983-11-03", "--by", "arbiter", "--because", "passport"),
            ("run", MONTH, SAMPLE / "reports" / MONTH / "masters.trf", "--received", "2025-08-23"),
            ("publish", MONTH, "--preview"),
            ("reconcile", MONTH, home / "published" / MONTH / "r1" / "standard.csv"),
        ):
            assert ratinglist(*words, home=home).returncode == 0
    return home


def test_what_holds_birth_dates_is_closed_from_the_first_command_on(closed_home):
    assert mode(closed_home) == "0755"
    assert modes(closed_home) == {
        "calculations": "0700",
        "log": "0700",
        "originals": "0700",
        "previews": "0700",
        "published": "0755",
        "ratinglist.duckdb": "0600",
        "reconciled": "0700",
        "reports": "0700",
    }


def test_what_is_published_can_be_read_by_all(closed_home):
    closed = [path for path in (closed_home / "published").rglob("*") if not path.stat().st_mode & stat.S_IROTH]
    folders = [path for path in (closed_home / "published").rglob("*/") if mode(path) != "0755"]
    assert (closed, folders) == ([], [])


def test_the_copy_of_the_store_that_a_change_is_made_in_is_closed_too(closed_home, tmp_path):
    shutil.copytree(closed_home, tmp_path / "home")
    with umask(0o022), open_store(tmp_path / "home" / "ratinglist.duckdb") as store, store.changing_facts():
        store.execute("create table kept as select range as one from range(10)")
        (tmp_path / "another").touch()
        assert modes(tmp_path / "home") == {**modes(closed_home), ".tmp-store": "0700"}
    assert mode(tmp_path / "another") == "0644"


def test_a_home_that_is_open_to_others_is_closed_when_it_is_opened_to_write(closed_home, tmp_path):
    home = Path(shutil.copytree(closed_home, tmp_path / "home"))
    (home / "prefect").mkdir()
    for name in ("calculations", "prefect", "previews", "reports", "reconciled"):
        (home / name).chmod(0o755)
    (home / "ratinglist.duckdb").chmod(0o644)
    assert sorted(path.name for path in exposed(home)) == [
        *("calculations", "prefect", "previews", "ratinglist.duckdb", "reconciled", "reports")
    ]
    assert ratinglist("quarantine", home=home).returncode == 0
    assert exposed(home) != [], "a command that only reads changes nothing"
    assert ratinglist("import-players", SAMPLE / "players-2025-12.csv", home=home).returncode == 0
    assert exposed(home) == []
    assert modes(home) == {**modes(closed_home), "prefect": "0700"}


def test_the_folder_that_prefect_is_given_is_private_from_the_start(tmp_path):
    folder = tmp_path / "home" / "prefect"
    program = "import os; os.umask(0o022); import flows"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PREFECT_HOME": str(folder)}, check=True)
    assert mode(folder) == "0700"


@pytest.mark.parametrize(("mask", "folder", "file"), [(0o002, "2770", "0660"), (0o077, "2700", "0600")])
def test_a_home_that_a_group_shares_is_open_to_the_group_unless_the_account_withholds_it(mask, folder, file, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o2770)
    with umask(mask):
        assert ratinglist("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08", home=home).returncode == 0
        assert ratinglist("load", SAMPLE / "reports" / MONTH / "masters.trf", home=home).returncode == 0
    # A folder made in a folder of a group is of that group: the bit 2000.
    folders = dict.fromkeys(("log", "originals", "reports"), folder)
    assert modes(home) == {**folders, "ratinglist.duckdb": file}


def test_a_file_of_another_account_is_left_to_its_owner(tmp_path, monkeypatch):
    (tmp_path / "reports").mkdir(mode=0o755)

    def refused(_path: Path, _mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    close_to_others(tmp_path)
    assert exposed(tmp_path) == [tmp_path / "reports"]
