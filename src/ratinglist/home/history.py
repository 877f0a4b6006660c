"""What a log states: what was calculated, published, approved, answered, dismissed, and the digest of each file of it.

It is made from the entries in order, and holds nothing else. SQL sees it as temporary tables
(:meth:`History.table`); Python reads the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ratinglist.tables import DISMISSAL, ROLLED_BACK
from ratinglist.text import counted, listed, numbered

if TYPE_CHECKING:
    from ratinglist.home.log import Entry

Facts = Mapping[str, Any]

READINGS: Final = 4
"""Counts how the regulations are read where they leave a choice, and which tables a month has: entries record it."""
WITHDRAWN: Final = 0
"""The ``to_revision`` of a rollback that withdrew a month, and the ``from_revision`` of one that undid this."""
_NAMED: Final = 2
"""How many files of a delivery an entry names."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of entry.

    ``facts``: those that every entry of it has; what is published may be in any of them. ``sentence``: what an entry
    records, without the full stop. ``makes_store``: whether the store is made from it. ``can_be_undone``: by
    ``ratinglist retract``. ``judges``: whether it decides what of the store counts.
    """

    facts: tuple[str, ...]
    sentence: Callable[[Facts], str]
    makes_store: bool = False
    can_be_undone: bool = False
    judges: bool = False


def described(entry: Entry) -> str:
    """Return what an entry records, as a sentence without its full stop."""
    return KINDS[entry.kind].sentence(entry.facts)


def _filled(sentence: str) -> Callable[[Facts], str]:
    return lambda facts: sentence.format_map(facts)


def name_of_delivery(paths: Iterable[str]) -> dict[str, object]:
    """Return what an entry says of delivered files: the ``folder`` or archive that all are in, and the first names."""
    files = sorted(PurePath(path) for path in paths)
    folders = {file.parent.name for file in files}
    return {"folder": folders.pop() if len(folders) == 1 else "", "files": [file.name for file in files[:_NAMED]]}


def _registered(facts: Facts) -> str:
    first = f"; they count from the list of {facts['from']} on" if "from" in facts else ""
    return f"Players were registered or changed from {facts['file']}{first}"


def _loaded(facts: Facts) -> str:
    folder, names = (facts.get("named", {}).get(name, ()) for name in ("folder", "files"))
    more = facts["reports"] - len(names)
    shown = listed([*names, f"{more:,} more"] if more > 0 else names) if names else ""
    where = (f" from {folder}/" if folder else "") + (f" ({shown})" if shown else "")
    return f"{_counted(facts['reports'], 'report')} loaded{where}"


def _corrected(facts: Facts) -> str:
    return f"{facts['file']} was applied: {numbered('correction', facts['numbers'])}"


def _published_text(facts: Facts, again: str = "") -> str:
    names = [f"{revision['month']} (r{revision['revision']})" for revision in facts.get("published", ())]
    return f"{_all_of('list', names)} {again}published" if names else "The status of all events was published"


def _rolled_back(facts: Facts) -> str:
    month, before, after = facts["month"], facts["from_revision"], facts["to_revision"]
    if after == WITHDRAWN:
        return f"The list of {month} (r{before}) was withdrawn: {facts['reason']}"
    return f"The list of {month} is r{after} again, in place of {f'r{before}' if before else 'none'}: {facts['reason']}"


def _signed(facts: Facts) -> str:
    names = [f"r{number}" for number in facts["revisions"]]
    return f"The list of {facts['month']} ({listed(names)}) was signed" if names else "The index was signed"


def _approved(facts: Facts) -> str:
    who = listed(dict.fromkeys(approval["name"] for approval in facts["approvals"]))
    months = list(dict.fromkeys(approval["month"] for approval in facts["approvals"]))
    return f"{_all_of('list', months)} approved by {who}"


def _dismissed(facts: Facts) -> str:
    return f"A refused report was set aside: {facts['reason']}"


def _retracted(facts: Facts) -> str:
    return f"Entry {facts['entry_retracted']} was undone" + (f": {facts['reason']}" if facts["reason"] else "")


def _all_of(what: str, names: Collection[str]) -> str:
    """Return the beginning of a sentence on a list, or on several, up to its verb."""
    return f"The {what} of {listed(names)} was" if len(names) == 1 else f"The {what}s of {listed(names)} were"


def _counted(number: int, what: str) -> str:
    return f"{counted(number, what)} {'was' if number == 1 else 'were'}"


_FILE = ("file", "sha256")

KINDS: Final[Mapping[str, Kind]] = {
    "import-list": Kind(
        (*_FILE, "month", "time_control", "family"),
        _filled("The list of {month} was imported from {file}"),
        makes_store=True,
        can_be_undone=True,
    ),
    "import-players": Kind(
        _FILE,
        _registered,
        makes_store=True,
        can_be_undone=True,
    ),
    "import-reference": Kind(
        (*_FILE, "month", "time_control"),
        _filled("The reference list of {month} was imported from {file}"),
        makes_store=True,
        can_be_undone=True,
    ),
    "load": Kind(("received_on", "reports", "delivery"), _loaded, makes_store=True, can_be_undone=True),
    "correct": Kind((*_FILE, "files", "rows", "numbers"), _corrected, makes_store=True),
    "calculate": Kind(
        (
            *("month", "calculation", "calculation_id", "before_id", "family", "rule_sets", "one_time_step"),
            *("rated_from", "lists", "written"),
        ),
        _filled("The list of {month} was calculated ({family})"),
    ),
    "publish": Kind(("published",), _published_text),
    "revise": Kind(("start", "months", "carried"), lambda facts: _published_text(facts, "calculated again and ")),
    "statuses": Kind((), _published_text),
    "rollback": Kind(
        ("month", "from_revision", "to_revision", "from_digest", "to_digest", "reason", "who"), _rolled_back
    ),
    "sign": Kind(("month", "revisions"), _signed),
    "preview": Kind(
        ("previews",), lambda facts: f"{_all_of('preview', [preview['month'] for preview in facts['previews']])} made"
    ),
    "approve": Kind(("approvals",), _approved),
    "answer": Kind(
        ("answers",),
        lambda facts: f"A reason was given for {listed(answer['question'] for answer in facts['answers'])}",
    ),
    "dismiss": Kind(("report_id", "reason"), _dismissed, can_be_undone=True, judges=True),
    "retract": Kind(("entry_retracted", "reason"), _retracted, judges=True),
}
"""Every kind of entry by its name."""


MOST_ENTRIES: Final = 2**31 - 1
"""No entry has a higher number: the tables have it in 32 bits."""
LATEST: Final = "latest"
"""The file of a month that names its current revision."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A revision that was published.

    ``calculation``: the one that it shows. ``calculations``, ``last_source``: the newest
    calculation of any month and the newest import when it was published. ``digest``: of its manifest. ``entry``:
    the number of its entry.
    """

    month: str
    revision: int
    calculation: Calculation
    published_on: date
    calculations: int
    last_source: int
    digest: str
    entry: int


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation of a month, as its entry states it.

    ``last_source``, ``last_correction``: the newest import and correction that it knew of. ``version``: of the
    program. ``facts``: those of the entry.
    """

    last_source: int
    last_correction: int
    version: str
    facts: Mapping[str, Any]

    @property
    def number(self) -> int:
        """Its number: the calculations of a home are numbered in the order in which they were made."""
        return int(self.facts["calculation"])

    @property
    def month(self) -> str:
        """The month."""
        return str(self.facts["month"])

    @property
    def calculation_id(self) -> str:
        """The digest of everything it was made from."""
        return str(self.facts["calculation_id"])

    @property
    def family(self) -> str:
        """The family of its rules."""
        return str(self.facts["family"])

    @property
    def rule_sets(self) -> dict[str, str]:
        """The sha256 of each rule set that it used, by its name."""
        return {rule_set["name"]: rule_set["sha256"] for rule_set in self.facts["rule_sets"]}


@dataclass(slots=True)
class History:
    """What the entries so far state.

    ``publications``: in order. ``current``: the current revision of every month that has one. ``first``: the first one
    of each since it was last withdrawn. ``rollbacks``: rows of ``rolled_back``. ``calculations``: in order. ``placed``:
    the sha256 of every published file by its path below ``published``. ``signers``: key and signature of a signed
    revision, by its path. ``index``: what the newest index of what is published states of itself, with its ``day``
    (:func:`ratinglist.publication.settle.newest_index`); empty where there is none. ``answers``, ``approvals``: as the
    entries state them, with their day, approvals with the digest of ``office.toml`` too. ``previews``: the newest
    of each month. ``dismissals``: rows of the table. ``imports``: the numbers of the imports. ``retracted``: the
    numbers of the entries that were undone. ``office``: the digest of ``office.toml`` when the newest entry was
    appended. ``offices``: its digests at the newest publication and since, in order, those of previews apart.
    """

    publications: list[Publication] = field(default_factory=list)
    current: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    rollbacks: list[dict[str, Any]] = field(default_factory=list)
    calculations: list[Calculation] = field(default_factory=list)
    placed: dict[str, str] = field(default_factory=dict)
    signers: dict[str, dict[str, str]] = field(default_factory=dict)
    index: dict[str, Any] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)
    approvals: list[dict[str, Any]] = field(default_factory=list)
    previews: dict[str, dict[str, Any]] = field(default_factory=dict)
    dismissals: list[dict[str, Any]] = field(default_factory=list)
    imports: list[int] = field(default_factory=list)
    retracted: set[int] = field(default_factory=set)
    office: str = ""
    offices: list[str] = field(default_factory=list)
    last_correction: int = 0
    settled: dict[str, Calculation] = field(default_factory=dict)
    carried: set[str] = field(default_factory=set)
    newest_of: Collection[str] | None = None

    @property
    def last_source(self) -> int:
        """The number of the newest import; 0 where there is none."""
        return self.imports[-1] if self.imports else 0

    @property
    def last_calculation(self) -> int:
        """The number of the newest calculation of any month; 0 where there is none."""
        return self.calculations[-1].number if self.calculations else 0

    def entries_for(self, month: str) -> tuple[int, int]:
        """Return the numbers of the entries around what was received for a month, neither of them among it.

        The first publication of the list before, or 0, and that of the list after, or :data:`MOST_ENTRIES`.
        """
        first: dict[str, int] = {}
        for publication in self.publications:
            first.setdefault(publication.month, publication.entry)
        before = [entry for other, entry in first.items() if other < month]
        after = [entry for other, entry in first.items() if other > month]
        return max(before, default=0), min(after, default=MOST_ENTRIES)

    def newest_calculations(self) -> dict[str, Calculation]:
        """Return the newest calculation of every month."""
        return {calculation.month: calculation for calculation in self.calculations}

    def families(self) -> dict[str, str]:
        """Return the family of the list of every month: the published one, else the one that was calculated last."""
        counting = self.newest_calculations() | self.settled
        return {month: calculation.family for month, calculation in counting.items()}

    def kept_calculations(self) -> list[Calculation]:
        """Return the calculations whose folders are kept: the newest one of every month, and those published.

        A list that is rolled back to is what later lists stand on again.
        """
        published = (publication.calculation for publication in self.publications)
        kept = [*self.newest_calculations().values(), *published, *self.settled.values()]
        numbers = {calculation.number for calculation in kept}
        return [calculation for calculation in self.calculations if calculation.number in numbers]

    def standing_calculations(self) -> dict[str, Calculation]:
        """Return the calculation of every month that counts: the newest one, or where that is wanted the published one.

        Without those of a withdrawn list that has the same figures: the lists after it are calculated as if its month
        had no list. See ``newest_of``.
        """
        taken_back = {
            publication.calculation.calculation_id
            for publication in self.publications
            if publication.month not in self.current
        }
        counting = self.newest_calculations()
        if self.newest_of is not None:
            counting |= {month: settled for month, settled in self.settled.items() if month not in self.newest_of}
        return {
            month: calculation
            for month, calculation in counting.items()
            if calculation.calculation_id not in taken_back
        }

    def calculation_shown(self, month: str, revision: int) -> Calculation:
        """Return the calculation that a published revision shows."""
        return {(shown.month, shown.revision): shown.calculation for shown in self.publications}[month, revision]

    def revisions_showing(self, figures: Calculation) -> list[int]:
        """Return the revisions of the month that have the figures of a calculation."""
        return [
            publication.revision
            for publication in self.publications
            if publication.calculation.calculation_id == figures.calculation_id
        ]

    def lists_after(self, entry: Entry) -> list[str]:
        """Return the months calculated after the list that an entry imported, oldest first."""
        month = entry.facts["month"] if entry.kind == "import-list" else ""
        return [later for later in sorted(self.standing_calculations()) if month and later > month]

    def withdrawn_months(self) -> dict[str, dict[str, Any]]:
        """Return the newest rollback of the first revision of every month that has no current list since."""
        withdrawn = (rollback for rollback in self.rollbacks if rollback["to_revision"] == WITHDRAWN)
        return {rollback["month"]: rollback for rollback in withdrawn if rollback["month"] not in self.current}

    def revisions(self) -> dict[tuple[str, int], str]:
        """Return the digest of every published revision, by month and number."""
        return {(publication.month, publication.revision): publication.digest for publication in self.publications}

    def add(self, entry: Entry) -> None:
        """Add what an entry states; raises :class:`ValueError` where its facts are not those of its kind."""
        try:
            self._add(entry)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"its facts are not those of the kind {entry.kind!r} ({error})") from None

    def _add(self, entry: Entry) -> None:
        facts = entry.facts
        self.office = entry.office
        # A preview publishes nothing, and may have been made to try other choices.
        if entry.office and entry.kind != "preview" and entry.office not in self.offices:
            self.offices.append(entry.office)
        if "sha256" in facts:
            # An imported file, which has the number of its entry.
            self.imports.append(entry.number)
        if entry.kind == "correct":
            self.last_correction = facts["numbers"][-1]
        elif entry.kind == "calculate":
            self.calculations.append(Calculation(self.last_source, self.last_correction, entry.version, facts))
        elif entry.kind == "dismiss":
            self.dismissals.append(
                {
                    "dismissal_no": entry.number,
                    "report_id": facts["report_id"],
                    "reason": facts["reason"],
                    "known_on": entry.day,
                }
            )
        elif entry.kind == "retract":
            self._retract(facts["entry_retracted"])
        elif entry.kind == "rollback":
            self._roll_back(entry)
        self._publish(entry)
        self.answers += [{**answer, "known_on": entry.day} for answer in facts.get("answers", ())]
        of_entry = {"known_on": str(entry.day), "office": entry.office}
        self.approvals += [{**approval, **of_entry} for approval in facts.get("approvals", ())]
        self.previews |= {preview["month"]: {**preview, "known_on": entry.day} for preview in facts.get("previews", ())}

    def _publish(self, entry: Entry) -> None:
        facts = entry.facts
        newest = self.newest_calculations() if facts.get("published") else {}
        for revision in facts.get("published", ()):
            month, number = revision["month"], revision["revision"]
            if (month, number) not in {(other.month, other.revision) for other in self.publications}:
                publication = Publication(
                    month,
                    number,
                    newest[month],
                    entry.day,
                    self.last_calculation,
                    self.last_source,
                    revision["manifest"],
                    entry.number,
                )
                self.publications.append(publication)
            self.current[month] = number
            self.first.setdefault(month, number)
        if entry.kind in ("publish", "revise"):
            newest = self.newest_calculations()
            months = {*facts.get("months", ()), *(revision["month"] for revision in facts.get("published", ()))}
            self.settled |= {month: newest[month] for month in months & self.current.keys() & newest.keys()}
            self.carried = (self.carried - months) | {*facts.get("carried", ())}
        if "placed" not in facts:
            return
        self.offices = [entry.office] if entry.office else []
        self.placed |= facts["placed"]
        for name in [name for name, sha256 in facts["placed"].items() if not sha256]:
            del self.placed[name]
        self.signers |= facts.get("signers", {})
        if index := facts.get("index"):
            if index["log"] != entry.before:
                raise ValueError("its index was signed for another log")
            self.index = {**index, "day": str(entry.day)}

    def _roll_back(self, entry: Entry) -> None:
        row = {name: entry.facts[name] for name in KINDS["rollback"].facts}
        self.rollbacks.append({"rollback_no": len(self.rollbacks) + 1, **row, "rolled_back_on": entry.day})
        month, revision = row["month"], row["to_revision"]
        self.carried.discard(month)
        if revision == WITHDRAWN:
            self.current.pop(month, None)
            self.settled.pop(month, None)
            self.first.pop(month, None)
            return
        self.current[month] = revision
        self.first.setdefault(month, revision)
        self.settled |= {
            shown.month: shown.calculation
            for shown in self.publications
            if (shown.month, shown.revision) == (month, revision)
        }

    def _retract(self, number: int) -> None:
        self.retracted.add(number)
        self.imports = [source for source in self.imports if source != number]
        self.dismissals = [dismissal for dismissal in self.dismissals if dismissal["dismissal_no"] != number]

    def table(self, name: str) -> pl.DataFrame:
        """Return one of :data:`TABLES`."""
        schema, rows_of = TABLES[name]
        return pl.DataFrame([{column: row[column] for column in schema} for row in rows_of(self)], schema=schema)


_PUBLICATION: Final = {
    "month": pl.String,
    "revision": pl.Int32,
    "calculation_no": pl.Int32,
    "published_on": pl.Date,
    "calculations": pl.Int32,
    "last_source": pl.Int32,
    "digest": pl.String,
}
_CURRENT: Final = {"month": pl.String, "revision": pl.Int32}
_WITHDRAWN: Final = {
    "month": pl.String,
    "rollback_no": pl.Int32,
    "revision": pl.Int32,
    "reason": pl.String,
    "rolled_back_on": pl.Date,
}
_CALCULATION: Final = {
    "calculation_no": pl.Int32,
    "month": pl.String,
    "calculation_id": pl.String,
    "before_id": pl.String,
    "family": pl.String,
    "one_time_step": pl.String,
    "lists": pl.List(pl.String),
    "last_correction": pl.Int32,
    "last_source": pl.Int32,
    "is_newest": pl.Boolean,
    "is_standing": pl.Boolean,
}
_PREVIEW: Final = {"month": pl.String, "revision": pl.Int32, "calculation_id": pl.String}


def _published_row(publication: Publication) -> dict[str, Any]:
    return {
        **{name: getattr(publication, name) for name in Publication.__slots__},
        "calculation_no": publication.calculation.number,
    }


def _calculations(history: History) -> Iterator[dict[str, Any]]:
    newest, standing = history.newest_calculations(), history.standing_calculations()
    for calculation in history.calculations:
        yield {
            **calculation.facts,
            "calculation_no": calculation.number,
            "last_source": calculation.last_source,
            "last_correction": calculation.last_correction,
            "is_newest": calculation is newest[calculation.month],
            "is_standing": calculation is standing.get(calculation.month),
        }


TABLES: Final[Mapping[str, tuple[Mapping[str, Any], Callable[[History], Iterable[Mapping[str, Any]]]]]] = {
    "publication": (_PUBLICATION, lambda log: map(_published_row, log.publications)),
    "current_revision": (
        _CURRENT,
        lambda log: ({"month": month, "revision": number} for month, number in log.current.items()),
    ),
    "rolled_back": (ROLLED_BACK.schema, lambda log: log.rollbacks),
    "calculation": (_CALCULATION, _calculations),
    "preview": (_PREVIEW, lambda log: log.previews.values()),
    "dismissal": (DISMISSAL.schema, lambda log: log.dismissals),
    "withdrawn_month": (
        _WITHDRAWN,
        lambda log: ({**month, "revision": month["from_revision"]} for month in log.withdrawn_months().values()),
    ),
}
"""The tables that SQL sees of the log: the types of their columns, and what makes their rows."""
