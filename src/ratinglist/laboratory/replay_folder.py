"""The folder of one system's finished replay: its facts, its files and their digests, and how to make it again.

``HOME/lab/<digest>/<control>-<start>/<system>/`` has ``lists/<month>.parquet``, the predictions, and ``replay.json``,
which is written last and has the SHA-256 of every other file.

Predictions are in files by the month in which the events ended and by the list that their games count for; a list that
is calculated in several buckets has a file for each:
``games/<month>/<list>.parquet`` (:data:`~ratinglist.laboratory.predictions.PREDICTED_GAME_TABLE`), and
``predictions/<month>/<list>.parquet`` with what the system expects of these games, in the same order. The files of
games of systems that are replayed together are links to one file: games that several systems count alike are read once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import polars as pl

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import link
from ratinglist.files.private_files import make_private_folder
from ratinglist.laboratory.frozen_months import FrozenMonths, altered_files, parquet_files
from ratinglist.laboratory.predictions import PREDICTED_GAME_TABLE, PREDICTION_TABLE, Predictions
from ratinglist.period import Period
from ratinglist.rating.model import by_fide_id
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_parquet

Start = Literal["list", "scratch"]
STATES = "replay.json"
"""The file that states the facts of a finished replay."""
LAYOUT = 3
"""The version of the files of a replay: one of another version is calculated again."""

_NEEDED = {"lists": int, "games_by_month_of_event": dict, "one_time_steps": list, "changes": list, "files": dict}
"""The facts that a report reads, by their type."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The folder of one system's replayed months."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the name of the system."""
        return self.folder.name

    @property
    def facts(self) -> dict[str, Any]:
        """Return what ``replay.json`` states; raise :class:`AlteredError` where it cannot be read."""
        path = self.folder / STATES
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise self._altered(path) from None
        if not isinstance(found, dict):
            raise self._altered(path)
        if found.get("layout") == LAYOUT and not all(isinstance(found.get(key), kind) for key, kind in _NEEDED.items()):
            raise self._altered(path)
        return found

    @property
    def one_time_steps(self) -> list[str]:
        """Return the lists that have a one-time step of the system's regulations."""
        found: list[str] = self.facts["one_time_steps"]
        return found

    @property
    def changes(self) -> list[str]:
        """Return the changed values of a what-if, each as ``key: before -> after``; empty for any other system."""
        found: list[str] = self.facts["changes"]
        return found

    def check(self) -> None:
        """Raise :class:`AlteredError` where a file of the replay is missing or was altered."""
        files: dict[str, str] = self.facts["files"]
        for path in altered_files(self.folder, files):
            raise self._altered(path)
        if more := [name for name in parquet_files(self.folder) if name not in files]:
            raise self._altered(self.folder / more[0])

    def predictions(
        self, read: PredictionReader, *, events_of: Sequence[str] = (), lists: Sequence[Period] = ()
    ) -> Predictions:
        """Return the predictions of all games of the events that ended in some months, or of all games of some lists.

        ``read``: the reader of all systems that are compared.
        """
        patterns = [f"{month}/*.parquet" for month in events_of] + [f"*/{month}*.parquet" for month in lists]
        return read(self.folder, patterns)

    def ratings(self, month: Period) -> pl.DataFrame | None:
        """Return ``fide_id``, ``rating`` and ``games`` of a list, sorted; None where there is none of that month."""
        path = self.folder / "lists" / f"{month}.parquet"
        return by_fide_id(pl.read_parquet(path, glob=False)) if path.is_file() else None

    def _altered(self, path: Path) -> AlteredError:
        time_control, _, start = self.folder.parent.name.partition("-")
        return AlteredError(
            f"{path} is missing, or is not as `ratinglist lab` wrote it. "
            f"Replay it again: {replay_command([self.name], time_control, start)}"
        )


def replays_of(frozen: FrozenMonths, start: Start, time_control: str, names: Collection[str] = ()) -> list[Replay]:
    """Return the finished replays, sorted by the name of the system; those of another layout are left out.

    ``names``: the systems; default: all. Raises :class:`AlteredError` where the facts of one cannot be read.
    """
    folder = frozen.folder / f"{time_control}-{start}"
    found = [Replay(path.parent) for path in sorted(folder.glob(f"*/{STATES}"))]
    chosen = [one for one in found if not names or one.name in names]
    return [one for one in chosen if one.facts.get("layout") == LAYOUT]


def replay_command(names: Sequence[str], time_control: str, start: str) -> str:
    """Return the command that replays some systems; the file of an analyst's class is not known by its name."""
    options = "" if time_control == "standard" else f" --time-control {time_control}"
    options += "" if start == "list" else f" --start {start}"
    if any("+" in name for name in names):
        return f"ratinglist lab what-if --change KEY=VALUE{options}"
    families = rule_book().families
    texts = [name if name in families else "FILE.py:Class" for name in names]
    return f"ratinglist lab replay --systems {','.join(texts)}{options}"


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
