"""The kinds of entries of the log: the facts of each, what it records in an officer's words, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from ratinglist.number_text import counted, listed

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
    records, without the full stop. ``makes_store``: whether the store is made from it. ``is_source``: whether it is an
    imported file, which has the number of its entry. ``can_be_undone``: by ``ratinglist retract``. ``judges``: whether
    it decides what of the store counts.
    """

    facts: tuple[str, ...]
    sentence: Callable[[Facts], str]
    makes_store: bool = False
    is_source: bool = False
    can_be_undone: bool = False
    judges: bool = False

    @property
    def changes_lists(self) -> bool:
        """Whether a list that is calculated after an entry of it may be another than before."""
        return self.makes_store or self.judges


def described(entry: Entry) -> str:
    """Return what an entry records, as a sentence without its full stop."""
    return KINDS[entry.kind].sentence(entry.facts)


def _filled(sentence: str) -> Callable[[Facts], str]:
    return lambda facts: sentence.format_map(facts)


def name_of_delivery(paths: Iterable[str]) -> dict[str, object]:
    """Return what an entry says of delivered files: the ``folder`` or archive that all are in, and the first names."""
    files = sorted(PurePath(path) for path in paths)
    folders = {file.parent.name for file in files}
    return {"folder": folders.pop() if len(folders) == 1 else "", "files": [one.name for one in files[:_NAMED]]}


def _loaded(facts: Facts) -> str:
    folder, names = (facts.get("named", {}).get(name, ()) for name in ("folder", "files"))
    more = facts["reports"] - len(names)
    shown = listed([*names, f"{more:,} more"] if more > 0 else names) if names else ""
    where = (f" from {folder}/" if folder else "") + (f" ({shown})" if shown else "")
    return f"{_counted(facts['reports'], 'report')} loaded{where}, received on {facts['received_on']}"


def _corrected(facts: Facts) -> str:
    return f"{_counted(len(facts['first_months']), 'correction')} applied from {facts['file']}"


def _published(facts: Facts, again: str = "") -> str:
    names = [f"{one['month']} (r{one['revision']})" for one in facts.get("published", ())]
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
    who = listed(dict.fromkeys(one["name"] for one in facts["approvals"]))
    months = list(dict.fromkeys(one["month"] for one in facts["approvals"]))
    return f"{_all_of('list', months)} approved by {who}"


def _dismissed(facts: Facts) -> str:
    return f"A refused report was set aside: {facts['reason']}" if facts["reason"] else "A report was taken up again"


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
        is_source=True,
        can_be_undone=True,
    ),
    "import-players": Kind(
        _FILE,
        _filled("Players were registered or changed from {file}"),
        makes_store=True,
        is_source=True,
        can_be_undone=True,
    ),
    "import-reference": Kind(
        (*_FILE, "month", "time_control"),
        _filled("The reference list of {month} was imported from {file}"),
        makes_store=True,
        is_source=True,
        can_be_undone=True,
    ),
    "load": Kind(("received_on", "reports", "delivery"), _loaded, makes_store=True, can_be_undone=True),
    "correct": Kind((*_FILE, "files", "rows", "first_months"), _corrected, makes_store=True, is_source=True),
    "calculate": Kind(
        (
            *("month", "calculation", "calculation_id", "before_id", "family", "rule_sets", "one_time_step"),
            *("continue_from", "lists", "files_sha256", "state_sha256"),
        ),
        _filled("The list of {month} was calculated ({family})"),
    ),
    "publish": Kind(("published",), _published),
    "revise": Kind(("start", "months"), lambda facts: _published(facts, "calculated again and ")),
    "statuses": Kind((), _published),
    "rollback": Kind(
        ("month", "from_revision", "to_revision", "from_digest", "to_digest", "reason", "who"), _rolled_back
    ),
    "sign": Kind(("month", "revisions"), _signed),
    "preview": Kind(
        ("previews",), lambda facts: f"{_all_of('preview', [one['month'] for one in facts['previews']])} made"
    ),
    "approve": Kind(("approvals",), _approved),
    "answer": Kind(
        ("answers",),
        lambda facts: f"A reason was given for {listed(one['question'] for one in facts['answers'])}",
    ),
    "dismiss": Kind(("report_id", "reason"), _dismissed, can_be_undone=True, judges=True),
    "retract": Kind(("entry_retracted", "reason"), _retracted, judges=True),
}
"""Every kind of entry by its name."""
