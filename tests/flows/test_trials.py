"""Trials of what is in production, each on a real server: a full disk, twenty offices."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ratinglist.workflows import import_files, load
from tests.conftest import office, published_bytes
from tests.flows.served_office import PATIENCE, Receiver, ServedOffice, ended, free_port
from tests.flows.year import FIRST, Year, run_plainly

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


class Database:
    """A PostgreSQL server of its own, with one empty database."""

    def __init__(self, programs: Path, folder: str) -> None:
        # PostgreSQL does not run as root, and no other account sees the folders of the tests.
        account: dict[str, str] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if account:
            shutil.chown(folder, **account)
        port, data = free_port(), f"{folder}/data"
        self.address = f"postgresql+asyncpg://prefect@127.0.0.1:{port}/postgres"
        initialize = [programs / "initdb", "--pgdata", data, "--username", "prefect", "--auth", "trust", "--no-sync"]
        subprocess.run(initialize, check=True, capture_output=True, cwd=folder, **account)
        serve = [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"]
        with Path(folder, "log").open("ab") as log:
            self.process = subprocess.Popen(serve, stdout=log, stderr=log, cwd=folder, **account)


@pytest.fixture
def postgresql() -> Iterator[Database]:
    programs = [*Path("/usr/lib/postgresql").glob("*/bin"), *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    found = next((one for one in programs if (one / "initdb").exists()), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed: on Debian and Ubuntu, as root: apt install postgresql")
    with TemporaryDirectory(prefix="ratinglist-postgresql-", ignore_cleanup_errors=True) as folder:
        database = Database(found, folder)
        yield database
        database.process.send_signal(signal.SIGINT)
        database.process.wait(30)


def lists_told(receiver: Receiver) -> list[str]:
    """Return the lists that people were told of, one for each time."""
    return re.findall("[0-9]{4}-[0-9]{2}", " ".join(message["title"] for message in receiver.arrived))


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Let a folder be a disk of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """Leave no room on a disk, and return the file that has it all."""
    with (folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(1_000_000)):
            pass
    with (folder / "ballast").open("ab", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return folder / "ballast"


@pytest.mark.long
def test_a_run_on_a_full_disk_fails_and_the_list_is_made_and_told_when_there_is_room(receiver, world, tmp_path):
    with small_disk(tmp_path / "office" / "home"), ended(ServedOffice(tmp_path / "office")) as small:
        year = Year(small, world, receiver)
        year.receive(1)
        small.start()
        small.begin()
        year.published(1)
        small.wait(lambda: lists_told(receiver) == [str(FIRST)])

        # The disk is full when a run begins.
        year.receive(2)
        run = small.begin()
        small.wait(lambda: small.has_process(run))
        ballast = fill(small.home)
        small.wait(lambda: not small.has_process(run))
        assert not (small.home / "published" / str(FIRST + 1) / "latest").exists()
        ballast.unlink()

        # There is room again, and the receiver is down when the list is published.
        receiver.down()
        small.wait(small.is_idle)
        small.begin()
        year.published(2)
        receiver.up()
        small.begin()
        small.wait(lambda: set(lists_told(receiver)) == {str(FIRST), str(FIRST + 1)})
        published = published_bytes(small.home)
    assert published == run_plainly(tmp_path / "plain", world, 2)


@pytest.mark.long
def test_twenty_offices_on_one_server_publish_what_plain_runs_publish(homes, postgresql, receiver, tmp_path):
    first, *others = offices = [tmp_path / f"office-{number:02}" for number in range(1, 21)]
    shutil.copytree(homes / "2025-09", first)
    with (first / "office.toml").open("a", encoding="utf-8") as file:
        file.write(receiver.section())
    import_files.import_players(office(first), SAMPLE / "players-2025-10.csv")
    load.load(office(first), [SAMPLE / "reports" / "2025-10"])
    for home in others:
        shutil.copytree(first, home)
    variables = {"PREFECT_API_DATABASE_CONNECTION_URL": postgresql.address}
    with ended(ServedOffice(tmp_path / "served", variables, offices)) as served:
        served.today(date(2025, 12, 1))
        served.start()
        began = time.monotonic()
        for home in offices:
            served.begin(date(2025, 9, 30), home.name)
        most: Counter[str] = Counter()

        def is_done() -> bool:
            for unit, process in served.processes().items():
                most[unit] = max(most[unit], resident(process))
            most["runs"] = max(most["runs"], sum(map(resident, served.processes_of())))
            return all((home / "published" / "2025-10" / "latest").exists() for home in offices)

        give_up = time.monotonic() + 5 * PATIENCE
        while not is_done():
            assert time.monotonic() < give_up, served.text()
            time.sleep(0.5)
        served.wait(served.is_idle)
        seconds = time.monotonic() - began
    # Shown by -s: the figures of the page on production.
    sys.stderr.write(f"{seconds:.0f} s for {len(offices)} lists; the most memory in MB: {dict(most)}\n")
    expected = published_bytes(homes / "2025-10")
    assert [home.name for home in offices if published_bytes(home) != expected] == []
    assert {message["title"] for message in receiver.arrived} == {
        f"[ratinglist {home.name}] Published: 2025-10" for home in offices
    }


def resident(process: int) -> int:
    """Return the memory of a process, in MB."""
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * 4096 // 1_000_000
    return 0
