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

from ratinglist.errors import CommandLineError, TimeControlMissingError
from ratinglist.lists.formats import LIST_READERS, PLAYER_READERS, PLAYER_WORKBOOK
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
    with opened(path, name or path.name, LIST_READERS) as (source, inspection, names):
        _check_month(source, inspection, names, month)
        chosen = _time_control(source, names, inspection, time_control)
        seen: list[pl.DataFrame] = []
        for raw in _checked(_without_memberships(source.batches, inspection), inspection):
            if not seen and not any(name.endswith("rating") for name in raw.columns):
                inspection.note(
                    pl.DataFrame({"line": [1], "value": [", ".join(raw.columns[1:])]}),
                    "no_column_of_ratings",
                    "no column has the heading rating, so nobody on this list is rated",
                )
            parsed = parse_values(raw, source, inspection, month, (month + 1).first_day - timedelta(days=1))
            _note_short_ids(parsed, inspection)
            found = official_rows(parsed, source, chosen)
            check_state(found, inspection, month)
            inspection.stop_if_hopeless()
            if source.has_time_control and time_control is not None:
                _check_only(found, inspection, time_control)
            seen.append(_identity(parsed))
            if not inspection.problems:
                rows = found.drop("line")
                yield ListBatch(rows, inspection.notes, combined=source.combined, stated=frozenset(raw.columns))
        _check_repeated(seen, inspection)
        inspection.stop()


def read_players(path: Path, *, name: str | None = None, until: date | None = None) -> Iterator[ListBatch]:
    """Read the players in the file ``path``, without ratings, every player once.

    A file of players may also be a table of a tournament's players, as CSV or as a workbook.

    ``name``: see :func:`read`. ``until``: the day of the import, in whose year no player is born; None: any. Raises
    :class:`OfficialListError`, perhaps after some batches, if a value of a player cannot be parsed, or a FIDE ID is
    repeated; CSV and Parquet may repeat it with the same data (a row per time control).
    """
    last_birth = until and date(until.year - 1, 12, 31)
    with opened(path, name or path.name, PLAYER_READERS, PLAYER_WORKBOOK) as (source, inspection, _names):
        seen: list[pl.DataFrame] = []
        for raw in _checked(source.batches, inspection):
            found = parse_values(raw, source, inspection, None, last_birth)
            _note_short_ids(found, inspection)
            inspection.note(
                found.filter(pl.col("name").str.contains("[?\ufffd]")).select("line", value="name"),
                "lost_letters",
                "a name has a question mark where its letter was lost; correct it: import a file with fide_id and name",
            )
            inspection.stop_if_hopeless()
            own = [found[name] for name in ("line", *MEMBERSHIP_COLUMNS) if name in found.columns]
            players = PLAYER.conform(found).with_columns(own)
            if source.has_time_control:
                players = players.unique("fide_id", keep="first", maintain_order=True)
                for earlier in seen:
                    players = players.join(earlier, on="fide_id", how="anti", maintain_order="left")
            seen.append(_identity(found))
            if not inspection.problems:
                yield ListBatch(
                    PLAYER.conform(players),
                    inspection.notes,
                    partial=source.partial,
                    stated=frozenset(raw.columns),
                    memberships=_memberships(players),
                )
        _check_repeated(seen, inspection, once=not source.has_time_control)
        inspection.stop()


def _memberships(players: pl.DataFrame) -> pl.DataFrame:
    """Return the memberships (``MEMBERSHIP``) in the columns of ``players``; nobody's where there is no club."""
    if "club" not in players.columns:
        return MEMBERSHIP.empty()
    no_day = [] if "member_until" in players.columns else [pl.lit(None).alias("member_until")]
    return MEMBERSHIP.conform(players.with_columns(no_day))


def _without_memberships(batches: Iterator[pl.DataFrame], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Yield the ``batches`` of a list without clubs and memberships, which no list has; note them once."""
    for number, batch in enumerate(batches):
        given = [name for name in MEMBERSHIP_COLUMNS if name in batch.columns]
        if given and not number:
            inspection.note(
                pl.DataFrame({"line": [1] * len(given), "value": given}),
                "membership_in_a_list",
                "is not read of a list: register clubs and memberships with ratinglist import-players",
            )
        yield batch.drop(given)


def _checked(batches: Iterator[pl.DataFrame], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Yield the ``batches`` that are not empty; refuse a damaged zip and a list without players."""
    found = False
    with undamaged(inspection):
        for batch in batches:
            if batch.height:
                found = True
                yield batch
    if not found and not inspection.problems:
        raise inspection.refused("it holds no players", "send a list with at least one player")


def _check_month(source: RawList, inspection: Inspection, names: tuple[str, ...], month: Period) -> None:
    """Refuse a list of another month, as its header or rows give it, else its file name in FIDE's archive."""
    of_file = source.month
    for name in names:
        named = _FILE_NAME.match(name)
        if of_file is None and named and named["month"]:
            of_file = list_month(named["month"], named["year"])
    if of_file is not None and of_file != month:
        raise inspection.refused(
            f"this is the list of {of_file}, not of {month}",
            f"import it with --month {of_file}, or give the list of {month}",
        )


def _time_control(source: RawList, names: tuple[str, ...], inspection: Inspection, requested: str | None) -> str | None:
    """Return the time control of a list of one time control; None if the rows give it."""
    if requested is not None and requested not in LISTS:
        raise CommandLineError(f"'{requested}' is no time control: write {', '.join(LISTS)}.")
    if source.combined and requested is not None:
        raise CommandLineError(f"{inspection.file} holds all three time controls: leave --time-control out.")
    if source.combined or source.has_time_control:
        return None
    named = [found["list"].lower() for name in names if (found := _FILE_NAME.match(name))]
    if requested is not None and named and named[0] != requested:
        raise CommandLineError(
            f"{inspection.file} is the {named[0]} list by its name, not the {requested} one: rename it."
        )
    if requested is None and not named:
        raise TimeControlMissingError(
            f"{inspection.file} does not name its time control: add --time-control standard, rapid or blitz."
        )
    return requested or named[0]


def _check_only(found: pl.DataFrame, inspection: Inspection, time_control: str) -> None:
    inspection.refuse(
        found.filter(pl.col("time_control") != time_control).select("line", value="time_control"),
        "column time_control",
        f"is not {time_control}, as --time-control requires",
        "leave --time-control out to read every list of the file",
    )


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


def _check_repeated(seen: list[pl.DataFrame], inspection: Inspection, *, once: bool = True) -> None:
    """Refuse a player who occurs twice in a list (if ``once``), or with different data, and name every one."""
    if not seen:
        return
    # Nearly all players occur once: drop them before sorting.
    every = pl.concat(seen).filter(pl.col("fide_id").is_duplicated()).sort("fide_id", "line")
    several = every.with_columns(
        pl.col("line").first().over("fide_id").alias("first"),
        (pl.col("data") != pl.col("data").first().over("fide_id")).alias("is_other"),
    )
    is_twice = pl.struct("fide_id", "list").is_duplicated() & (
        pl.col("line") != pl.col("line").min().over("fide_id", "list")
    )
    twice = several.filter(is_twice) if once else several.clear()
    others = several.filter("is_other").join(twice, on=["fide_id", "line"], how="anti")
    for rows, rule in ((twice, "occurs twice in the list"), (others, "occurs twice with different data")):
        inspection.refuse(
            rows.select("line", value=pl.format("{} (first in line {})", "fide_id", "first")),
            "FIDE ID",
            rule,
            "find out which one is right and leave the other out",
            every_one=True,
        )
