"""Apply a file of corrections, or one typed as a command; show before what they would move."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ratinglist import reports
from ratinglist.analysis import report_states
from ratinglist.corrections.apply import (
    NothingMatchedError,
    Replacement,
    apply_correction,
    insert_rows,
    inserted_rows,
    players_listed_twice,
    to_be_replaced,
)
from ratinglist.corrections.parser import Correction, argument_names, parse_corrections
from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import keep_all
from ratinglist.home import originals
from ratinglist.home.history import READINGS
from ratinglist.home.log import Entry
from ratinglist.lists.official_rows import FIRST_BIRTH_YEAR
from ratinglist.messages import sentence
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import calculations, received
from ratinglist.store.database import Store
from ratinglist.store.table_files import formula_problem
from ratinglist.summaries import CorrectionPreview, CorrectSummary, finding_line
from ratinglist.workflows import find, rerate
from ratinglist.workflows.opening import open_to_read, open_to_write

_FIDE_IDS = ("fide_id", "into", "white", "black")
"""The keys of a correction that name players."""
_TEXTS = ("name", "other_titles", "unlike_person", "past_federation")
"""The keys with a text that a person writes."""


@dataclass(frozen=True, slots=True)
class CorrectionsFile:
    """A file of corrections: its bytes, and the ``folder`` of the reports that it puts in the place of others.

    ``is_typed``: the corrections were typed, so there is no such file, and no message names it. Their text is among the
    originals.
    """

    file: Path
    data: bytes
    folder: Path
    is_typed: bool = False

    def place(self, correction: Correction) -> str:
        """Return how a message on a correction begins: with file and line, where there is a file."""
        return "" if self.is_typed else f"{self.file}, line {correction.line}: "


def _read(file: Path) -> CorrectionsFile:
    if not file.is_file():
        raise NothingReadError(f"{file}: there is no such file. Name a corrections file (TOML).")
    return CorrectionsFile(file, file.read_bytes(), file.parent)


def _typed(settings: Settings, text: str, folder: Path | None) -> CorrectionsFile:
    return CorrectionsFile(Path(f"typed-{settings.today}.toml"), text.encode(), folder or Path(), is_typed=True)


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Apply every correction of a file, in order, or none. No list is calculated again: see :func:`rerate`.

    A file is not applied twice in a row, where nothing was received in between, so that a command that was killed may
    be given again; unless it brings reports, which may be others now.

    Raises :class:`NothingReadError`, naming file and line, where the file cannot be parsed, where the reason or the
    person of a correction has a date of birth, where a correction matches nothing or changes nothing, and where a
    report that replaces another one is refused.
    """
    return _correct(settings, _read(file), is_rated=False)[1]


def preview(settings: Settings, file: Path) -> CorrectionPreview:
    """Return what the corrections of a file would move: the lists and the players. Nothing is changed.

    The lists are calculated again and everything is rolled back. Raises what :func:`correct` raises.
    """
    return _correct(settings, _read(file), is_kept=False)[0]


def type_correction(
    settings: Settings, text: str, folder: Path | None = None
) -> tuple[CorrectionPreview, CorrectSummary]:
    """Apply corrections given as the ``text`` of a corrections file, which is kept among the originals.

    ``folder``: of the report that takes the place of another one, where a correction brings one. No other command
    comes between what is shown and what is applied.

    Out: what it moves, once the lists are calculated again, and what was applied. Raises as :func:`correct` does.
    """
    return _correct(settings, _typed(settings, text, folder))


def preview_typed(settings: Settings, text: str, folder: Path | None = None) -> CorrectionPreview:
    """Return what :func:`type_correction` would move; nothing is changed or kept."""
    return _correct(settings, _typed(settings, text, folder), is_kept=False)[0]


def _correct(
    settings: Settings, corrections: CorrectionsFile, *, is_rated: bool = True, is_kept: bool = True
) -> tuple[CorrectionPreview, CorrectSummary]:
    """Apply corrections, keep them and what they decided, and record it.

    ``is_rated``: the lists are calculated again, to see what moves. ``is_kept``: else nothing is recorded, and so
    nothing is changed.
    """
    with open_to_write(settings) as store:
        if is_kept and (first_month := _applied_last(store, corrections.data)) is not None:
            known = CorrectSummary(str(corrections.file), [], first_month, already=True)
            return CorrectionPreview.of("", known, None, []), known
        brought: list[dict[str, object]] = []
        before = store.log.history.last_correction
        with store.changing_facts():
            applied = _apply(store, settings, corrections, brought)
            facts = {
                "numbers": [correction.number for correction in applied.made],
                "made": [correction.description for correction in applied.made],
                "readings": READINGS,
            }
            moves = _moves(store, settings, corrections, applied, facts if is_rated else {})
            if is_kept:
                store.record(
                    "correct",
                    settings.today,
                    file=corrections.file.name,
                    sha256=originals.keep_bytes(store.home, corrections.data),
                    files=brought,
                    rows=originals.keep_json(store.home, inserted_rows(store, before)),
                    **facts,
                )
        if is_rated:
            # Those of the trial.
            calculations.clean_up(store)
        return moves, applied


def correct_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Receive again what was decided by the corrections that an entry of the log records.

    What a correction matches depends on the lists of its day, so the rows that it inserted are recorded. Raises
    :class:`~ratinglist.errors.AlteredError` where an original is missing or was altered.
    """
    facts, home = entry.facts, store.home
    what = f"{facts['file']} (correct, {entry.day})"
    received.add_source_file(
        store,
        sha256=facts["sha256"],
        file_name=facts["file"],
        kind="corrections",
        month=None,
        known_on=settings.today,
    )
    for recorded in facts["files"]:
        path = originals.checked_report(
            home, recorded["sha256"], f"the report {recorded['name']} (correct, {entry.day})"
        )
        file = reports.DeliveredFile(recorded["name"], path, facts=reports.facts_of_recorded(recorded))
        read_replacement(store, settings, reports.Delivery((file,)))
    insert_rows(store, originals.read_json(home, facts["rows"], what))
    store.record("correct", settings.today, **facts)


def _applied_last(store: Store, data: bytes) -> str | None:
    """Return the first list that these corrections can move, where they are the newest change of facts; else None.

    After a report or a file of players that came since they may have something to correct again.
    """
    newest = next((entry.facts for entry in reversed(store.log.entries) if store.changes_facts(entry)), {})
    if newest.get("sha256") != hashlib.sha256(data).hexdigest() or newest.get("files") != []:
        return None
    first = "select coalesce(min(nullif(first_month, '')), '') from correction where correction_no >= $number"
    return str(store.value(first, number=newest["numbers"][0]))


def event_named(settings: Settings, text: str) -> str:
    """Return the code of the event that a correction names (:func:`~ratinglist.workflows.find.event_named`)."""
    with open_to_read(settings) as store:
        return find.event_named(store, text)


def _moves(
    store: Store, settings: Settings, corrections: CorrectionsFile, applied: CorrectSummary, facts: dict[str, object]
) -> CorrectionPreview:
    """Return what corrections move that are applied and not recorded yet: the lists are calculated for a trial.

    ``facts``: those that will be recorded; none where no list is to be calculated.
    """
    text = corrections.data.decode("utf-8-sig")
    if not facts or not applied.first_month:
        return CorrectionPreview.of(text, applied, None, [])
    with store.supposing("correct", settings.today, facts):
        rated = store.read(_RATED_GAMES, first=applied.first_month)
        rerated, moved = rerate.effect(store, settings, Period.parse(applied.first_month))
        with store.with_frames(moved=moved, rated_before=rated):
            players = store.read(
                "select moved.*, name from moved left join player_now using (fide_id) "
                "order by month, time_control, fide_id"
            )
            left_out = [_left_out(*row) for row in store.rows(_LEFT_OUT, first=applied.first_month)]
    return CorrectionPreview.of(text, applied, rerated, players.to_dicts(), left_out)


_RATED_GAMES = """
select event_id, (count(*) // 2)::integer as games from side join event using (month, event_no)
where side.reason = '' and month >= $first
group by event_id
"""

_LEFT_OUT = f"""
select before.event_id, before.games, coalesce(now.games, 0), any_value(event.reason) filter (event.status <> 'rated')
from rated_before as before
left join ({_RATED_GAMES}) as now using (event_id)
left join event on event.event_id = before.event_id and event.month >= $first
where coalesce(now.games, 0) < before.games
group by all order by 1
"""  # noqa: S608 - our own text


def _left_out(event_id: str, before: int, now: int, why: str | None) -> str:
    """Return what a correction makes of an event with fewer rated games than before."""
    if why and not now:
        return f"{event_id} is then not rated: {sentence(why)}"
    return f"{event_id} has then {now:,} rated games, and {before:,} now"


def _apply(store: Store, settings: Settings, file: CorrectionsFile, brought: list[dict[str, object]]) -> CorrectSummary:
    """Apply the corrections of a file, as one change of the caller.

    ``brought``: gets the reports that replace others, as the log records them.
    """
    try:
        text = file.data.decode("utf-8-sig")  # Windows editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise NothingReadError(f"{file.file}: not UTF-8. Save the corrections file as UTF-8.") from None
    corrections = parse_corrections(text, str(file.file), typed=file.is_typed)
    applied = []
    _check_births(store, settings, file, corrections)
    digest = hashlib.sha256(file.data).hexdigest()
    source = received.add_source_file(
        store, sha256=digest, file_name=file.file.name, kind="corrections", month=None, known_on=settings.today
    )
    moves = [correction for correction in corrections if correction.action == "change_player"]
    leaving = {(move.match["event_id"], move.match["fide_id"]) for move in moves}
    twice = players_listed_twice(store)
    for correction in corrections:
        try:
            report = (
                replacement(store, settings, correction, file.folder, brought)
                if correction.action == "replace_report"
                else None
            )
            done = apply_correction(
                store, correction, known_on=settings.today, source_no=source, replacement=report, leaving=leaving
            )
            applied.append(done)
        except NothingMatchedError as error:
            raise NothingReadError(f"{file.place(correction)}{error}. Nothing was corrected.") from None
    if listed := players_listed_twice(store) - twice:
        event_id, player, other = min(listed)
        raise NothingReadError(
            f"the player {player} is in a report of the event {event_id} already; to exchange two, or to undo that, "
            f"correct both at once: ratinglist correct report {event_id} --id {other}={player} --id {player}={other} "
            '--because "..." --by NAME. Nothing was corrected.'
        )
    return CorrectSummary.of(str(file.file), applied)


def _check_births(store: Store, settings: Settings, file: CorrectionsFile, corrections: Sequence[Correction]) -> None:
    """Raise :class:`NothingReadError` for a text or a day that no correction may have.

    A text for publication has a date of birth or is calculated by a spreadsheet, or a birth is not possible.
    """
    corrected = [correction.says["birth_date"] for correction in corrections if "birth_date" in correction.says]
    for correction in corrections:
        where = file.place(correction)
        arguments = argument_names(correction.action) if file.is_typed else {}
        born = [correction.says["birth_year"]] if "birth_year" in correction.says else []
        born += [correction.says["birth_date"].year] if "birth_date" in correction.says else []
        if any(not FIRST_BIRTH_YEAR <= year < settings.today.year for year in born):
            raise NothingReadError(
                f"{where}the birth is in the year of today ({settings.today}) or later, or before {FIRST_BIRTH_YEAR}. "
                "Nothing was corrected."
            )
        named = [keys[name] for keys in (correction.match, correction.says) for name in _FIDE_IDS if name in keys]
        played = (
            received.start_of_event(store, correction.match["event_id"]) if "event_id" in correction.match else None
        )
        for name, text in (
            ("reason", correction.reason),
            ("who", correction.who),
            *((key, correction.says.get(key, "")) for key in _TEXTS),
        ):
            if problem := formula_problem(text):
                raise NothingReadError(f"{where}'{name}' {problem}: write '{text}' in words. Nothing was corrected.")
            if problem := received.text_problem(
                store, text, settings.today, played=played, named=named, also=corrected
            ):
                shown = arguments.get(name, f"'{name}'")
                raise NothingReadError(f"{where}{shown} {problem}. Nothing was corrected.")


def corrections_made(settings: Settings) -> list[dict[str, object]]:
    """Return a row for each correction, the newest first.

    Out: ``number``, ``what``, ``reason``, ``who``, ``day``, and ``counts``: whether it was not undone.
    """
    with open_to_read(settings) as store:
        return store.dicts(
            """
            select correction_no as number, what, reason, who, reported_on::varchar as day,
                correction_no in (select correction_no from correction_now) and undoes is null as counts
            from correction_described order by correction_no desc
            """
        )


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
    delivery = _delivered_replacement(folder, correction)
    added = _additions(store, first["sha256"], delivery)
    manifest_facts = {**added, "received_on": settings.today, **known}
    delivery = replace(delivery, files=tuple(replace(file, facts=manifest_facts) for file in delivery.files))
    ids = []
    for report_id, name, sha256 in read_replacement(store, settings, delivery):
        ids.append(report_id)
        files.append(reports.recorded_report(name, sha256, manifest_facts))
    name = correction.says["file"]
    if len(ids) != 1:
        raise NothingMatchedError(f"{name} has {len(ids)} reports, and one report can replace another")
    if refused := report_states.of_reports(store, pl.Series(ids)):
        raise NothingMatchedError(f"the new report is refused: {finding_line(refused[0])}")
    if ids[0] in replaced["report_id"]:
        raise NothingMatchedError(f"{name} is the report that is there already")
    return ids[0], replaced


def _delivered_replacement(folder: Path, correction: Correction) -> reports.Delivery:
    """Find the report that a ``replace_report`` names; ``folder``: that of the corrections file."""
    path = folder / correction.says["file"]
    if not path.is_file():
        raise NothingMatchedError(f"{path} does not exist: 'file' is relative to the corrections file")
    # Events in tables are corrected by tables: a row of them has no file of its own.
    return replace(reports.find([path]), tables=())


def _additions(store: Store, sha256: str, new: reports.Delivery) -> reports.ManifestFacts:
    """Return what the newest manifest stated of the report with these bytes and its header could not.

    That is its name, its players' FIDE IDs, and the dates that the header of the ``new`` report does not have either.
    """
    stated: reports.ManifestFacts = {}
    for entry in store.log.entries:
        if entry.kind in ("load", "correct"):
            files = originals.delivery(store.home, entry)["files"] if entry.kind == "load" else entry.facts["files"]
            stated = next((reports.facts_of_recorded(file) for file in files if file["sha256"] == sha256), stated)
    header = b"".join(file.source.read_bytes() for file in new.files)
    dates = [
        name
        for name, record in (("start_date", rb"042"), ("end_date", rb"052"))
        if not re.search(rb"^" + record + rb" .*[0-9]", header, re.MULTILINE)
    ]
    return {name: stated.get(name) for name in ("event_name", "player_ids", *dates)}


def read_replacement(store: Store, settings: Settings, delivery: reports.Delivery) -> list[tuple[str, str, str]]:
    """Keep and insert a report that replaces another one; return the id, the name and the digest of each read."""
    reports_read = []
    for batch in reports.read_batches(delivery, settings.today, settings.today):
        keep_all(settings.reports, batch.originals)
        read = reports.read(batch.delivered, batch.findings, settings.office.reports.time_control)
        received.add_reports(store, read.reports, read.players, read.games, read.findings)
        names = batch.delivered.select("file_name", "sha256").iter_rows()
        reports_read += [
            (report_id, name, sha256)
            for report_id, (name, sha256) in zip(read.reports["report_id"], names, strict=True)
        ]
    return reports_read
