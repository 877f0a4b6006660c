"""The data that all export formats share: the request, the published lists it reads, and the prepared rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The arguments of one export.

    ``period`` and ``revision`` (such as ``r2``, None: the current one) name what is exported; ``format`` is a key of
    :data:`~ratinglist.lists.formats.FORMATS`. ``federation``, ``time_control`` and ``top`` select a part of it.
    ``legacy``: FIDE's layout without the column of the FIDE Online Arena titles. ``zipped``: as the one file of a
    zip. ``since``: the earlier month that a format of changes compares with.

    ``blanks_for_absent``: FIDE's text as before 2024, with blanks where a rating, games or K is absent.
    ``original_names``: FIDE's XML with all letters of names, in UTF-8. ``semicolons``: the table for spreadsheets
    separated by semicolons. ``national_only``: Swiss-Manager's ``Rtg_Nat`` holds a national rating only.
    ``strict``: refuse a list with a value that a known reader cannot read.
    """

    period: Period
    format: str
    federation: str | None = None
    time_control: str | None = None
    top: int | None = None
    revision: str | None = None
    legacy: bool = False
    zipped: bool = False
    since: Period | None = None
    blanks_for_absent: bool = False
    original_names: bool = False
    semicolons: bool = False
    national_only: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class PublishedLists:
    """The lists of one revision. ``lists``: frames of ``LISTED`` by time control, in their published order.

    ``selected``: the rows of ``lists`` that the request selects. ``carried``: the columns that the office publishes,
    in order; the others are blank, or null if they are numbers. ``family``: the rule family in the manifest, empty if
    it names none. ``manifest``: the path of the manifest, for messages. ``before``: the lists of the request's
    ``since``, None for a format that compares nothing.
    """

    lists: Mapping[str, pl.DataFrame]
    selected: Mapping[str, pl.DataFrame]
    carried: tuple[str, ...]
    family: str = ""
    manifest: str = ""
    before: PublishedLists | None = None


@dataclass(frozen=True, slots=True)
class PreparedExport:
    """Checked rows that a format's writer can write without failing on a value.

    ``counts``: by kind, what the format could not keep, or what changed; the summary in ``workflows/export`` has a text
    for each kind. ``time_controls``: the lists in ``rows``, for a format that writes each of them separately.
    """

    rows: pl.DataFrame
    counts: dict[str, int] = field(default_factory=dict)
    time_controls: tuple[str, ...] = ()
