"""Twelve months of a federation of 2,000 players through a real Prefect server, of which every part is killed.

The published bytes are those of `ratinglist run`, each month on its own day, and every notification arrives once.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from prefect.client.orchestration import SyncPrefectClient

from flows.service import cancel_undecided
from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.simulation.plan import world_of
from ratinglist.workflows import import_files, load, publish, run
from ratinglist.workflows.opening import open_to_write
from ratinglist.workflows.simulate import simulate
from tests.conftest import asks_nothing, published_bytes
from tests.flows.served_office import Receiver, ServedOffice, WorkedOffice, ended, free_port

FIRST = Period.parse("2025-01")
QUESTION = "large_change"
REASON = "Looked at every one"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "world"
    simulate(folder, world_of(2000, FIRST), 12)
    return folder


def on_its_day(home: Path, period: Period) -> Settings:
    """The office on the evening on which the list of a month is due."""
    return Settings.read(home=home, today=period.first_day - timedelta(days=1), environment={})


def begin(home: Path, world: Path) -> None:
    """Import the list that the federation starts from."""
    asks_nothing(home)
    import_files.import_list(on_its_day(home, FIRST), world / f"list-{FIRST - 1}.csv", FIRST - 1)


def ask(home: Path) -> None:
    """Let the next list raise a question: every change is a large one."""
    file = home / "office.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"^(change_\w+) = 10000$", r"\1 = 1", text, flags=re.MULTILINE), encoding="utf-8")


def receive(home: Path, world: Path, period: Period) -> None:
    """Receive what arrives for the list of a month, by commands typed next to the runs."""
    settings = on_its_day(home, period)
    import_files.import_players(settings, world / f"players-{period}.csv")
    load.load(settings, [world / "reports" / str(period)])


def run_plainly(home: Path, world: Path, months: int, asking: tuple[int, ...] = ()) -> dict[str, bytes]:
    """Publish the months with `ratinglist run`, and return the published files; ``asking``: those with a question."""
    begin(home, world)
    for number in range(1, months + 1):
        period = FIRST + (number - 1)
        import_files.import_players(on_its_day(home, period), world / f"players-{period}.csv")
        reasons = {}
        if number in asking:
            ask(home)
            reasons = {QUESTION: REASON}
        run.run(on_its_day(home, period), period, [world / "reports" / str(period)], because=reasons)
        if reasons:
            asks_nothing(home)
    return published_bytes(home)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    made.up()
    yield made
    made.down()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedOffice]:
    with ended(ServedOffice(tmp_path / "served")) as office:
        yield office


@pytest.fixture
def postgresql() -> Iterator[str]:
    """The address of an empty database of a PostgreSQL server of its own."""
    programs = [*Path("/usr/lib/postgresql").glob("*/bin"), *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    found = next((one for one in programs if (one / "initdb").exists()), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed: on Debian and Ubuntu, as root: apt install postgresql")
    # PostgreSQL does not run as root, and no other account sees the folders of the tests.
    account: dict[str, str] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    with TemporaryDirectory(prefix="ratinglist-postgresql-") as folder:
        if account:
            shutil.chown(folder, **account)
        port = free_port()
        data = f"{folder}/data"
        initialize = [found / "initdb", "--pgdata", data, "--username", "prefect", "--auth", "trust", "--no-sync"]
        subprocess.run(initialize, check=True, capture_output=True, cwd=folder, **account)
        serve = [found / "postgres", "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"]
        with (
            Path(folder, "log").open("wb") as log,
            subprocess.Popen(serve, stdout=log, stderr=log, cwd=folder, **account) as server,
        ):
            yield f"postgresql+asyncpg://prefect@127.0.0.1:{port}/postgres"
            server.send_signal(signal.SIGINT)


class Year:
    """The months of a served office, one after the other."""

    def __init__(self, served: ServedOffice, world: Path, receiver: Receiver) -> None:
        self.served, self.world, self.receiver = served, world, receiver
        begin(served.home, world)
        self.notify()

    def notify(self) -> None:
        """Name the receiver in `office.toml`."""
        with (self.served.home / "office.toml").open("a", encoding="utf-8") as file:
            file.write(f'[notify]\nwebhooks = ["http://127.0.0.1:{self.receiver.port}/"]\n')

    def receive(self, number: int) -> Period:
        """Come to the day of a month and receive its reports."""
        period = FIRST + (number - 1)
        self.served.today(on_its_day(self.served.home, period).today)
        receive(self.served.home, self.world, period)
        return period

    def published(self, number: int) -> None:
        """Wait until a month is published and no run is left."""
        manifest = self.served.home / "published" / str(FIRST + (number - 1)) / "r1" / "manifest.json"
        self.served.wait(lambda: manifest.exists() and self.served.is_idle())

    def question(self, number: int) -> str:
        """Make a list that raises a question, and return the run once it waits."""
        ask(self.served.home)
        self.receive(number)
        run = self.served.begin()
        self.waits(run)
        return run

    def waits(self, run: str) -> None:
        """Wait until a run waits for a decision, without a process."""
        self.served.wait(lambda: self.served.state(run)["name"] == "Suspended" and not self.served.has_process(run))

    def answered(self, number: int) -> None:
        """Wait until a list that raised a question is published; the next ones raise none."""
        self.published(number)
        asks_nothing(self.served.home)
        self.notify()

    def month(self, number: int, step: str = "", *victims: int) -> None:
        """Make a list; at a step on the disk, processes are killed."""
        period = self.receive(number)
        if step:
            self.served.kill_at(step.format(period), *victims)
        self.served.begin()
        if step:
            self.served.wait(self.served.is_trap_sprung)


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
    year.month(3, "calculations/month={}/", served.serving())
    served.wait(served.is_killed)
    served.start()
    year.published(3)

    # And while it publishes.
    year.month(4, "drafts/published/{}/r1/standard.csv", served.serving())
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
    made = [served.text().index(f"List of {FIRST + number} published as r1") for number in (4, 5, 6)]
    assert made == sorted(made)

    # Both are killed after the list is published, before it is announced; the receiver is down too.
    receiver.down()
    year.month(8, "home/published/{}/r1", served.serving())
    served.wait(served.is_killed)
    served.start()
    year.published(8)
    arrived = len(receiver.arrived)
    receiver.up()
    served.wait(lambda: len(receiver.arrived) > arrived)

    # A question that waits too long; the next run takes the list up. It is answered on the command line while
    # everything is stopped.
    undecided = year.question(9)
    with SyncPrefectClient(str(served.api.base_url)) as client:
        assert len(cancel_undecided(client, served.home, datetime.now(UTC) + timedelta(days=8))) == 1
    answered = served.begin()
    year.waits(answered)
    served.stop()
    publish.publish(on_its_day(served.home, FIRST + 8), FIRST + 8, {QUESTION: REASON})
    served.start()
    served.resume(answered)
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

    assert published_bytes(served.home) == run_plainly(tmp_path / "plain", world, 12, asking=(9, 11))
    assert {states[answered], states[waiting]} == {"COMPLETED"}
    assert states.pop(undecided) == "CANCELLED"
    assert set(states.values()) == {"COMPLETED", "CRASHED"}
    counts = Counter((one["event"], one["run"], one["digest"]) for one in receiver.arrived)
    assert set(counts.values()) == {1}
    events = [(event, run) for event, run, _ in counts]
    assert {run for event, run in events if event == "crashed"} == {
        run for run, state in states.items() if state == "CRASHED"
    }
    published = " ".join(one["subject"] for one in receiver.arrived if one["event"] == "published")
    assert sorted(re.findall("[0-9]{4}-[0-9]{2}", published)) == [str(FIRST + number) for number in range(12)]
    assert [run for event, run in events if event == "waiting"] == [undecided, answered, waiting]
    assert [run for event, run in events if event == "cancelled"] == [undecided]
    assert len([event for event, _ in events if event == "crashed"]) >= 2


@pytest.mark.long
def test_a_worker_of_a_server_on_postgresql_publishes_the_same_and_makes_a_killed_run_again(
    postgresql, receiver, world, tmp_path
):
    with ended(WorkedOffice(tmp_path / "worked", {"PREFECT_API_DATABASE_CONNECTION_URL": postgresql})) as office:
        year = Year(office, world, receiver)
        year.receive(1)
        office.start()
        office.begin()
        year.published(1)
        year.month(2, "drafts/published/{}/r1/standard.csv")
        year.published(2)
        year.month(3)
        year.published(3)
        states = Counter(run["state_type"] for run in office.runs())

    assert published_bytes(office.home) == run_plainly(tmp_path / "plain", world, 3)
    assert states == {"COMPLETED": 3, "CRASHED": 1}
    assert Counter(one["event"] for one in receiver.arrived) == {"published": 3, "crashed": 1}
