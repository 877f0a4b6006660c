"""Twelve months of a federation of 2,000 players through a real Prefect server on each database; every part is killed.

The published bytes are those of `ratinglist run`, each month on its own day, and people are told of every list.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ratinglist.publication.manifest import PUBLISHING
from ratinglist.workflows import publish
from ratinglist.workflows.opening import open_to_write
from tests.conftest import published_bytes
from tests.flows.served_office import Receiver, ServedOffice, ended, free_port
from tests.flows.year import FIRST, QUESTION, REASON, Year, on_its_day, run_plainly


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
    binaries = next((directory for directory in programs if (directory / "initdb").exists()), None)
    if binaries is None:
        pytest.skip("PostgreSQL is not installed: on Debian and Ubuntu, as root: apt install postgresql")
    with TemporaryDirectory(prefix="ratinglist-postgresql-", ignore_cleanup_errors=True) as folder:
        database = Database(binaries, folder)
        yield database
        database.process.send_signal(signal.SIGINT)
        database.process.wait(30)


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServedOffice]:
    variables = {}
    if request.param == "PostgreSQL":
        variables["PREFECT_API_DATABASE_CONNECTION_URL"] = request.getfixturevalue("postgresql").address
    with ended(ServedOffice(tmp_path / "served", variables)) as office:
        yield office


@pytest.mark.long
def test_a_year_in_which_everything_is_killed_publishes_what_plain_runs_publish(served, receiver, world, tmp_path):
    year = Year(served, world, receiver)
    year.receive(1)
    served.start()
    served.begin()
    year.published(1)

    # The flow is killed while it writes the calculation.
    year.month(2, "calculations/month={}/")
    year.published(2)

    # The serving process is killed under a run while it calculates, and the server with it.
    year.month(3, "calculations/month={}/", *served.processes().values())
    served.wait(served.is_killed)
    served.start()
    year.published(3)

    # And while it publishes.
    year.month(4, "drafts/published/{}/r1/standard.csv", *served.processes().values())
    served.wait(served.is_killed)
    served.start()
    year.published(4)

    # Everything is down on the days of three lists, whose reports arrive. The runs of two of them wait, in disorder.
    served.stop()
    fifth, _, seventh = (on_its_day(served.home, year.receive(number)).today for number in (5, 6, 7))
    served.start()
    for day in (seventh, fifth):
        served.begin(day)
    year.published(7)
    places = [served.text().index(f"List of {FIRST + number} published as r1") for number in (4, 5, 6)]
    assert places == sorted(places)

    # Both are killed after the list is published, before people are told; the receiver is down too.
    receiver.down()
    year.month(8, f"home/published/{PUBLISHING}", *served.processes().values())
    served.wait(served.is_killed)
    served.start()
    year.published(8)
    assert str(FIRST + 7) not in told(receiver)
    receiver.up()

    # A question, which is answered on the command line while everything is stopped: the run goes on by itself.
    answered = year.question(9)
    assert str(FIRST + 7) in told(receiver), "the run told it before all else"
    served.stop()
    publish.publish(on_its_day(served.home, FIRST + 8), FIRST + 8, {QUESTION: REASON})
    served.start()
    year.answered(9)

    # The flow is killed while it publishes.
    year.month(10, "drafts/published/{}/r1/standard.csv")
    year.published(10)

    # A question, which is answered in the form.
    waiting = year.question(11)
    served.resume(waiting, reasons={QUESTION: REASON}, name="Anna")
    year.answered(11)

    # Another command writes the store when the run begins, and everything is stopped while the run waits for it.
    period = year.receive(12)
    with open_to_write(on_its_day(served.home, period)):
        served.begin()
        served.wait(lambda: "Retry 1/3 will start" in served.text())
        before = served.text()
        served.stop()
    assert "Traceback" not in served.text().removeprefix(before)
    served.start()
    year.published(12)
    states = {run["id"]: run["state_type"] for run in served.runs()}
    served.stop()

    assert published_bytes(served.home) == run_plainly(tmp_path / "plain", world, 12, asking=(9, 11), missed=(5, 6, 7))
    assert {states[answered], states[waiting]} == {"COMPLETED"}
    assert set(states.values()) == {"COMPLETED"}, "every run that was killed was started again"
    assert set(told(receiver)) == {str(FIRST + number) for number in range(12)}


def told(receiver: Receiver) -> list[str]:
    """Return the lists that people were told of, one for each time."""
    return re.findall("[0-9]{4}-[0-9]{2}", " ".join(message["title"] for message in receiver.arrived))
