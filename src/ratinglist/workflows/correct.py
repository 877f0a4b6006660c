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
from ratinglist.reports import batches, reading
from ratinglist.reports.manifest import ManifestFacts
from ratinglist.store import quarantine, received
from ratinglist.store.database import Store, open_store
from ratinglist.summaries import finding_line


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Make every correction of a file, in its order, or none. No list is calculated again yet: see :func:`rerate`.

    Raises :class:`NothingReadError`, naming file and line, where the file cannot be understood, where a correction
    matches nothing or changes nothing, and where a report it brings is refused.
    """
    if not file.is_file():
        raise NothingReadError(f"{file}: there is no such file. Name a corrections file (TOML).")
    if (size := file.stat().st_size) > TOML_BYTES:
        raise NothingReadError(
            f"{file}: it has {size} bytes, and at most {TOML_BYTES} are read. Nothing was corrected."
        )
    data = file.read_bytes()
    try:
        text = data.decode("utf-8-sig")  # Windows editors put a mark before the first letter
    except UnicodeDecodeError:
        raise NothingReadError(f"{file}: not UTF-8. Save the corrections file as UTF-8.") from None
    asked = parser.parse(text, str(file))
    made = []
    with open_store(settings.store, settings.threads) as store, store.transaction():
        digest = hashlib.sha256(data).hexdigest()
        source = received.add_source_file(
            store, sha256=digest, file_name=file.name, kind="corrections", month=None, known_on=settings.today
        )
        for one in asked:
            try:
                brought = _replacement(store, settings, one, file.parent) if one.action == "replace_report" else None
                made.append(
                    apply.apply_correction(store, one, known_on=settings.today, source_no=source, replacement=brought)
                )
            except apply.NothingMatchedError as error:
                raise NothingReadError(f"{file}, line {one.line}: {error}. Nothing was corrected.") from None
        received.count_source_file(store, source, len(made))
    return CorrectSummary.of(str(file), made)


def _replacement(store: Store, settings: Settings, correction: Correction, folder: Path) -> apply.Replacement:
    """Read the report that a correction brings, with the facts that the manifest of the one it replaces gave."""
    replaced = apply.to_be_replaced(store, correction)
    first = replaced.row(0, named=True)
    facts = ("event_id", "version", "event_type", "time_control", "official", "registered_on", "minutes_per_60_moves")
    # A slice is told by its start date, which only the manifest can know; a whole event's is in its header.
    dates = ("start_date", "end_date") if "start_date" in correction.match else ()
    manifest_facts = ManifestFacts(received_on=settings.today, **{name: first[name] for name in (*facts, *dates)})
    path = folder / correction.says["file"]
    if not path.is_file():
        raise apply.NothingMatchedError(f"{path} does not exist: 'file' is told from the corrections file's folder")
    found = batches.find([path])
    found = replace(found, files=tuple(replace(one, facts=manifest_facts) for one in found.files))
    ids: list[str] = []
    for batch in batches.read_batches(found, settings.today):
        batches.archive_all(settings.reports, batch)
        read = reading.read(batch.delivered, batch.findings)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        ids += read.reports["report_id"].to_list()
    if len(ids) != 1:
        raise apply.NothingMatchedError(f"{path} holds {len(ids)} reports, and one is to take the place of another")
    if refused := quarantine.of_reports(store, pl.Series(ids)):
        raise apply.NothingMatchedError(f"the report it brings is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise apply.NothingMatchedError(f"{path} is the report that stands there already")
    return apply.Replacement(ids[0], replaced["report_id"].to_list(), first["received_on"])
