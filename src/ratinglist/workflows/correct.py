"""Apply a file of corrections."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.config import Settings
from ratinglist.correction_summaries import CorrectSummary
from ratinglist.corrections import apply, parser
from ratinglist.corrections.parser import Correction
from ratinglist.errors import NothingReadError
from ratinglist.limits import TOML_BYTES
from ratinglist.publication.home import open_to_write
from ratinglist.reports import batches, reading
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.store import quarantine, received
from ratinglist.store.database import Store
from ratinglist.summaries import finding_line


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Apply every correction of a file, in order, or none. No list is calculated again: see :func:`rerate`.

    The file that was applied last is not applied twice in a row, so that a command that was killed may be given again;
    unless it brings reports, which may be others now.
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
    try:
        text = data.decode("utf-8-sig")  # Windows editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise NothingReadError(f"{file}: not UTF-8. Save the corrections file as UTF-8.") from None
    corrections = parser.parse(text, str(file))
    applied = []
    with open_to_write(settings) as store, store.transaction():
        digest = hashlib.sha256(data).hexdigest()
        brings_reports = any(one.action == "replace_report" for one in corrections)
        if not brings_reports and (first_month := _applied_last(store, digest)) is not None:
            return CorrectSummary(str(file), [], first_month, already=True)
        source = received.add_source_file(
            store, sha256=digest, file_name=file.name, kind="corrections", month=None, known_on=settings.today
        )
        for one in corrections:
            try:
                report = _replacement(store, settings, one, file.parent) if one.action == "replace_report" else None
                applied.append(
                    apply.apply_correction(store, one, known_on=settings.today, source_no=source, replacement=report)
                )
            except apply.NothingMatchedError as error:
                raise NothingReadError(f"{file}, line {one.line}: {error}. Nothing was corrected.") from None
        received.count_source_file(store, source, len(applied))
    return CorrectSummary.of(str(file), applied)


def _applied_last(store: Store, digest: str) -> str | None:
    """Return the first list that the newest file of corrections can move, where it is this one; else None."""
    newest = store.read(
        """
        select source_no, sha256 from source_file where kind = 'corrections' order by source_no desc limit 1
        """
    ).to_dicts()
    if not newest or newest[0]["sha256"] != digest:
        return None
    first = store.read(
        "select coalesce(min(nullif(first_month, '')), '') as month from correction where source_no = $no",
        no=newest[0]["source_no"],
    )
    return str(first.item())


def _replacement(store: Store, settings: Settings, correction: Correction, folder: Path) -> apply.Replacement:
    """Load the report that replaces another one, with the manifest facts of the replaced report."""
    replaced = apply.to_be_replaced(store, correction)
    first = replaced.row(0, named=True)
    facts = ("event_id", "version", "event_type", "time_control", "official", "registered_on", "minutes_per_60_moves")
    # A slice is identified by its start date, which only the manifest has; that of a whole event is in its header.
    dates = ("start_date", "end_date") if "start_date" in correction.match else ()
    manifest_facts = ManifestFacts(received_on=settings.today, **{name: first[name] for name in (*facts, *dates)})
    path = folder / correction.says["file"]
    if not path.is_file():
        raise apply.NothingMatchedError(f"{path} does not exist: 'file' is relative to the corrections file")
    found = batches.find([path])
    found = replace(found, files=tuple(replace(one, facts=manifest_facts) for one in found.files))
    ids: list[str] = []
    for batch in batches.read_batches(found, settings.today, settings.today):
        batches.archive_all(settings.reports, batch)
        read = reading.read(batch.delivered, batch.findings)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        ids += read.reports["report_id"].to_list()
    if len(ids) != 1:
        raise apply.NothingMatchedError(f"{path} has {len(ids)} reports, and one report can replace another")
    if refused := quarantine.of_reports(store, pl.Series(ids)):
        raise apply.NothingMatchedError(f"the new report is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise apply.NothingMatchedError(f"{path} is the report that is there already")
    return apply.Replacement(ids[0], replaced["report_id"].to_list(), first["received_on"])
