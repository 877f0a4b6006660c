"""The archived originals that the journal needs, and those that a command archives again when it is given them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ratinglist import office
from ratinglist.store import archive
from ratinglist.store.journal import Entry

_IMPORTS = ("import-list", "import-players", "import-reference")


def required_originals(home: Path, entries: Iterable[Entry]) -> dict[Path, str]:
    """Return the path of every original that the entries need, each with a description."""
    needed: dict[Path, str] = {}
    for entry in entries:
        needed |= {archive.inputs(home) / sha256: what for sha256, what in required_inputs(entry).items()}
        needed |= {archive.reports(home) / sha256: what for sha256, what in _reports(entry).items()}
    return needed


def required_inputs(entry: Entry) -> dict[str, str]:
    """Return the digests of the archived files but reports that an entry needs, each with a description."""
    needed = {entry.office: f"{office.NAME} of entry {entry.number}"} if entry.office else {}
    if entry.kind == "correct":
        needed[entry.facts["sha256"]] = _described(entry.facts["file"], entry)
    needed |= _delivered_inputs(entry)
    for name, sha256 in entry.facts.get("snapshot", {}).items():
        needed[sha256] = f"{name} of the baseline"
    return needed


def delivered_originals(entries: Iterable[Entry]) -> set[str]:
    """Return the digests of the originals that `load` or an import archives again when it is given them."""
    return {sha256 for entry in entries for sha256 in (*_delivered_inputs(entry), *_reports(entry))}


def _delivered_inputs(entry: Entry) -> dict[str, str]:
    facts = entry.facts
    imported = [[facts["file"], facts["sha256"]]] if entry.kind in _IMPORTS else []
    named = chain(imported, facts.get("manifests", []), *facts.get("delivered_tables", []))
    return {sha256: _described(name, entry) for name, sha256 in named}


def _reports(entry: Entry) -> dict[str, str]:
    return {one["sha256"]: _described(f"the report {one['name']}", entry) for one in entry.facts.get("files", [])}


def _described(name: str, entry: Entry) -> str:
    return f"{name} ({entry.kind}, {entry.day})"
