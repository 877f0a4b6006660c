"""The months of a made-up federation, received on their days, in an office that is served and by plain commands."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, run
from tests.conftest import asks_nothing, published_bytes
from tests.flows.served_office import Receiver, ServedOffice

FIRST = Period.parse("2025-01")
QUESTION = "large_change"
REASON = "Looked at every one"


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


def run_plainly(
    home: Path, world: Path, months: int, asking: tuple[int, ...] = (), missed: tuple[int, ...] = ()
) -> dict[str, bytes]:
    """Publish the months with `ratinglist run`, and return the published files; ``asking``: those with a question.

    ``missed``: those whose players' files all arrive before the first of their lists, which knows what they say.
    """
    begin(home, world)
    for number in range(1, months + 1):
        period = FIRST + (number - 1)
        arrived = missed if number in missed else (number,)
        for month in (FIRST + (other - 1) for other in arrived if number == arrived[0]):
            import_files.import_players(on_its_day(home, month), world / f"players-{month}.csv")
        reasons = {}
        if number in asking:
            ask(home)
            reasons = {QUESTION: REASON}
        run.run(on_its_day(home, period), period, [world / "reports" / str(period)], because=reasons)
        if reasons:
            asks_nothing(home)
    return published_bytes(home)


class Year:
    """The months of a served office, one after the other."""

    def __init__(self, served: ServedOffice, world: Path, receiver: Receiver) -> None:
        self.served, self.world, self.receiver = served, world, receiver
        begin(served.home, world)
        self.notify()

    def notify(self) -> None:
        """Name the receiver in `office.toml`."""
        with (self.served.home / "office.toml").open("a", encoding="utf-8") as file:
            file.write(self.receiver.section())

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
