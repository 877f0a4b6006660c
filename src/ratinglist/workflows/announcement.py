"""What a notification says of published lists: the log decides which there are, so none is missed, none named twice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.config import Settings
from ratinglist.home.history import History, Publication
from ratinglist.home.log import Log
from ratinglist.quarantine_text import counted_events
from ratinglist.reasons import WAITING
from ratinglist.store import table_files
from ratinglist.workflows.run import largest_changes


@dataclass(frozen=True, slots=True)
class Announcement:
    """A published list.

    ``key``: tells it from every other. ``digest``: the one that the manifest and a preview state. ``text``: what was
    published where, how many reports were rated, and the largest changes.
    """

    key: str
    month: str
    digest: str
    text: str


def newest_entry(settings: Settings) -> int:
    """Return the number of the newest entry of the log; 0 where there is none."""
    return Log.open(settings.home).next_number - 1


def announcements(settings: Settings, after: int, named: Collection[str]) -> list[Announcement]:
    """Return the lists that entries ``after`` a number published and whose keys are not ``named`` yet, in order.

    Nothing but the log and the published files is read, so it does not wait for a command that writes the store.
    Raises :class:`~ratinglist.errors.HomeError` where the log is damaged.
    """
    history = Log.open(settings.home).history
    new = [one for one in history.publications if one.entry > after and one.revision and _key(one) not in named]
    return [Announcement(_key(one), one.month, one.digest, _text(settings.published, history, one)) for one in new]


def _key(one: Publication) -> str:
    return f"{one.month}-r{one.revision}-{one.digest[:12]}"


def _text(published: Path, history: History, one: Publication) -> str:
    folder = published / one.month / f"r{one.revision}"
    lines = [f"The list of {one.month} is published as r{one.revision} (digest {one.digest}): {folder}"]
    current = history.current.get(one.month)
    if current is None:
        lines.append("It was taken back since.")
    elif current != one.revision:
        lines.append(f"Since then r{current} is the current one.")
    if counts := _counts_of_events(folder):
        lines.append(f"Reports: {counts}")
    return "\n".join([*lines, *(f"Largest changes, {line}" for line in _largest_changes(folder))])


def _counts_of_events(folder: Path) -> str:
    events = _read(folder, "events", "status", "reason")
    if events is None:
        return ""
    counts = dict(events["status"].value_counts(sort=True).iter_rows())
    waiting = len(events.filter(pl.col("status") == "refused", pl.col("reason").is_in(WAITING)))
    return ", ".join(f"{count:,} {status}" for status, count in counted_events(counts, waiting).items())


def _largest_changes(folder: Path) -> list[str]:
    changes = _read(folder, "changes", "time_control", "fide_id", "change", "new_rating", "status")
    if changes is None:
        return []
    lists = [_read(folder, control, "fide_id", "name") for control in changes["time_control"].unique()]
    named = [one for one in lists if one is not None]
    players = pl.concat(named) if named else changes.select("fide_id", name=pl.lit(None, pl.String))
    return largest_changes(changes, players.unique("fide_id"))


def _read(folder: Path, stem: str, *columns: str) -> pl.DataFrame | None:
    """Return columns of a published table; None where it is not there, or the office leaves one of them out."""
    if not table_files.has_table(folder, stem):
        return None
    table = table_files.scan_table(folder, stem)
    return table.select(columns).collect() if {*columns} <= {*table.collect_schema()} else None
