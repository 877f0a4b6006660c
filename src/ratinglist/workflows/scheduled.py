"""A scheduled run: which lists it makes, and what is published and not yet told to people.

The log states what is published, a file in the home what was told. Whoever tells people notes it afterwards
(:func:`note_told`): what is interrupted between the two is told again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.files.durable_files import replace_file
from ratinglist.home.location import check_home
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read

_TOLD = "told"
"""The file in the home with the number of the newest entry of the log that is told, or that is no news."""
_MOVERS = 3
"""How many players with the largest gains and losses are named."""


@dataclass(frozen=True, slots=True)
class UntoldList:
    """A published list that people were not told of.

    ``entry``: the number of its entry in the log. ``digest``: of its manifest. ``folder``: where it is published.
    ``current``: the revision of its month that is current now; None: the list was taken back.
    """

    entry: int
    month: str
    revision: int
    digest: str
    folder: Path
    current: int | None

    def text(self) -> str:
        """Return what was published where, and the largest changes."""
        lines = [f"The list of {self.month} is published as r{self.revision} (digest {self.digest}): {self.folder}"]
        if self.current is None:
            lines.append("It was taken back since.")
        elif self.current != self.revision:
            lines.append(f"Since then r{self.current} is the current one.")
        return "\n".join([*lines, *(f"Largest changes, {line}" for line in largest_changes(self.folder))])


def begin_telling(settings: Settings) -> None:
    """Note, where nothing is told yet, that the lists published until now are no news.

    Where ``office.toml`` names no address, telling has not begun.
    """
    file = settings.home / _TOLD
    if not settings.office.notify.to:
        file.unlink(missing_ok=True)
    elif not file.exists():
        note_told(settings, Log.open(settings.home).next_number - 1)


def untold(settings: Settings) -> list[UntoldList]:
    """Return the lists that were published since telling began and not told, in order, by whatever command.

    Nothing but the log is read, so it does not wait for a command that writes the store. Raises
    :class:`~ratinglist.errors.HomeError` where the log is damaged.
    """
    file = settings.home / _TOLD
    if not settings.office.notify.to or not file.exists():
        return []
    told, history = int(file.read_bytes()), Log.open(settings.home).history
    return [
        UntoldList(
            entry=publication.entry,
            month=publication.month,
            revision=publication.revision,
            digest=publication.digest,
            folder=settings.published / publication.month / f"r{publication.revision}",
            current=history.current.get(publication.month),
        )
        for publication in history.publications
        if publication.entry > told and publication.revision
    ]


def note_told(settings: Settings, entry: int) -> None:
    """Note that people were told of every list up to an entry of the log."""
    replace_file(settings.home / _TOLD, b"%d\n" % entry)


def largest_changes(folder: Path) -> list[str]:
    """Return a line on the largest gains and losses of each time control: ``standard: +36 Kestrel, Anna (1845)``.

    ``folder``: has the tables of a month. A player whose name the office leaves out is named by the FIDE ID. A time
    control in which no rating changed has no line.
    """
    changes = table_files.read_table(folder, "changes", ["time_control", "fide_id", "change", "new_rating", "status"])
    changes = changes.filter(pl.col("status") == "rated", pl.col("change") != 0)
    lines = []
    for control in changes["time_control"].unique().sort():
        listed = table_files.scan_table(folder, control)
        known = "name" if "name" in listed.collect_schema() else "fide_id"
        names = listed.select("fide_id", name=pl.col(known).cast(pl.String)).collect()
        moved = changes.filter(time_control=control).join(names, on="fide_id")
        moved = moved.sort("change", "fide_id", descending=[True, False])
        most = pl.concat([moved.head(_MOVERS), moved[_MOVERS:].tail(_MOVERS)])
        texts = ["{change:+} {name} ({new_rating})".format_map(row) for row in most.iter_rows(named=True)]
        lines.append(f"{control}: {', '.join(texts)}")
    return lines


def due(settings: Settings, until: Period) -> list[Period]:
    """Return the lists to make, in order: those after the newest published or imported one, and ``until``, the last.

    Months in which the family publishes no list are left out. ``until`` is among them where it is published already
    too: to make it again changes nothing. A list that was taken back is not made again: what becomes of it is for a
    person to decide. Raises what :func:`~ratinglist.workflows.opening.open_to_read` raises: a home that does not exist
    is an error.
    """
    with open_to_read(settings) as store:
        newest = store.value(
            """
            select max(month) from (
                select month from current_revision union all select month from imported_list
            ) where month < $until
            """,
            until=str(until),
        )
        taken_back = store.log.history.withdrawn_months()
    first = Period.parse(newest) + 1 if newest else until
    months = [Period(index) for index in range(first.index, until.index)]
    published = [month for month in months if rule_book().publishes_in(settings.family, month)]
    return [month for month in published if str(month) not in taken_back] + [until]


def check_office(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where no list can ever be due: no such home, no such family.

    Nothing is created: a mistyped name makes no home.
    """
    check_home(settings.home)
    rule_book().of(settings.family)


def last_closed_list(settings: Settings, day: date) -> Period:
    """Return the newest list of the family whose closing date is before ``day``, or before today if that is earlier."""
    book, day = rule_book(), min(day, settings.today)
    following = Period.of(day) + 1
    is_closed = day > book.closing_dates(settings.family, following)[0]
    return book.last_list(settings.family, following if is_closed else Period.of(day))
