"""The folder of one system's finished replay: its facts, its files and their digests, and how to make it again.

``HOME/lab/<digest>/<control>-<start>/<system>/`` has ``lists/<month>.parquet``, the predictions, and ``replay.json``,
which is written last and has the SHA-256 of every other file.

Predictions are in files by the month in which the events ended and by the list that their games count for:
``games/<month>/<list>.parquet`` (:data:`~ratinglist.laboratory.predictions.PREDICTED_GAME_TABLE`), and
``predictions/<month>/<list>.parquet`` with what the system expects of these games, in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import make_private_folder
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

    def predictions(self, *, events_of: Sequence[str] = (), lists: Sequence[Period] = ()) -> Predictions:
        """Return the predictions of the games of events that ended in some months, or of the games of some lists."""
        patterns = [f"{month}/*.parquet" for month in events_of] + [f"*/{month}.parquet" for month in lists]
        return _read_predictions(self.folder, patterns)

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


def write_predictions(folder: Path, month: str, of_list: Period, predictions: Predictions) -> None:
    """Write the predictions of the events that ended in ``month``, for a list, into the ``folder`` of a system."""
    games, expected = (folder / name / month / f"{of_list}.parquet" for name in (_GAMES, _PREDICTIONS))
    for path in (games, expected):
        make_private_folder(path.parent)
    write_parquet(games, PREDICTED_GAME_TABLE, predictions.games)
    # Expected scores of a month hardly repeat: a better compression takes its time and saves little.
    predictions.expected.write_parquet(expected, compression="lz4", statistics=False)


def _read_predictions(folder: Path, patterns: Iterable[str]) -> Predictions:
    """Return the predictions of the files of a system whose names match one of ``patterns``, as one table."""
    there = folder / _PREDICTIONS
    paths = sorted(path.relative_to(there) for pattern in patterns for path in there.glob(pattern))
    games = [pl.read_parquet(folder / _GAMES / path, glob=False) for path in paths]
    expected = [pl.read_parquet(there / path, glob=False) for path in paths]
    read = Predictions.in_order(
        pl.concat([PREDICTED_GAME_TABLE.empty(), *games], rechunk=True),
        pl.concat([PREDICTION_TABLE.empty(), *expected], rechunk=True),
    )
    # Encoded, because texts are expensive to compare and to group by.
    return Predictions(read.games.with_columns(pl.col("event_id").cast(pl.Categorical)), read.expected)
