"""Collect the rows of all players month after month in temporary files, to be read by slices of the players.

The data of two million players in 26 months do not fit into memory at once. A slice has the players whose FIDE IDs have
one remainder, so all rows of a player are in one slice.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

PLAYERS_OF_SLICE = 250_000


def slices_for(players: int) -> int:
    """Return the number of slices for about so many players: a power of two."""
    slices = 1
    while slices * PLAYERS_OF_SLICE < players:
        slices *= 2
    return slices


class CollectedRows:
    """Rows of several kinds, each with ``fide_id``; those of a kind have one schema."""

    def __init__(self, folder: Path, slices: int) -> None:
        """Begin without rows. ``folder`` is made; the caller deletes it."""
        self.slices = slices
        self._folder = folder
        self._files: dict[tuple[str, int], list[Path]] = {}
        folder.mkdir()

    def add(self, kind: str, rows: pl.DataFrame) -> None:
        """Add rows of a kind; their order is kept."""
        if rows.is_empty():
            return
        parts = rows.with_columns((pl.col("fide_id") % self.slices).alias("slice")).partition_by(
            "slice", include_key=False, as_dict=True
        )
        for (number,), part in parts.items():
            files = self._files.setdefault((kind, number), [])
            path = self._folder / f"{kind}-{number}-{len(files)}.parquet"
            part.write_parquet(path, compression="lz4", statistics=False)
            files.append(path)

    def players(self) -> int:
        """Return the number of different FIDE IDs."""
        return sum(self._ids(number).n_unique() for number in range(self.slices))

    def of_slice(self, number: int) -> dict[str, pl.DataFrame]:
        """Return the rows of a slice by kind, in the order they were added; a kind without rows is not there."""
        return {kind: _read(files) for (kind, one), files in self._files.items() if one == number}

    def _ids(self, number: int) -> pl.Series:
        files = [path for (_, one), paths in self._files.items() if one == number for path in paths]
        ids = pl.Series("fide_id", [], dtype=pl.Int64)
        for path in files:
            ids = pl.concat([ids, _read([path], ["fide_id"])["fide_id"]]).unique()
        return ids


def _read(files: list[Path], columns: list[str] | None = None) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(path, columns=columns, glob=False) for path in files)
