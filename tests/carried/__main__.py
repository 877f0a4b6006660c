"""``python -m tests.carried``: keep a home of this version, and the list that it publishes next, for every later one.

The office is one of 60 made-up players. It has published two lists, taken one back and published it again, and
corrected a result. What the archive leaves out is made again from the log: the store, and the files that save time.
"""

from __future__ import annotations

import lzma
import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from unittest.mock import patch

import ratinglist
from tests.carried.office import HOMES, MONTHS, NEXT, TO_THE_NEXT_LIST, write_key
from tests.command_line import entered

OFFICE = """name = "Orvania"

[publication]
signing_key = "office.pem"
"""
MADE_AGAIN = {"ratinglist.duckdb", "current", "search", "compared.json"}


def main() -> None:
    """Write the archive of this version."""
    archive = HOMES / f"{ratinglist.__version__}.tar.xz"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _make(place)
        archive.write_bytes(_packed(place))
    sys.stdout.write(f"{archive}: {archive.stat().st_size:,} bytes\n")


def _make(place: Path) -> None:
    """Make ``office``, with ``next`` as published by a copy of it, from the reports of ``world``."""
    world, office = place / "world", place / "office"
    first, second = MONTHS
    _did(place, first, "simulate", "world", "--players", "60", "--months", "3", "--from", first)
    _did(place, first, "import-list", "world/list-2024-12.csv", "--month", "2024-12")
    write_key(office)
    (office / "office.toml").write_text(OFFICE, encoding="utf-8")
    for month in MONTHS:
        if (world / f"players-{month}.csv").exists():
            _did(place, month, "import-players", f"world/players-{month}.csv")
        _did(place, month, "run", month, f"world/reports/{month}", "--yes")
    _did(place, second, "rollback", second, "--because", "an event was left out", "--by", "Anna Berg")
    typed = ("ORV241200001", "1", "900000019", "900000052", "1-0")
    _did(place, second, "correct", "result", *typed, "--because", "the score sheet says so", "--by", "Anna Berg")
    _did(place, second, "rerate", "--from", first)
    _did(place, second, "import-players", f"world/players-{NEXT}.csv")
    _did(place, second, "run", second, "--yes")
    shutil.copytree(office, place / "kept", symlinks=True)
    _did(place, NEXT, *TO_THE_NEXT_LIST)
    shutil.copytree(office / "published" / NEXT / "r1", place / "next")
    shutil.rmtree(office)
    (place / "kept").rename(office)
    (office / "office.pem").unlink()
    for name in MADE_AGAIN:
        path = office / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for path in (*world.glob("*.*"), *(world / "reports" / month for month in MONTHS)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _did(place: Path, day: str, *words: str) -> None:
    environment = {"RATINGLIST_HOME": "office", "RATINGLIST_TODAY": f"{day}-01", "RATINGLIST_BY": "Anna Berg"}
    with patch.dict(os.environ, environment):
        before = Path.cwd()
        os.chdir(place)
        try:
            shown = entered("ratinglist", *words)
        finally:
            os.chdir(before)
    if shown.returncode:
        raise SystemExit(f"ratinglist {' '.join(words)}\n{shown.stderr}")


def _packed(place: Path) -> bytes:
    """Return all files of ``place`` as a tar archive: the same files give the same bytes."""
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(place.rglob("*")):
                entry = archive.gettarinfo(path, str(path.relative_to(place)))
                entry.mtime = entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mode = 0o755 if path.is_dir() else 0o644
                if path.is_dir():
                    archive.addfile(entry)
                elif path.is_file():
                    entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
                    with path.open("rb") as content:
                        archive.addfile(entry, content)
        packed.seek(0)
        return lzma.compress(packed.read(), preset=9 | lzma.PRESET_EXTREME)


if __name__ == "__main__":
    main()
