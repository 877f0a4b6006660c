"""Apply a file of corrections."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from ratinglist.config import Settings
from ratinglist.correction_summaries import CorrectSummary
from ratinglist.corrections import apply, parser
from ratinglist.corrections.parser import Correction
from ratinglist.errors import NothingReadError
from ratinglist.limits import TOML_BYTES
from ratinglist.reports import batches, reading
from ratinglist.reports.batches import Delivery
from ratinglist.reports.discovery import DeliveredFile
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.store import archive, journal, quarantine, received
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry
from ratinglist.store.opening import open_store
from ratinglist.summaries import finding_line


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Apply every correction of a file, in order, or none. No list is calculated again: see :func:`rerate`.

    Raises :class:`NothingReadError`, naming file and line, where the file cannot be parsed, where a correction
    matches nothing or changes nothing, and where a report that replaces another one is refused.
    """
    if not file.is_file():
        raise NothingReadError(f"{file}: there is no such file. Name a corrections file (TOML).")
    if (size := file.stat().st_size) > TOML_BYTES:
        raise NothingReadError(
            f"{file}: it has {size} bytes, and at most {TOML_BYTES} are read. Nothing was corrected."
        )
    data = file.read_bytes()
    corrections = _parsed(data, str(file))
    with open_store(settings.store, settings.threads) as store, store.transaction():
        replacements = partial(_delivered_replacement, file.parent)
        return _correct(store, settings, data, file.name, str(file), corrections, replacements)


def correct_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Apply the corrections that an entry of the journal records, from the archive.

    Raises :class:`~ratinglist.errors.AlteredError` where an archived file is missing or was altered.
    """
    name = entry.facts["file"]
    data = archive.input_file(store.home, entry.facts["sha256"], f"{name} (correct, {entry.day})").read_bytes()
    replaced = {one["correction"]: one for one in entry.facts["files"]}

    def replacement(correction: Correction) -> Delivery:
        one = replaced[correction.line]
        path = archive.report_file(store.home, one["sha256"], f"the report {one['name']} (correct, {entry.day})")
        return Delivery((DeliveredFile(one["name"], path, path.stat().st_size),))

    with store.transaction():
        _correct(store, settings, data, name, name, _parsed(data, name), replacement)


def _parsed(data: bytes, shown: str) -> list[Correction]:
    """Parse a corrections file; ``shown``: its name in messages."""
    try:
        text = data.decode("utf-8-sig")  # Windows editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise NothingReadError(f"{shown}: not UTF-8. Save the corrections file as UTF-8.") from None
    return parser.parse(text, shown)


def _correct(
    store: Store,
    settings: Settings,
    data: bytes,
    name: str,
    shown: str,
    corrections: Sequence[Correction],
    replacements: Callable[[Correction], Delivery],
) -> CorrectSummary:
    """Apply a parsed file of corrections, inside a transaction of the caller.

    ``data``, ``name``: its bytes and its name; ``shown``: its name in messages. ``replacements`` finds the report of a
    ``replace_report``.
    """
    applied = []
    files: list[dict[str, object]] = []
    digest = hashlib.sha256(data).hexdigest()
    source = received.add_source_file(
        store, sha256=digest, file_name=name, kind="corrections", month=None, known_on=settings.today
    )
    for one in corrections:
        try:
            report = _replacement(store, settings, one, replacements, files) if one.action == "replace_report" else None
            applied.append(
                apply.apply_correction(store, one, known_on=settings.today, source_no=source, replacement=report)
            )
        except apply.NothingMatchedError as error:
            raise NothingReadError(f"{shown}, line {one.line}: {error}. Nothing was corrected.") from None
    received.count_source_file(store, source, len(applied))
    archive.keep_bytes(store.home, data)
    journal.note(store, "correct", settings.today, file=name, sha256=digest, files=files)
    return CorrectSummary.of(shown, applied)


def _delivered_replacement(folder: Path, correction: Correction) -> Delivery:
    """Find the report that a ``replace_report`` names; ``folder``: that of the corrections file."""
    path = folder / correction.says["file"]
    if not path.is_file():
        raise apply.NothingMatchedError(f"{path} does not exist: 'file' is relative to the corrections file")
    return batches.find([path])


def _replacement(
    store: Store,
    settings: Settings,
    correction: Correction,
    replacements: Callable[[Correction], Delivery],
    files: list[dict[str, object]],
) -> apply.Replacement:
    """Load the report that replaces another one, with the manifest facts of the replaced report.

    The report is added to ``files``, as the journal records it.
    """
    replaced = apply.to_be_replaced(store, correction)
    first = replaced.row(0, named=True)
    facts = ("event_id", "version", "event_type", "time_control", "official", "registered_on", "minutes_per_60_moves")
    # A slice is identified by its start date, which only the manifest has; that of a whole event is in its header.
    dates = ("start_date", "end_date") if "start_date" in correction.match else ()
    manifest_facts = ManifestFacts(received_on=settings.today, **{name: first[name] for name in (*facts, *dates)})
    found = replacements(correction)
    found = replace(found, files=tuple(replace(one, facts=manifest_facts) for one in found.files))
    ids: list[str] = []
    for batch in batches.read_batches(found, settings.today):
        batches.archive_all(settings.reports, batch)
        read = reading.read(batch.delivered, batch.findings)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        ids += read.reports["report_id"].to_list()
        for name, sha256 in batch.delivered.select("file_name", "sha256").iter_rows():
            files.append({"correction": correction.line, "name": name, "sha256": sha256})
    name = correction.says["file"]
    if len(ids) != 1:
        raise apply.NothingMatchedError(f"{name} has {len(ids)} reports, and one report can replace another")
    if refused := quarantine.of_reports(store, pl.Series(ids)):
        raise apply.NothingMatchedError(f"the new report is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise apply.NothingMatchedError(f"{name} is the report that is there already")
    return apply.Replacement(ids[0], replaced["report_id"].to_list(), first["received_on"])
