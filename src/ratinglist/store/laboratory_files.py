"""The digests of the Parquet files of a folder of the laboratory, and the files that no longer have theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ratinglist.concurrency import map_ordered
from ratinglist.durable_files import sha256_of


def parquet_files(folder: Path) -> list[str]:
    """Return the Parquet files below a folder by their paths in it, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet"))


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every Parquet file below a folder, by its path in it."""
    names = parquet_files(folder)
    return dict(zip(names, map_ordered(lambda name: sha256_of(folder / name), names), strict=True))


def altered_files(folder: Path, digests: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files of ``digests`` that are missing or have another digest, by name."""

    def is_as_stated(name: str) -> bool:
        return (folder / name).is_file() and sha256_of(folder / name) == digests[name]

    names = sorted(digests)
    for name, is_whole in zip(names, map_ordered(is_as_stated, names), strict=True):
        if not is_whole:
            yield folder / name
