"""What many tests stand on: the sample federation, and offices that have rated its months."""

from __future__ import annotations

import shutil
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from ratinglist import pipeline
from ratinglist.period import Period
from ratinglist.publication.thresholds import Thresholds
from ratinglist.settings import Settings

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "sample"
MONTHS = ("2025-09", "2025-10", "2025-11", "2025-12")


def office(home: Path, family: str = "fide") -> Settings:
    """A rating office in ``home`` on a fixed day."""
    return Settings(home=home, family=family, today=date(2025, 12, 1))


def rate_sample(settings: Settings, months: tuple[str, ...] = MONTHS) -> None:
    """Run the sample federation through ``months``, one after the other, as its office would."""
    pipeline.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"))
    for month in months:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            pipeline.import_players(settings, players)
        pipeline.run(settings, Period.parse(month), [SAMPLE / "reports" / month])


@pytest.fixture(scope="session")
def _rated_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("office") / "home"
    rate_sample(office(home))
    return home


@pytest.fixture
def rated(_rated_home: Path, tmp_path: Path) -> Settings:
    """An office that has published all months of the sample; yours to break."""
    home = tmp_path / "home"
    shutil.copytree(_rated_home, home)
    return office(home)


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


def asks_nothing(home: Path) -> None:
    """Make ``home`` an office that asks no questions before it publishes: in a made-up world everything is unusual."""
    home.mkdir(parents=True, exist_ok=True)
    lines = [f"{one.name} = 10000" for one in fields(Thresholds)]
    (home / "office.toml").write_text("\n".join(["[questions]", *lines, ""]), encoding="utf-8")
