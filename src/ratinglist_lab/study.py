"""The months of an office that a laboratory command looks at, and the folder that it writes to.

The store is read and not written. ``HOME/lab`` is closed to other accounts, and holds no birth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.durable_files import locked_folder, make_private_folder
from ratinglist.period import Period
from ratinglist.rating.model import by_fide_id
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_players
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read

FOLDER = "lab"
"""The folder of a home that has what was replayed."""


@dataclass(frozen=True, slots=True)
class Study:
    """The months of an office whose store is open, and its ``family``.

    ``entry``: the number of the newest entry of the log: replays of the same months and entry have the same inputs.
    """

    store: Store
    family: str
    months: list[Period]
    time_control: str
    entry: int
    folder: Path

    def players(self, month: Period) -> pl.DataFrame:
        """Return the players as the office's list of a month knows them (``PLAYER``)."""
        return by_fide_id(read_players(self.store, month))

    def list_before(self) -> pl.DataFrame:
        """Return ``fide_id``, ``rating`` and ``games`` of the newest list before the first month.

        Raises :class:`NothingReadError` where there is none.
        """
        rows = self.store.read(
            """
            select fide_id, rating, games from list_to_stand_on
            where time_control = $time_control and rating is not null and month = (
                select max(month) from standing_list where time_control = $time_control and month < $first
            )
            """,
            time_control=self.time_control,
            first=str(self.months[0]),
        )
        if rows.is_empty():
            raise NothingReadError(
                f"There is no {self.time_control} list before {self.months[0]} to start from: name a later --from."
            )
        return by_fide_id(rows)

    def official(self) -> pl.DataFrame:
        """Return ``list_month``, ``fide_id`` and ``rating`` of the office's own lists."""
        return self.store.read(
            """
            select month as list_month, fide_id, rating
            from list_to_stand_on semi join standing_list using (month, time_control)
            where time_control = $time_control and rating is not null
            """,
            time_control=self.time_control,
        )

    def official_digest(self, month: Period) -> str | None:
        """Return the logical sha256 of the list that the office calculated; None where there is none."""
        folders = self.store.current_folders([str(month)])
        entry = folders[0].files().get(f"{self.time_control}.parquet") if folders else None
        return None if entry is None else str(entry["logical_sha256"])


@contextmanager
def studied(
    settings: Settings, months: tuple[Period | None, Period | None], time_control: str, *, writes: bool
) -> Iterator[Study]:
    """Give the study of the ``months``, first and last; default: all for which the office calculated a list.

    A command that writes has ``HOME/lab`` alone; others may read it together. Raises :class:`CommandLineError` where
    the months are in the wrong order, :class:`NothingReadError` where the office calculated none and none is named, and
    :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    folder = settings.home / FOLDER
    rule_book().of(settings.family)
    with open_to_read(settings) as store:
        first, last = _range(store, months)
        make_private_folder(folder)
        handle = locked_folder(
            folder,
            f"{folder} is in use: another laboratory command is running. Wait until it has finished, then run the "
            "command again.",
            shared=not writes,
        )
        try:
            every = [Period(index) for index in range(first.index, last.index + 1)]
            entry = len(store.log.entries)
            yield Study(store, settings.family, every, time_control, entry, folder / f"{first}-to-{last}")
        finally:
            os.close(handle)


def _range(store: Store, months: tuple[Period | None, Period | None]) -> tuple[Period, Period]:
    calculated = sorted(map(Period.parse, store.log.history.standing_calculations()))
    if None in months and not calculated:
        raise NothingReadError("No list was calculated yet: name the months with --from YYYY-MM and --to YYYY-MM.")
    first, last = months[0] or calculated[0], months[1] or calculated[-1]
    if first > last:
        raise CommandLineError(f"--from {first} is after --to {last}.")
    return first, last
