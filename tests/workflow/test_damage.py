"""Damage to any file of a home is found, named, and rebuilt to the same published bytes, or what is lost is named."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from ratinglist.config import Settings
from ratinglist.errors import HomeError
from ratinglist.store.table_scan import TableScan, scan
from ratinglist.workflows import doctor, rebuild
from tests.conftest import MONTHS, ROOT, made_once, office, published_bytes
from tests.workflow.test_interrupted_commands import ENVIRONMENT

STORE, LOG = "ratinglist.duckdb", "ratinglist.duckdb.wal"


@dataclass(frozen=True)
class Whole:
    """A home that is whole: its published bytes, and what its store holds."""

    home: Path
    published: dict[str, bytes]
    store: TableScan


def _killed_after_an_import(folder: Path, home: Path) -> None:
    """Make a home of one month whose last command was killed: its change is in the write-ahead log."""
    shutil.copytree(home, folder / "home")
    settings = office(folder / "home")
    players = folder / "players.csv"
    players.write_text('fide_id,name,federation\n99999901,"Newname, Nora",ORV\n', encoding="utf-8")
    command = [sys.executable, "-m", "tests.import_killed", str(settings.home), str(players)]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.fixture(scope="session")
def whole(homes: Path, for_all_workers: Path) -> Whole:
    """A home with a write-ahead log; look, do not touch."""
    folder = made_once(
        for_all_workers / "killed-after-an-import", lambda folder: _killed_after_an_import(folder, homes / MONTHS[0])
    )
    home = folder / "home"
    store = scan(home / STORE)
    assert store.wrong == []
    assert (home / LOG).stat().st_size > 100
    return Whole(home, published_bytes(home), store)


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
    "log": LOG,
    "inputs": "archive/inputs/*",
    "journal": "archive/journal/*.json",
    "reports": "reports/*",
    "calculations": "calculations/**/*.*",
    "published": "published/**/*",
}


def damage(home: Path, part: str, kind: str, random: Random) -> list[Path]:
    """Damage a file of a part of the home, or swap two; return the files that are others now."""
    files = sorted(path for path in home.glob(PARTS[part]) if path.is_file())
    path = random.choice(files)
    data = path.read_bytes()
    if kind == "swap":
        others = [one for one in files if one.read_bytes() != data]
        other = random.choice(others or [home / "archive" / "journal" / "000001.json"])
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
        rebuild.rebuild(settings)
    except HomeError as error:
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
        assert whole.store.differences(scan(settings.store)) == []
        assert published_bytes(home) == whole.published
        return "harmless"
    named = "\n".join(f"{one.file} {one.description}" for one in found.problems)
    if part in ("inputs", "journal", "reports", "published"):
        # The files of a revision whose manifest is damaged too cannot be judged until it is put back.
        assert all(str(path) in named or str(path.parent / "manifest.json") in named for path in damaged), named
    else:
        # A cut write-ahead log is found by the journal, a file of a calculation by that of its digests.
        assert str(damaged[0]) in named or "older than this home" in named or str(damaged[0].parent) in named, named
    refusal = refused_rebuild(settings)
    if refusal:
        # Lost is an original, or an entry of the journal together with the store.
        assert {path.parent.name for path in damaged} & {"inputs", "reports", "journal"}
        assert any(str(path) in refusal for path in damaged), refusal
        return "lost"
    assert published_bytes(home) == whole.published
    assert whole.store.differences(scan(settings.store)) == []
    assert doctor.check(settings).problems == []
    return "rebuilt"


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        *[("store", "block"), ("log", "bit"), ("inputs", "bit"), ("reports", "swap"), ("journal", "block")],
        pytest.param("calculations", "swap", marks=pytest.mark.thorough),
        pytest.param("published", "gone", marks=pytest.mark.thorough),
    ],
)
def test_damage_is_found_and_rebuilt(whole: Whole, tmp_path: Path, part: str, kind: str) -> None:
    expected = "lost" if part in ("inputs", "reports") else "rebuilt"
    assert check_damage(whole, tmp_path, part, kind, 1) in (expected, "harmless" if part == "store" else expected)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_any_damage_is_found_and_rebuilt(whole: Whole, tmp_path: Path, part: str) -> None:
    ends = []
    for number in range(30):
        kind = [*KINDS, "swap", "gone"][number % 5]
        ends.append(check_damage(whole, tmp_path / str(number), part, kind, number))
        shutil.rmtree(tmp_path / str(number))
    assert "rebuilt" in ends or part in ("inputs", "reports")
