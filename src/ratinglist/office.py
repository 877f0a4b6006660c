"""Read the choices of a federation: ``office.toml`` in its home. Every choice has a default.

The data of players that the office publishes nowhere are among them::

    [fields.without]
    lists = ["sex", "birth_year"]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import polars as pl

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError
from ratinglist.strict_toml import Allowed, Flag, Text, as_toml, matching
from ratinglist.tables import (
    BOTH_NUMBERS,
    DIFF,
    EVENT_STATUS,
    LISTED_DATA,
    LISTS,
    PUBLISHED,
    UNRATED,
    Table,
    published_table,
)

Land = Literal["revisions", "next_list"]

NAME = "office.toml"


def spelling(name: str) -> str:
    """Return the name of a person without what makes no other person: case, accents, marks and the order of words."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(sorted(re.findall(r"\w+", plain)))


NotBlank = Annotated[str, matching(r"(?s).*\S.*", "is blank")]


def _check_public_key(key: str) -> None:
    """Raise :class:`ValueError` where a public key is not its text: the log keeps ``office.toml`` alone."""
    if key and not key.lstrip().startswith("-----BEGIN"):
        raise ValueError(
            f"is '{key}', and the path of a file is not taken: write the text of that file between three quotation "
            "marks, from -----BEGIN PUBLIC KEY----- to -----END PUBLIC KEY-----"
        )


@dataclass(frozen=True, slots=True)
class CorrectionPolicy:
    """What a correction of an earlier list changes.

    ``land``: whether a correction makes new revisions of the lists it changes, or only changes the next list.
    """

    land: Land = "revisions"


@dataclass(frozen=True, slots=True)
class PublicationPolicy:
    """What a publication needs.

    ``approvals``: how many different people have to approve a list before it is published.
    ``signing_key``: path, relative to the home, of the private key that signs every revision; empty: none is signed.
    ``wait_days``: how many days a scheduled run waits for people to decide on a list.
    """

    approvals: Annotated[int, Allowed(ge=0, le=99)] = 0
    signing_key: Text = ""
    wait_days: Annotated[int, Allowed(ge=1, le=366)] = 7


@dataclass(frozen=True, slots=True)
class NotificationPolicy:
    """Who is told of published lists by scheduled runs.

    ``to``: addresses as apprise writes them, ``mailto://...`` or ``json://...``.
    """

    to: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Approver:
    """A person who may approve lists: a section ``[[approvers]]``.

    ``name``: as approvals state it. ``key``: the text of the person's Ed25519 public key (PEM); empty: the person's
    approvals are not signed.
    """

    name: NotBlank
    key: Annotated[str, Allowed(_check_public_key)] = ""


@dataclass(frozen=True, slots=True)
class SitePolicy:
    """What the site of the office shows.

    ``out``: path, relative to the home, of the folder that is made again after each publication by the flow; empty:
    none is. ``language``: of the pages. ``months``: how many of the newest lists are shown; 0: all. ``birth_years``:
    false leaves the years of birth out, and the downloads, which have them. ``downloads``: whether readers get the
    files of the newest list. ``clubs``: whether the players' clubs are shown, each with a page of its members.
    ``address``: where readers find the site; empty: pages do not name it, and there is no feed. ``text``: of the office
    on the first page. ``colour``: of the office, on light pages; empty: the program's own.
    """

    out: Text = ""
    language: Text = "en"
    months: Annotated[int, Allowed(ge=0)] = 0
    birth_years: Flag = True
    downloads: Flag = True
    clubs: Flag = False
    address: Annotated[
        str,
        matching(
            r"(https?://[^\s/?#@]+(/[^\s?#]*)?)?", "is no address of a site: write it as https://ratings.example.org/"
        ),
    ] = ""
    text: Annotated[str, Allowed(max_length=1000)] = ""
    colour: Annotated[
        str, matching("(#[0-9a-fA-F]{6})?", "is no colour: write six hexadecimal digits, such as #17493b")
    ] = ""


@dataclass(frozen=True, slots=True)
class ReportPolicy:
    """What the office knows of reports that do not state it.

    ``time_control``: of those whose manifest and records state none; empty: they wait.
    """

    time_control: Literal["", "standard", "rapid", "blitz"] = ""


@dataclass(frozen=True, slots=True)
class SystemsPolicy:
    """The rating systems of other packages.

    ``trusted``: names of the Python packages whose systems are used. Their code runs with the rights of the office; the
    systems of other packages are never imported.
    """

    trusted: tuple[NotBlank, ...] = ()


LARGEST = 1_000_000_000
"""No threshold is larger: the queries calculate with it."""

Count = Annotated[int, Allowed(ge=0, le=LARGEST)]
Factor = Annotated[int, Allowed(ge=1, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds and their defaults, by the question they belong to.

    ``large_change``: ``change_deviations``, by K and games, or ``change_points`` where K is not known, for more than
    ``change_per_ten_thousand`` players. ``mean_change``: ``mean_change_points``, of players with ``mean_change_games``,
    where there are ``mean_change_players`` of them.
    ``fewer_players``: ``fewer_players_percent`` and ``fewer_players``. ``unusual_counts``: ``unusual_factor``, with
    ``unusual_months`` before. ``many_masters``: ``masters_percent`` and ``masters``. ``points_differ``:
    ``points_percent`` and ``points_players`` of the players of a report.
    """

    change_deviations: Count = 4
    change_points: Count = 200
    change_per_ten_thousand: Count = 1
    mean_change_points: Count = 3
    mean_change_games: Count = 9
    mean_change_players: Count = 100
    fewer_players_percent: Count = 1
    fewer_players: Count = 10
    unusual_factor: Factor = 2
    unusual_months: Count = 6
    masters_percent: Count = 5
    masters: Count = 10
    points_percent: Count = 20
    points_players: Count = 3


_LIST_DATA = tuple(LISTED_DATA)
LEAVABLE: dict[str, tuple[str, ...]] = {
    "lists": _LIST_DATA,
    UNRATED.name: tuple(name for name in UNRATED.columns if name in _LIST_DATA),
}
"""What may be left out, by table: the data of players alone. Figures prove the list, and events are public."""

_OF_PLAYERS = (UNRATED.name, DIFF.name, BOTH_NUMBERS.name)
"""The other published tables with data of players: what the lists leave out is left out of these too."""

_OUTSIDE = {table.name: table for table in (BOTH_NUMBERS, EVENT_STATUS)}
"""The published tables outside the revisions."""

Without = Mapping[str, tuple[str, ...]]
"""Columns left out, by table."""


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    """The columns of players' data that an office publishes nowhere; by default none.

    ``without``: by table. What is left out of ``lists`` is left out of every table that has it, and so of all that is
    made of the tables; ``unrated`` may leave out more, of the players who are on no list.
    """

    without: Without = field(default_factory=dict)

    def table(self, stem: str, columns: Mapping[str, pl.DataType] | None = None) -> Table:
        """Return the table that a published file carries, by its file stem or its name in SQL.

        ``columns``: those of its rows, with their types; some say that the table is one of another system than FIDE's.
        """
        table = published_table(stem, columns or {}) if stem in PUBLISHED else _OUTSIDE[stem]
        out = self.left_out(stem)
        return replace(table, columns={name: column for name, column in table.columns.items() if name not in out})

    def left_out(self, stem: str) -> set[str]:
        """Return the columns that the table of a file stem, or with this name in SQL, does not carry."""
        of_lists = self.without.get("lists", ()) if stem in ("lists", *LISTS, *_OF_PLAYERS) else ()
        return {*of_lists, *self.without.get(stem, ())}

    def and_without(self, more: Without) -> FieldPolicy:
        """Return the policy that leaves out ``more`` too."""
        names = {*self.without, *more}
        return FieldPolicy({name: (*self.without.get(name, ()), *more.get(name, ())) for name in sorted(names)})

    def flags_without_sex(self, stem: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a published table, with no ``w`` in the flag where the sex is left out."""
        if "flag" not in frame.columns or "sex" not in self.left_out(stem):
            return frame
        return frame.with_columns(pl.col("flag").str.replace("w", "", literal=True))

    def masked(self, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Return published tables by file stem, with all columns, null where one is left out, and such flags."""
        return {
            stem: self.flags_without_sex(stem, frame).with_columns(
                pl.lit(None, dtype=frame.schema[column]).alias(column)
                for column in frame.columns
                if column not in self.table(stem, frame.schema).columns
            )
            for stem, frame in tables.items()
        }

    def as_dict(self) -> dict[str, list[str]]:
        """Return the columns left out, for the manifest: tables and columns sorted."""
        return {name: sorted(columns) for name, columns in sorted(self.without.items()) if columns}

    def check(self) -> None:
        """Raise :class:`ValueError` for a table or a column that cannot be left out."""
        for name, columns in self.without.items():
            if name not in LEAVABLE:
                raise ValueError(f"unknown table {as_toml(name)} in [fields.without] - known are {', '.join(LEAVABLE)}")
            for column in columns:
                if column not in LEAVABLE[name]:
                    raise ValueError(
                        f"{as_toml(column)} of {name} cannot be left out - what can be is {', '.join(LEAVABLE[name])}"
                    )


@dataclass(frozen=True, slots=True)
class Office:
    """The choices, by the sections of ``office.toml``.

    ``name``: of the office, stated in manifests and in the index, so that what another office signs with the same key
    does not verify in its place. ``fields``: the columns that published files leave out. ``approvers``: the people who
    may approve; none: anybody.
    """

    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    name: Text = ""
    corrections: CorrectionPolicy = field(default_factory=CorrectionPolicy)
    publication: PublicationPolicy = field(default_factory=PublicationPolicy)
    questions: Thresholds = field(default_factory=Thresholds)
    site: SitePolicy = field(default_factory=SitePolicy)
    notify: NotificationPolicy = field(default_factory=NotificationPolicy)
    fields: FieldPolicy = field(default_factory=FieldPolicy)
    reports: ReportPolicy = field(default_factory=ReportPolicy)
    systems: SystemsPolicy = field(default_factory=SystemsPolicy)
    approvers: tuple[Approver, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` for choices that contradict each other, or the contract."""
        self.fields.check()
        self._check_approvers()

    def _check_approvers(self) -> None:
        known: dict[str, str] = {}
        for person in self.approvers:
            if other := known.get(spelling(person.name)):
                raise ValueError(f"the approvers {other} and {person.name} are one person by their names")
            known[spelling(person.name)] = person.name
        keys = [person.key.strip() for person in self.approvers if person.key]
        if len(set(keys)) < len(keys):
            raise ValueError("two [[approvers]] have the same key: each person signs with an own one")
        if self.approvers and self.publication.approvals > len(self.approvers):
            raise ValueError(
                f"'publication.approvals' is {self.publication.approvals}, and [[approvers]] lists "
                f"{len(self.approvers)}: no list could ever be published; name more people, or ask for fewer approvals"
            )


def parse(text: str, name: str = NAME) -> Office:
    """Return the choices of an ``office.toml``, with the defaults for what it does not have.

    ``name``: of the file, in messages. Raises :class:`CommandLineError` naming the key for anything unknown or
    misspelt, and for choices that contradict each other.
    """
    try:
        return strict_toml.checked(Office, strict_toml.parse(text))
    except ValueError as error:
        raise CommandLineError(f"{name}: {error}. Fix the file.") from None


def read(home: Path) -> Office:
    """Return the choices of the office in ``home``: its ``office.toml``, or the defaults where it has none.

    Raises :class:`CommandLineError` for one that cannot be read, and where an editor has called it otherwise.
    """
    file = home / NAME
    if not file.exists():
        for other in home.glob("*"):
            if other.name.lower() in (NAME, f"{NAME}.txt"):
                raise CommandLineError(f"{other}: it is not read under this name. Call it {NAME}.")
        return Office()
    if not file.is_file():
        raise CommandLineError(f"{file}: this is not an ordinary file. Remove it, or write the choices into a file.")
    try:
        return parse(file.read_text(encoding="utf-8"), str(file))
    except UnicodeDecodeError:
        raise CommandLineError(f"{file}: it is not text in UTF-8. Save it as UTF-8.") from None
