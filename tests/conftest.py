"""What many tests stand on: the sample federation, and offices that have rated its months."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import hypothesis
import polars as pl
import pytest

from ratinglist.corrections.diff import no_moves
from ratinglist.home.log import Log, path_of
from ratinglist.office import Thresholds
from ratinglist.period import Period
from ratinglist.publication import doubts
from ratinglist.publication.drafts import release
from ratinglist.publication.revisions import EVENTS
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import RerateSummary
from ratinglist.workflows import correct, import_files, rerate, run
from tests.stores import open_store

# How long an example takes shows how busy the machine is, and nothing of the program.
hypothesis.settings.register_profile("of these tests", deadline=None)
hypothesis.settings.load_profile("of these tests")

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "sample"
MONTHS = ("2025-09", "2025-10", "2025-11", "2025-12")
# A result of the first month, corrected.
CORRECTED_GAME = {"round": 1, "white": 99900046, "black": 99900095}
CORRECTION = f"""
[[correction]]
action = "change_result"
match = {{ event_id = "ORV25081", {", ".join(f"{key} = {value}" for key, value in CORRECTED_GAME.items())} }}
result = "1-0"
reason = "the score sheets say so"
who = "chief arbiter"
reported_on = 2025-12-01
"""


FIRST_FOLDERS = ("flows", "docs", "workflow", "sql", "reference", "golden")
"""Their files take longest. They begin first, so that quick ones remain when a process has no more to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders whose files take longest first."""
    rank = {folder: number for number, folder in enumerate(FIRST_FOLDERS)}
    items.sort(key=lambda item: rank.get(item.path.relative_to(ROOT / "tests").parts[0], len(rank)))


def office(home: Path, family: str = "fide") -> Settings:
    """A rating office in ``home`` on a fixed day, with as many threads as its commands would use."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    return Settings(home=home, family=family, today=date(2025, 12, 1), threads=int(threads) if threads else None)


def copied(home: Path, folder: Path, family: str = "fide") -> Settings:
    """A copy of an office in ``folder``; yours to break."""
    return office(Path(shutil.copytree(home, folder / "home", symlinks=True)), family)


def import_sample(settings: Settings) -> None:
    """The list that the sample federation starts from."""
    import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"))


def rate_sample(settings: Settings, months: tuple[str, ...] = MONTHS) -> None:
    """Run the sample federation through ``months``, one after the other, as its office would."""
    import_sample(settings)
    for month in months:
        run_sample(settings, month)


def run_sample(settings: Settings, month: str) -> None:
    """A month of the sample federation: who is new, and what was delivered."""
    if (players := SAMPLE / f"players-{month}.csv").exists():
        import_files.import_players(settings, players)
    run.run(settings, Period.parse(month), [SAMPLE / "reports" / month])


def delivery_of(folder: Path, month: str, *reports: str) -> Path:
    """Make a folder in ``folder`` with these reports of a month, and with what the manifest says of them."""
    whole, part = SAMPLE / "reports" / month, folder / "inbox"
    part.mkdir()
    names = [f"{report}.trf" for report in reports]
    for name in names:
        shutil.copy(whole / name, part)
    manifest = pl.read_csv(whole / "manifest.csv", infer_schema=False)
    manifest.filter(pl.col("file").is_in(names)).write_csv(part / "manifest.csv")
    return part


def corrected_office(sample: Path, home: Path) -> None:
    """Make in ``home`` a copy of the sample's office in which a result of the first month was corrected."""
    shutil.copytree(sample, home)
    settings = office(home)
    file = home.with_suffix(".toml")
    file.write_text(CORRECTION, encoding="utf-8")
    with asking_only():
        correct.correct(settings, file)
        rerate.rerate(settings, Period.parse("2025-09"))


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """``folder`` as ``make`` makes it: the first process to want it makes it, others wait; look, do not touch."""
    with folder.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            shutil.rmtree(begun, ignore_errors=True)
            make(begun)
            begun.rename(folder)
    return folder


@pytest.fixture(scope="session")
def for_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for what is made once in this run of the tests, in however many processes it runs."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _month_by_month(folder: Path) -> None:
    """A home for each stage of the sample's office: with the first list, then after each month."""
    with asking_only():
        import_sample(office(folder / "2025-08"))
        for before, month in pairwise(("2025-08", *MONTHS)):
            shutil.copytree(folder / before, folder / month)
            run_sample(office(folder / month), month)


@pytest.fixture(scope="session")
def homes(for_all_workers: Path) -> Path:
    """The sample's office in a folder for each month, as it is once that is published; look, do not touch."""
    return made_once(for_all_workers / "offices", _month_by_month)


def _awaiting(homes: Path, before: str, month: str, home: Path) -> None:
    shutil.copytree(homes / before, home)
    import_files.import_players(office(home), SAMPLE / f"players-{month}.csv")


@pytest.fixture(scope="session")
def awaiting_september(homes: Path, for_all_workers: Path) -> Path:
    """The sample's office with its first list and the players of September; look, do not touch."""
    return made_once(for_all_workers / "awaiting-september", partial(_awaiting, homes, "2025-08", "2025-09"))


@pytest.fixture(scope="session")
def awaiting_december(homes: Path, for_all_workers: Path) -> Path:
    """The sample's office that has published November and has the players of December; look, do not touch."""
    return made_once(for_all_workers / "awaiting-december", partial(_awaiting, homes, "2025-11", "2025-12"))


@pytest.fixture(scope="session")
def corrected_home(homes: Path, for_all_workers: Path) -> Path:
    """The sample's office after a correction of its first month; look, do not touch."""
    return made_once(for_all_workers / "corrected-office", lambda folder: corrected_office(homes / MONTHS[-1], folder))


@pytest.fixture(scope="session")
def _rated_home(homes: Path) -> Path:
    return homes / MONTHS[-1]


@pytest.fixture(scope="session")
def last(homes: Path) -> Settings:
    """The sample's office after all months; look, do not touch."""
    return office(homes / MONTHS[-1])


@pytest.fixture
def rated(_rated_home: Path, tmp_path: Path) -> Settings:
    """An office that has published all months of the sample; yours to break."""
    return copied(_rated_home, tmp_path)


@pytest.fixture
def first_month(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published the first month of the sample; yours to break."""
    return copied(homes / MONTHS[0], tmp_path)


@pytest.fixture
def until_october(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published the sample up to October; yours to break."""
    return copied(homes / "2025-10", tmp_path)


@pytest.fixture(scope="session")
def published(_rated_home: Path) -> Path:
    """The published folder of the sample; look, do not touch."""
    return _rated_home / "published"


def published_bytes(home: Path) -> dict[str, bytes]:
    """Every published file by its path."""
    folder = home / "published"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def unpublish(settings: Settings, month: str) -> None:
    """Make the month that was published last one that was calculated and never published.

    The newest entry is forgotten; the status of all events is published in its place.
    """
    newest = Log.open(settings.home).newest
    assert newest is not None
    assert [publication["month"] for publication in newest.facts["published"]] == [month]
    path_of(settings.home, newest.number).unlink()
    shutil.rmtree(settings.published / month)
    (settings.published / EVENTS).unlink()
    with open_store(settings.store) as store:
        release(store, settings, "statuses", {}, [], {})


@pytest.fixture
def moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a typed correction not calculate what it would move: that takes two seconds for each published month."""

    def none(_store: object, _settings: object, start: Period) -> tuple[RerateSummary, pl.DataFrame]:
        columns = ("month", "time_control", "fide_id", "old_rating", "rating")
        return RerateSummary(str(start), preview=True, months=[], notes=[]), no_moves().select(columns)

    monkeypatch.setattr(rerate, "effect", none)


CHAIN = (
    *("list_before_is_current", "list_before_was_withdrawn", "list_was_withdrawn", "no_list_before_was_rolled_back"),
    *("calculated_before_undone", "outdated_lists_before"),
)
"""The doubts that stop a list which does not follow the ones before it."""


@contextmanager
def asking_only(*codes: str) -> Iterator[None]:
    """Ask no doubts but these, and calculate no list once more: that is more than half of the time of a publication.

    What each finds, and that the sample raises none, is shown in ``tests/sql``; the session of the README asks all.
    """
    assert {*codes} <= {query.code for query in doubts.queries()} | {"same_again"}
    every = doubts.doubts

    def some(store: Store, asked: Iterable[doubts.Query], *more: Any) -> list[doubts.Doubt]:
        return every(store, [query for query in asked if query.code in codes], *more)

    with pytest.MonkeyPatch.context() as patch:
        for module in (doubts, import_files):
            patch.setattr(module, "doubts", some)
        if "same_again" not in codes:
            patch.setattr(doubts, "same_again", lambda *_: [])
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Ask of a test that is marked ``asks_only``, and of its fixtures, the doubts that the mark names.

    Tests that are long ask all.
    """
    mark = item.get_closest_marker("asks_only")
    with asking_only(*mark.args) if mark and not item.get_closest_marker("long") else nullcontext():
        return (yield)


def asks_nothing(home: Path) -> None:
    """Make ``home`` an office that asks no questions before it publishes: in a made-up world everything is unusual."""
    home.mkdir(parents=True, exist_ok=True)
    lines = [f"{threshold.name} = 10000" for threshold in fields(Thresholds)]
    (home / "office.toml").write_text("\n".join(["[questions]", *lines, ""]), encoding="utf-8")
