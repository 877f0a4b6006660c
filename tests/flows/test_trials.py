"""A trial of what is in production, on a real server and its database: twenty offices."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ratinglist.workflows import import_files, load
from tests.conftest import office, published_bytes
from tests.flows.served_office import ServedOffice, ended, free_port

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
        for home in offices:
            served.begin(date(2025, 9, 30), home.name)
        for home in offices:
            served.wait((home / "published" / "2025-10" / "latest").exists)
        served.wait(served.is_idle)
    expected = published_bytes(homes / "2025-10")
    assert [home.name for home in offices if published_bytes(home) != expected] == []
    assert {message["title"] for message in receiver.arrived} == {
        f"[ratinglist {home.name}] Published: 2025-10" for home in offices
    }
