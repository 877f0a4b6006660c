"""Damage to any file of a home is found, named, and rebuilt to the same published bytes, or what is lost is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from ratinglist.errors import AlteredError, HomeError
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, replay
from tests.conftest import MONTHS, office, published_bytes
from tests.workflow.test_damaged_store import facts

STORE = "ratinglist.duckdb"


@dataclass(frozen=True)
class Whole:
    """A home that is whole: its published bytes, and the facts in its store."""

    home: Path
    published: dict[str, bytes]
    facts: dict[str, list[tuple[object, ...]]]


@pytest.fixture(scope="session")
def whole(homes: Path) -> Whole:
    """A home of one month; look, do not touch."""
    home = homes / MONTHS[0]
    return Whole(home, published_bytes(home), facts(home / STORE))


def one_bit(data: bytearray, random: Random) -> bytearray:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def torn_block(data: bytearray, random: Random) -> bytearray:
    start = random.randrange(len(data))
    end = min(len(data), start + 4096)
    data[start:end] = random.randbytes(end - start)
    return data


def cut(data: bytearray, random: Random) -> bytearray:
    return data[: random.randrange(len(data))]


KINDS: dict[str, Callable[[bytearray, Random], bytearray]] = {"bit": one_bit, "block": torn_block, "cut": cut}
PARTS = {
    "store": STORE,
    "log": "log/*.json",
    "originals": "originals/*",
    "reports": "reports/*",
    "calculations": "calculations/**/*.*",
    "published": "published/**/*",
}


LOST = ("log", "originals", "reports")
"""What nothing else holds: damage of it is named, and a copy has to be put back."""


def damage(home: Path, part: str, kind: str, random: Random) -> list[Path]:
    """Damage a file of a part of the home, or swap two; return the files that are others now."""
    files = sorted(path for path in home.glob(PARTS[part]) if path.is_file())
    path = random.choice(files)
    data = path.read_bytes()
    if kind == "swap":
        others = [one for one in files if one.read_bytes() != data]
        other = random.choice(others or [home / "log" / "000001.json"])
        swapped = {path: other.read_bytes(), other: data}
    elif kind == "gone":
        path.unlink()
        return [path]
    else:
        changed = bytes(KINDS[kind](bytearray(data), random)) if data else b"x"
        swapped = {path: changed if changed != data else data + b"x"}
    for one, content in swapped.items():
        # A new file, as a file system that loses a block or a copy gone wrong would leave.
        one.unlink()
        one.write_bytes(content)
    return list(swapped)


def refused_rebuild(settings: Settings) -> str:
    """Rebuild the home; return why that is not possible, empty where it is."""
    try:
        replay.rebuild(settings)
    except (AlteredError, HomeError) as error:
        return str(error)
    return ""


def check_damage(whole: Whole, folder: Path, part: str, kind: str, seed: int) -> str:
    """Damage a copy of the home, check and rebuild it; return how it ended: harmless, rebuilt, lost."""
    random = Random(f"{part} {kind} {seed}")
    home = folder / "home"
    shutil.copytree(whole.home, home)
    settings = office(home)
    damaged = damage(home, part, kind, random)
    found = doctor.check(settings)
    if not found.problems:
        # Only a block of the store that holds nothing may be altered without a finding.
        assert part == "store"
        assert facts(settings.store) == whole.facts
        assert published_bytes(home) == whole.published
        return "harmless"
    named = "\n".join(f"{one.file} {one.description}" for one in found.problems)
    if part in ("originals", "log", "reports", "published"):
        # The log is read up to the first entry that is damaged.
        first = min(damaged) if part == "log" else None
        assert str(first) in named if first else all(str(path) in named for path in damaged), named
    else:
        # A file of a calculation is found by that of its digests.
        assert str(damaged[0]) in named or str(damaged[0].parent) in named, named
    refusal = refused_rebuild(settings)
    if refusal:
        # Lost is an original, or an entry of the log.
        assert {path.parent.name for path in damaged} & {"originals", "reports", "log"}
        assert any(str(path) in refusal for path in damaged), refusal
        return "lost"
    assert published_bytes(home) == whole.published
    assert facts(settings.store) == whole.facts
    assert doctor.check(settings).problems == []
    return "rebuilt"


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        *[("store", "block"), ("log", "bit"), ("originals", "bit"), ("reports", "swap"), ("log", "block")],
        pytest.param("calculations", "swap", marks=pytest.mark.long),
        pytest.param("published", "gone", marks=pytest.mark.long),
    ],
)
def test_damage_is_found_and_rebuilt(whole: Whole, tmp_path: Path, part: str, kind: str) -> None:
    expected = "lost" if part in LOST else "rebuilt"
    assert check_damage(whole, tmp_path, part, kind, 1) in (expected, "harmless" if part == "store" else expected)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_any_damage_is_found_and_rebuilt(whole: Whole, tmp_path: Path, part: str) -> None:
    ends = []
    for number in range(30):
        kind = [*KINDS, "swap", "gone"][number % 5]
        ends.append(check_damage(whole, tmp_path / str(number), part, kind, number))
        shutil.rmtree(tmp_path / str(number))
    assert "rebuilt" in ends or part in LOST
