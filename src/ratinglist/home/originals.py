"""The originals that an office was given, each named by the sha256 of its bytes.

Reports are in ``HOME/reports``; lists, files of players, manifests, tables, corrections and each version of
``office.toml`` that was used are in ``HOME/originals``. The log names them (:func:`required`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratinglist import office
from ratinglist.errors import AlteredError
from ratinglist.files import durable_files

if TYPE_CHECKING:
    from ratinglist.home.log import Entry

FOLDER = "originals"
"""The name of the folder in its home."""
REPORTS = "reports"
"""The name of the folder of the reports in its home."""


def keep_bytes(home: Path, data: bytes) -> str:
    """Keep the bytes of a file and return their digest; raises :class:`OSError` where they cannot be written."""
    sha256 = hashlib.sha256(data).hexdigest()
    durable_files.keep_all(home / FOLDER, {sha256: data})
    return sha256


def keep_json(home: Path, content: Mapping[str, object]) -> str:
    """Keep what is too long for an entry of the log, as JSON, and return its digest."""
    return keep_bytes(home, json.dumps(content, ensure_ascii=False).encode())


def read_json(home: Path, sha256: str, what: str) -> dict[str, Any]:
    """Return what :func:`keep_json` kept; raises as :func:`checked`."""
    content: dict[str, Any] = json.loads(checked(home, sha256, what).read_text(encoding="utf-8"))
    return content


def delivery(home: Path, entry: Entry) -> dict[str, Any]:
    """Return what was delivered with an entry of the kind ``load``; raises as :func:`checked`."""
    return read_json(home, entry.facts["delivery"], f"the names of the reports (load, {entry.day})")


def checked(home: Path, sha256: str, what: str) -> Path:
    """Return the path of an original that is not altered.

    ``what``: what it is, for the message. Raises :class:`~ratinglist.errors.AlteredError` where it is missing or was
    altered.
    """
    return durable_files.checked(home / FOLDER, sha256, what)


def checked_report(home: Path, sha256: str, what: str) -> Path:
    """Return the path of a report; raises as :func:`checked`."""
    return durable_files.checked(home / REPORTS, sha256, what)


def required(home: Path, entries: Iterable[Entry]) -> dict[Path, str]:
    """Return the path of every original that the entries name, each with a description."""
    needed: dict[Path, str] = {}
    for entry in entries:
        facts = entry.facts
        if entry.office:
            needed[home / FOLDER / entry.office] = f"{office.NAME} of entry {entry.number}"
        for name in ("rows", "delivery"):
            if name in facts:
                needed[home / FOLDER / facts[name]] = _described("what was decided and delivered", entry)
        if entry.kind == "correct":
            needed[home / FOLDER / facts["sha256"]] = _described(facts["file"], entry)
        needed |= dict.fromkeys(own_rules(home, entry).values(), _described("its own rules", entry))
        needed |= delivered(home, entry)
    return needed


def own_rules(home: Path, entry: Entry) -> dict[str, Path]:
    """Return the rule files of the office's own with which an entry calculated a list, by name."""
    return {name: home / FOLDER / sha256 for name, sha256 in entry.facts.get("own_rules", {}).items()}


def delivered(home: Path, entry: Entry) -> dict[Path, str]:
    """Return the path of the originals that ``load`` or an import keeps again when it is given them."""
    facts = entry.facts
    content: dict[str, Any] = {"files": facts.get("files", [])}
    if entry.kind == "load":
        try:
            content = delivery(home, entry)
        except AlteredError:
            content = {"files": []}  # It is required itself.
    imported = [[facts["file"], facts["sha256"]]] if "sha256" in facts and entry.kind != "correct" else []
    named = chain(imported, content.get("manifests", []), *content.get("delivered_tables", []))
    return {
        **{home / FOLDER / sha256: _described(name, entry) for name, sha256 in named},
        **{
            home / REPORTS / file["sha256"]: _described(f"the report {file['name']}", entry)
            for file in content["files"]
        },
    }


def _described(name: str, entry: Entry) -> str:
    return f"{name} ({entry.kind}, {entry.day})"
