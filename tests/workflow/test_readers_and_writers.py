"""Commands that only read: while another process writes, on a disk that cannot be written, on a home that is none."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ratinglist.errors import StoreInUseError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.workflows import import_files, run
from ratinglist.workflows.opening import UNUSABLE, open_to_read
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office, published_bytes
from tests.parameters import long_but
from tests.stores import open_store

pytestmark = pytest.mark.asks_only()

READING = (
    ["status"],
    ["find", "anna"],
    ["quarantine"],
    ["event", "ORV25094"],
    ["identities"],
    ["list", "2025-11"],
    ["explain", "99900471"],
    ["sql", "select count(*) from lists"],
    ["log"],
)
WRITING = (
    ["rate", "2025-12"],
    ["load", str(SAMPLE / "reports" / "2025-12")],
    ["import-players", str(SAMPLE / "players-2025-12.csv")],
    ["publish", "2025-12"],
    ["rollback", "2025-12", "--because", "tried out"],
    ["backup", "{home}-backup"],
)


HOLDS_THE_HOME = """
import sys
from pathlib import Path
from ratinglist.home.location import held_to_write
with held_to_write(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""
HOLDS_THE_STORE = """
import duckdb, sys
store = duckdb.connect(f"{sys.argv[1]}/ratinglist.duckdb")
if len(sys.argv) > 2:
    store.execute(sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def in_another_process(program: str, *arguments: str | Path) -> Iterator[None]:
    """Run a program of a few lines that holds something of a home, until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    try:
        yield
    finally:
        process.communicate()


def test_reading_commands_work_while_another_writes_and_a_second_writer_is_refused(rated: Settings) -> None:
    with in_another_process(HOLDS_THE_HOME, rated.home):
        for command in READING:
            assert ratinglist(*command, home=rated.home).returncode == 0, command
        for command in WRITING:
            shown = ratinglist(*(word.format(home=rated.home) for word in command), home=rated.home)
            assert shown.returncode == StoreInUseError.exit_code, command
            assert f"ratinglist: {rated.home} is in use by another command that writes. Wait " in shown.stderr


INSERTION = "insert into list_imported values ('2031-01', 'standard')"


@pytest.mark.parametrize(
    ("statement", "reading", "month"),
    [(INSERTION, READING[:1], MONTHS[0]), pytest.param("", READING, MONTHS[-1], marks=pytest.mark.long)],
    ids=["writes", "reads"],
)
def test_a_foreign_program_that_holds_the_store_stops_writers_alone(
    homes: Path, tmp_path: Path, statement: str, reading: tuple[list[str], ...], month: str
) -> None:
    rated = office(Path(shutil.copytree(homes / month, tmp_path / "home")))
    before = published_bytes(rated.home)
    with in_another_process(HOLDS_THE_STORE, rated.home, *filter(None, [statement])):
        for command in reading:
            assert ratinglist(*command, home=rated.home).returncode == 0, command
        for command in WRITING[:-1]:
            shown = ratinglist(*command, home=rated.home)
            assert shown.returncode == StoreInUseError.exit_code, (command, shown)
            assert f"{rated.store} is open in another program" in shown.stderr
            assert "PID" not in shown.stderr
        shown = ratinglist("doctor", home=rated.home)
        assert (shown.returncode, f"{rated.store}\n  is open in another program" in shown.stdout) == (4, True)
    # What it wrote is no fact of the office.
    ratinglist("doctor", "--rebuild", home=rated.home)
    with open_store(rated.store) as store:
        assert store.read("select * from list_imported where month = '2031-01'").is_empty()
    assert published_bytes(rated.home) == before


def test_what_a_killed_foreign_program_wrote_into_the_store_is_no_fact(first_month: Settings) -> None:
    program = HOLDS_THE_STORE.replace("sys.stdin.read()", "import os; os._exit(9)")
    subprocess.run(
        [sys.executable, "-c", program, str(first_month.home), INSERTION], check=False, stdout=subprocess.DEVNULL
    )
    assert Path(f"{first_month.store}.wal").exists()
    shown = ratinglist("status", home=first_month.home)
    assert shown.returncode == 0
    assert f"{first_month.store} {UNUSABLE}. It is made again from the log" in shown.stderr
    with open_to_read(first_month) as store:
        assert store.read("select * from list_imported where month = '2031-01'").is_empty()


def test_a_writer_does_not_wait_for_a_reader_who_keeps_what_it_reads(first_month: Settings) -> None:
    month, players = Period.parse(MONTHS[0]), first_month.home / "players.csv"
    players.write_text('fide_id,name,federation\n99999901,"Newname, Nora",ORV\n', encoding="utf-8")
    query = "select * from player where fide_id = 99999901"
    # The calculation of a published list is kept.
    run.rate(first_month, month)
    with open_to_read(first_month) as store:
        before = set(CalculationFolder.of(store.folders, store.log.history.calculations[-1]).path.iterdir())
        import_files.import_players(first_month, players)
        run.rate(first_month, month)
        assert store.read(query).is_empty()
        assert not store.read("select * from event").is_empty()
        assert all(path.exists() for path in before)
    run.rate(first_month, month)
    assert not any(path.suffix == ".parquet" and path.exists() for path in before)
    with open_to_read(first_month) as store:
        assert len(store.read(query)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_reading_commands_work_where_nothing_may_be_written(rated: Settings) -> None:
    folders = [rated.home, *(path for path in rated.home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        for command in READING:
            assert ratinglist(*command, home=rated.home).returncode == 0, command
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("is_written", long_but([True, False], False))
def test_a_store_that_does_not_fit_is_made_again_also_where_it_cannot_be_written(
    first_month: Settings, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    if not is_written:
        monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    first_month.store.unlink()
    with open_to_read(first_month) as store:
        assert len(store.read("select * from list_imported")) == 1
    assert first_month.store.exists() == is_written
