"""Load a report that takes the place of another one, as a correction says, with what the office stated of that one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist import reports
from ratinglist.corrections.apply import NothingMatchedError, Replacement, to_be_replaced
from ratinglist.corrections.parser import Correction
from ratinglist.home import originals
from ratinglist.reasons import finding_line
from ratinglist.reports import Delivery, ManifestFacts
from ratinglist.settings import Settings
from ratinglist.store import quarantine, received
from ratinglist.store.database import Store


def replacement(
    store: Store,
    settings: Settings,
    correction: Correction,
    folder: Path,
    files: list[dict[str, object]],
) -> Replacement:
    """Load the report that replaces another one, with all that a manifest stated of the replaced report.

    ``folder``: that of the corrections file. The report is added to ``files``, as the log records it.
    """
    replaced = to_be_replaced(store, correction)
    first = replaced.row(0, named=True)
    facts = ("event_id", "version", "event_type", "time_control", "official", "registered_on", "minutes_per_60_moves")
    # A slice is identified by its start date, which only the manifest has; that of a whole event is in its header.
    dates = ("start_date", "end_date") if "start_date" in correction.match else ()
    known = {name: first[name] for name in (*facts, *dates)}
    # A report that waits for its time control has an empty one: the new report may state it.
    known["time_control"] = first["time_control"] or None
    found = _delivered_replacement(folder, correction)
    added = _additions(store, first["sha256"], found)
    manifest_facts = replace(added, received_on=settings.today, **known)
    found = replace(found, files=tuple(replace(one, facts=manifest_facts) for one in found.files))
    ids = []
    for report_id, name, sha256 in read_replacement(store, settings, found):
        ids.append(report_id)
        files.append(reports.recorded_report(name, sha256, manifest_facts))
    name = correction.says["file"]
    if len(ids) != 1:
        raise NothingMatchedError(f"{name} has {len(ids)} reports, and one report can replace another")
    _check_start_numbers(store, name, added.player_ids, first["report_id"], ids[0])
    if refused := quarantine.of_reports(store, pl.Series(ids)):
        raise NothingMatchedError(f"the new report is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise NothingMatchedError(f"{name} is the report that is there already")
    return Replacement(ids[0], replaced["report_id"].to_list(), first["received_on"])


def _delivered_replacement(folder: Path, correction: Correction) -> Delivery:
    """Find the report that a ``replace_report`` names; ``folder``: that of the corrections file."""
    path = folder / correction.says["file"]
    if not path.is_file():
        raise NothingMatchedError(f"{path} does not exist: 'file' is relative to the corrections file")
    # Events in tables are corrected by tables: a row of them has no file of its own.
    return replace(reports.find([path]), tables=())


def _additions(store: Store, sha256: str, new: Delivery) -> ManifestFacts:
    """Return what the newest manifest stated of the report with these bytes and its header could not.

    That is its name, its players' FIDE IDs, and the dates that the header of the ``new`` report does not have either.
    """
    stated = ManifestFacts()
    for entry in store.log.entries:
        if entry.kind in ("load", "correct"):
            files = originals.delivery(store.home, entry)["files"] if entry.kind == "load" else entry.facts["files"]
            stated = next((reports.facts_of_recorded(one) for one in files if one["sha256"] == sha256), stated)
    header = b"".join(one.source.read_bytes() for one in new.files)
    dates = {
        name: getattr(stated, name)
        for name, record in (("start_date", rb"042"), ("end_date", rb"052"))
        if not re.search(rb"^" + record + rb" .*[0-9]", header, re.MULTILINE)
    }
    return ManifestFacts(event_name=stated.event_name, player_ids=stated.player_ids, **dates)


def _check_start_numbers(store: Store, file: str, player_ids: str | None, old: str, new: str) -> None:
    """Raise :class:`NothingMatchedError` where a start number with a stated FIDE ID is now another player's."""
    numbers = [int(one.partition("=")[0]) for one in (player_ids or "").split()]
    moved = store.rows(
        """
        select player.start_number, player.name, coalesce(other.name, 'nobody')
        from report_player as player
        left join report_player as other
            on other.report_no = (select report_no from report where report_id = $new)
            and other.start_number = player.start_number
        where player.report_no = (select report_no from report where report_id = $old)
            and list_contains($numbers, player.start_number)
            and lower(player.name) is distinct from lower(other.name)
        order by player.start_number
        """,
        old=old,
        new=new,
        numbers=numbers,
    )
    if moved:
        number, before, now = moved[0]
        raise NothingMatchedError(
            f"in {file} the start number {number} is {now} and was {before}, whose FIDE ID manifest.csv stated: keep "
            "the start numbers, or load the new report as the next version, with a manifest of its own"
        )


def read_replacement(store: Store, settings: Settings, delivery: Delivery) -> list[tuple[str, str, str]]:
    """Keep and insert a report that replaces another one; return the id, the name and the digest of each read."""
    found = []
    for batch in reports.read_batches(delivery, settings.today, settings.today):
        reports.archive_all(settings.reports, batch)
        read = reports.read(batch.delivered, batch.findings, settings.office.reports.time_control)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        names = batch.delivered.select("file_name", "sha256").iter_rows()
        found += [(one, name, sha256) for one, (name, sha256) in zip(read.reports["report_id"], names, strict=True)]
    return found
