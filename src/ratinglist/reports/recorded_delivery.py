"""A delivery as the journal records it: the name, the digest and the manifest's facts of each report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import date
from typing import Any

from ratinglist.reports.manifest import ManifestFacts, Problem

_DAYS = ("received_on", "start_date", "end_date", "registered_on")


def encode(name: str, sha256: str, facts: ManifestFacts) -> dict[str, object]:
    """Return a delivered report as JSON values: ``name``, ``sha256``, and the facts that a manifest states."""
    cells = {one.name: getattr(facts, one.name) for one in fields(facts) if one.name != "problems"}
    known = {key: str(cell) if key in _DAYS else cell for key, cell in cells.items() if cell is not None}
    problems = {"problems": [asdict(one) for one in facts.problems]} if facts.problems else {}
    return {"name": name, "sha256": sha256, **known, **problems}


def decode_facts(recorded: Mapping[str, Any]) -> ManifestFacts:
    """Return the facts of a report that :func:`encode` encoded."""
    names = {one.name for one in fields(ManifestFacts)}
    cells: dict[str, Any] = {
        key: date.fromisoformat(cell) if key in _DAYS else cell for key, cell in recorded.items() if key in names
    }
    cells["problems"] = tuple(Problem(**one) for one in recorded.get("problems", ()))
    return ManifestFacts(**cells)
