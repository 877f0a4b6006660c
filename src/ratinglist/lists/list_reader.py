"""Read official lists and files of players in any format that :mod:`~ratinglist.lists.formats` can read.

The format is recognised by the content; a list may also be the one file of a zip. It is read in batches, because FIDE's
list has two million players, and refused as a whole: a caller may keep nothing of a list before its last batch.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.lists.list_opening import opened, undamaged
from ratinglist.lists.official_rows import MEMBERSHIP_COLUMNS, check_state, official_rows, parse_values
from ratinglist.lists.raw_list import MONTH_NAMES, Inspection, Note, OfficialListError, RawList, list_month
from ratinglist.period import Period
from ratinglist.tables import LISTS, MEMBERSHIP, PLAYER

__all__ = ["ListBatch", "OfficialListError", "read", "read_players"]

_FILE_NAME = re.compile(
    rf"(?P<list>{'|'.join(LISTS)})_(?:(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)frl)?",
    re.ASCII | re.IGNORECASE,
)


_FIRST_FIDE_ID = 100_000
"""FIDE's IDs have six digits or more."""
_MANY = 20


@dataclass(frozen=True, slots=True)
class ListBatch:
    """Some rows of a list (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`), or players of a file (``PLAYER``).

    ``notes``: those on the file so far. ``combined``: the file has one line per player, and one flag for all time
    controls. ``partial``: as in :class:`~ratinglist.lists.raw_list.RawList`. ``stated``: the columns that the file has.
    ``memberships``: those of the players of a file (``MEMBERSHIP``), nobody's where the file states none.
    """

    rows: pl.DataFrame
    notes: tuple[Note, ...]
    combined: bool = False
    partial: bool = False
    stated: Collection[str] = ()
    memberships: pl.DataFrame = field(default_factory=MEMBERSHIP.empty)


def read(path: Path, *, month: Period, time_control: str | None = None, name: str | None = None) -> Iterator[ListBatch]:
    """Read the official list of ``month`` in the file ``path``, in batches of at most some 300,000 rows.

    One row per player and time control (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`); a player without any
    rating has one row too, in a combined list without time control. ``time_control`` is that of a file of one time
    control, if neither a column nor the file name (``rapid_rating_list.txt``) gives it. ``name``: the name that the
    file was delivered with, where ``path`` is another. The notes of the last batch are those of the whole file.

    Raises :class:`OfficialListError`, perhaps after some batches, if a value cannot be parsed, a FIDE ID occurs twice
    in a list, or the file is of another month; :class:`CommandLineError` if ``time_control`` is missing or contradicts
    the file.
    """
    with opened(path, name or path.name, is_list=True) as (source, inspection, names):
        chosen = _time_control(source, names, inspection, month, time_control)
        clubs = [column for column in MEMBERSHIP_COLUMNS if column in source.columns]
        what = "is not read of a list: register clubs and memberships with ratinglist import-players"
        inspection.note_texts(clubs, "membership_in_a_list", what)
        if not any(column.endswith("rating") for column in source.columns):
            columns = ", ".join(column for column in inspection.places if column in source.columns)
            what = "no column has the heading rating, so nobody on this list is rated"
            inspection.note_texts([columns], "no_column_of_ratings", what)
        for parsed in _parsed(source, inspection, month, (month + 1).first_day - timedelta(days=1)):
            rows = official_rows(parsed, source, chosen)
            check_state(rows, inspection, month)
            if "time_control" in source.columns and time_control is not None:
                rule = f"is not {time_control}, as --time-control requires"
                remedy = "leave --time-control out to read every list of the file"
                inspection.refuse_values(rows, pl.col("time_control") != time_control, "time_control", rule, remedy)
            if not inspection.problems:
                rows = rows.drop("line")
                yield ListBatch(rows, inspection.notes, combined=source.combined, stated=frozenset(source.columns))


def read_players(path: Path, *, name: str | None = None, until: date | None = None) -> Iterator[ListBatch]:
    """Read the players in the file ``path``, without ratings, every player once.

    A file of players may also be a table of a tournament's players, as CSV or as a workbook.

    ``name``: see :func:`read`. ``until``: the day of the import, in whose year no player is born; None: any. Raises
    :class:`OfficialListError`, perhaps after some batches, if a value of a player cannot be parsed, or a FIDE ID is
    repeated; CSV and Parquet may repeat it with the same data (a row per time control).
    """
    last_birth = until and date(until.year - 1, 12, 31)
    with opened(path, name or path.name, is_list=False) as (source, inspection, _names):
        is_repeated = "time_control" in source.columns
        known: list[pl.DataFrame] = []
        for players in _parsed(source, inspection, None, last_birth):
            inspection.note(
                players.filter(pl.col("name").str.contains("[?\ufffd]")).select("line", value="name"),
                "lost_letters",
                "a name has a question mark where its letter was lost; correct it: import a file with fide_id and name",
            )
            if is_repeated:
                players = players.unique("fide_id", keep="first", maintain_order=True)
                for earlier in known:
                    players = players.join(earlier, on="fide_id", how="anti", maintain_order="left")
                known.append(players.select("fide_id"))
            if not inspection.problems:
                yield ListBatch(
                    PLAYER.conform(players),
                    inspection.notes,
                    partial=source.partial,
                    stated=frozenset(source.columns),
                    memberships=_memberships(players),
                )


def _parsed(
    source: RawList, inspection: Inspection, month: Period | None, until: date | None
) -> Iterator[pl.DataFrame]:
    """Yield the batches of a list or a file of players as values; after the last, refuse what is wrong.

    ``month`` and ``until`` as in :func:`~ratinglist.lists.official_rows.parse_values`.
    """
    seen: list[pl.DataFrame] = []
    with undamaged(inspection):
        for raw in source.batches:
            if raw.height:
                parsed = parse_values(raw, inspection, month, until)
                _note_short_ids(parsed, inspection)
                seen.append(_identity(parsed))
                yield parsed
    if not seen and not inspection.problems:
        raise inspection.refused("it holds no players", "send a list with at least one player")
    # A table may have a row for each time control.
    _check_repeated(seen, inspection, once=month is not None or "time_control" not in source.columns)
    inspection.stop()


def _memberships(players: pl.DataFrame) -> pl.DataFrame:
    """Return the memberships (``MEMBERSHIP``) in the columns of ``players``; nobody's where there is no club."""
    if "club" not in players.columns:
        return MEMBERSHIP.empty()
    no_day = [] if "member_until" in players.columns else [pl.lit(None).alias("member_until")]
    return MEMBERSHIP.conform(players.with_columns(no_day))


def _time_control(
    source: RawList, names: tuple[str, ...], inspection: Inspection, month: Period, requested: str | None
) -> str | None:
    """Return the time control of a list of one time control; None if the rows give it.

    Refuses a list of another month, as its header line gives it, else its file name in FIDE's archive.
    """
    named = [found for name in names if (found := _FILE_NAME.match(name))]
    months = [list_month(found["month"], found["year"]) for found in named if found["month"]]
    if (of_file := source.month or next(iter(months), month)) != month:
        remedy = f"import it with --month {of_file}, or give the list of {month}"
        raise inspection.refused(f"this is the list of {of_file}, not of {month}", remedy)
    if requested not in (None, *LISTS):
        raise CommandLineError(f"'{requested}' is no time control: write {', '.join(LISTS)}.")
    if source.combined and requested is not None:
        raise CommandLineError(f"{inspection.file} holds all three time controls: leave --time-control out.")
    if source.combined or "time_control" in source.columns:
        return None
    of_name = named[0]["list"].lower() if named else requested
    if of_name is None:
        raise CommandLineError(
            f"{inspection.file} does not name its time control: add --time-control standard, rapid or blitz."
        )
    if requested not in (None, of_name):
        raise CommandLineError(
            f"{inspection.file} is the {of_name} list by its name, not the {requested} one: rename it."
        )
    return of_name


def _identity(parsed: pl.DataFrame) -> pl.DataFrame:
    """Return what is needed to find repeated players, for each line with a FIDE ID (:func:`parse_values`).

    Out: ``fide_id``, ``list`` (the time control's number, null if the line gives none), ``line`` and ``data``, a
    hash of the player's data.
    """
    kept = parsed.filter(pl.col("fide_id").is_not_null())
    number = pl.lit(None, dtype=pl.Int8)
    if "time_control" in parsed.columns:
        numbers = {name: number for number, name in enumerate(LISTS)}
        number = pl.col("time_control").replace_strict(numbers, default=None, return_dtype=pl.Int8)
    of_player = [name for name in (*PLAYER.columns, *MEMBERSHIP_COLUMNS) if name in parsed.columns]
    data = pl.struct(name for name in of_player if name != "fide_id")
    return kept.select("fide_id", "line", number.alias("list"), data.hash().alias("data"))


def _note_short_ids(parsed: pl.DataFrame, inspection: Inspection) -> None:
    """Note IDs far shorter than FIDE's, where most of many players have such: they may be national numbers."""
    short = parsed.filter(pl.col("fide_id") < _FIRST_FIDE_ID)
    if parsed.height >= _MANY and 2 * short.height > parsed.height:
        inspection.note(
            short.select("line", value="fide_id"),
            "short_ids",
            "an ID is far shorter than FIDE's, and so are most of this file. Look whether they are national numbers: "
            "if they are, undo this import with ratinglist retract, and give a table with a column FideID",
        )


def _check_repeated(seen: list[pl.DataFrame], inspection: Inspection, *, once: bool) -> None:
    """Refuse a player who occurs twice in a list (if ``once``), or with different data, and name every one."""
    if not seen:
        return
    # Nearly all players occur once: drop them before sorting.
    every = pl.concat(seen).filter(pl.col("fide_id").is_duplicated()).sort("fide_id", "line")
    of_player, own = pl.col("line", "data").first().over("fide_id"), pl.struct("fide_id", "list")
    every = every.with_columns(of_player.name.prefix("first_"))
    is_twice = own.is_duplicated() & (pl.col("line") != pl.col("line").min().over("fide_id", "list")) & once
    is_other = ~is_twice & (pl.col("data") != pl.col("first_data"))
    for which, rule in ((is_twice, "occurs twice in the list"), (is_other, "occurs twice with different data")):
        rows = every.filter(which)
        inspection.refuse(
            rows.select("line", value=pl.format("{} (first in line {})", "fide_id", "first_line")),
            "FIDE ID",
            rule,
            "find out which one is right and leave the other out",
            every_one=True,
        )
