"""The files of predictions: the games that several systems count alike are one file, and are read once.

In the folder of a system, by the month in which the events ended and by the list that their games count for:
``games/<month>/<list>.parquet`` (:data:`~ratinglist.analysis.laboratory.predictions.PREDICTED_GAME_TABLE`), and
``predictions/<month>/<list>.parquet`` with what the system expects of these games, in the same order. The files of
games of systems that are replayed together are links to one file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

import polars as pl

from ratinglist.analysis.laboratory.predictions import PREDICTED_GAME_TABLE, PREDICTION_TABLE, Predictions
from ratinglist.durable_files import link
from ratinglist.private_files import make_private_folder
from ratinglist.store.table_files import write_parquet

_GAMES, _PREDICTIONS = "games", "predictions"


class PredictionWriter:
    """Writes the predictions of one list by several systems, also in threads."""

    def __init__(self) -> None:
        self._written: defaultdict[str, list[tuple[pl.DataFrame, Path]]] = defaultdict(list)
        self._lock = Lock()

    def write(self, folder: Path, month: str, of_list: str, found: Predictions) -> None:
        """Write the predictions of the events that ended in ``month`` into the ``folder`` of a system."""
        games, expected = (folder / name / month / f"{of_list}.parquet" for name in (_GAMES, _PREDICTIONS))
        for path in (games, expected):
            make_private_folder(path.parent)
        with self._lock:
            same = next((path for rows, path in self._written[month] if _are_equal(rows, found.games)), None)
            if same is None:
                write_parquet(games, PREDICTED_GAME_TABLE, found.games)
                self._written[month].append((found.games, games))
            else:
                link(same, games)
        # Expected scores of a month hardly repeat: a better compression takes its time and saves little.
        found.expected.write_parquet(expected, compression="lz4", statistics=False)


class PredictionReader:
    """Reads the predictions of several systems; files of games that are links to one file are read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[tuple[int, int], ...], tuple[pl.DataFrame, pl.Series | None]] = {}

    def __call__(self, folder: Path, patterns: Iterable[str]) -> Predictions:
        """Return the predictions of the files of a system whose names match one of ``patterns``, as one table."""
        there = folder / _PREDICTIONS
        paths = sorted(path.relative_to(there) for pattern in patterns for path in there.glob(pattern))
        games, row = self._games([folder / _GAMES / path for path in paths])
        read = (pl.read_parquet(there / path, glob=False) for path in paths)
        expected = pl.concat([PREDICTION_TABLE.empty(), *read], rechunk=True)
        return Predictions(games, expected if row is None else expected[row])

    def _games(self, paths: list[Path]) -> tuple[pl.DataFrame, pl.Series | None]:
        """Return the games in the order of their key, and the rows of the files in that order; None: as they are."""
        files = tuple((status.st_dev, status.st_ino) for status in map(Path.stat, paths))
        if files not in self._read:
            read = (pl.read_parquet(path, glob=False) for path in paths)
            rows = pl.concat([PREDICTED_GAME_TABLE.empty(), *read], rechunk=True)
            row = None
            # One file is in order.
            if len(paths) > 1 and not PREDICTED_GAME_TABLE.is_in_order(rows):
                row = rows.select(pl.arg_sort_by(PREDICTED_GAME_TABLE.key)).to_series()
                rows = rows[row]
            # Encoded, because texts are expensive to compare and to group by.
            self._read[files] = rows.with_columns(pl.col("event_id").cast(pl.Categorical)), row
        return self._read[files]


def _are_equal(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Return whether two frames of games are equal; codes of events are encoded by the same texts."""
    return one.schema == other.schema and one.equals(other)
