"""Apply a file of corrections, or one typed as a command; show before what they would move."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ratinglist import reports
from ratinglist.correction_summaries import AppliedCorrection, CorrectionPreview, CorrectSummary
from ratinglist.corrections.apply import NothingMatchedError, apply_correction, insert_rows, inserted_rows
from ratinglist.corrections.parser import Correction, argument_names, parse_corrections
from ratinglist.errors import NothingReadError
from ratinglist.home import originals
from ratinglist.home.history import READINGS
from ratinglist.home.log import Entry
from ratinglist.limits import TOML_BYTES
from ratinglist.lists.list_dates import FIRST_BIRTH_YEAR
from ratinglist.period import Period
from ratinglist.reports import Delivery
from ratinglist.settings import Settings
from ratinglist.store import calculations, received
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.table_files import formula_problem
from ratinglist.workflows import named, rerate
from ratinglist.workflows.find import one_player
from ratinglist.workflows.opening import open_to_read, open_to_write
from ratinglist.workflows.replacement import read_replacement, replacement

_FIDE_IDS = ("fide_id", "into", "white", "black")
"""The keys of a correction that name players."""
_TEXTS = ("name", "unlike_person")
"""The keys with a text that a person writes."""


def correct(settings: Settings, file: Path) -> CorrectSummary:
    """Apply every correction of a file, in order, or none. No list is calculated again: see :func:`rerate`.

    The file that was applied last is not applied twice in a row, so that a command that was killed may be given again;
    unless it brings reports, which may be others now.

    Raises :class:`NothingReadError`, naming file and line, where the file cannot be parsed, where the reason or the
    person of a correction has a date of birth, where a correction matches nothing or changes nothing, and where a
    report that replaces another one is refused.
    """
    return _correct(settings, file, _read(file))


def _correct(settings: Settings, file: Path, data: bytes, folder: Path | None = None) -> CorrectSummary:
    """Apply the corrections in ``data``, the bytes of ``file``; see :func:`correct`."""
    with open_to_write(settings) as store:
        if (first_month := _applied_last(store, data)) is not None:
            return CorrectSummary(str(file), [], first_month, already=True)
        with store.changing_facts():
            applied = _apply_and_record(store, settings, file, data, folder)
        return CorrectSummary.of(str(file), applied)


def correct_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Receive again what was decided by the corrections that an entry of the log records.

    What a correction matches depends on the lists of its day, so the rows that it inserted are recorded. Raises
    :class:`~ratinglist.errors.AlteredError` where an original is missing or was altered.
    """
    facts, home = entry.facts, store.home
    what = f"{facts['file']} (correct, {entry.day})"
    number = received.add_source_file(
        store,
        sha256=facts["sha256"],
        file_name=facts["file"],
        kind="corrections",
        month=None,
        known_on=settings.today,
    )
    for one in facts["files"]:
        path = originals.checked_report(home, one["sha256"], f"the report {one['name']} (correct, {entry.day})")
        file = reports.archived_file(one["name"], path, reports.facts_of_recorded(one))
        read_replacement(store, settings, Delivery((file,)))
    insert_rows(store, originals.read_json(home, facts["rows"], what))
    received.count_source_file(store, number, len(facts["first_months"]))
    store.record("correct", settings.today, **facts)


def _apply_and_record(
    store: Store, settings: Settings, file: Path, data: bytes, folder: Path | None
) -> list[AppliedCorrection]:
    """Apply the corrections, keep their file and what they decided, and record it, as one change of the caller."""
    files: list[dict[str, object]] = []
    before = store.log.history.last_correction
    applied = _apply(store, settings, file, data, files, folder=folder)
    store.record(
        "correct",
        settings.today,
        file=file.name,
        sha256=originals.keep_bytes(store.home, data),
        files=files,
        rows=originals.keep_json(store.home, inserted_rows(store, before)),
        first_months=[one.first_month for one in applied],
        made=[one.description for one in applied],
        readings=READINGS,
    )
    return applied


def _applied_last(store: Store, data: bytes) -> str | None:
    """Return the first list that the newest file of corrections can move, where it is this one; else None."""
    rows = store.read(
        """
        select sha256, coalesce(min(nullif(first_month, '')), '') as month, bool_or(action = 'replace_report') as brings
        from source_file join correction using (source_no)
        where source_no = (select max(source_no) from source_file where kind = 'corrections')
        group by sha256
        """
    ).to_dicts()
    is_same = bool(rows) and rows[0]["sha256"] == hashlib.sha256(data).hexdigest()
    return str(rows[0]["month"]) if is_same and not rows[0]["brings"] else None


def preview(settings: Settings, file: Path) -> CorrectionPreview:
    """Return what the corrections of a file would move: the lists and the players. Nothing is changed.

    The lists are calculated again and everything is rolled back. Raises what :func:`correct` raises.
    """
    return _preview(settings, file, _read(file))


def event_named(settings: Settings, text: str) -> str:
    """Return the code of the event that a correction names (:func:`~ratinglist.workflows.named.event_named`)."""
    with open_to_read(settings) as store:
        return named.event_named(store, text)


def game_named(settings: Settings, event: str, round_number: int, white: str, black: str) -> tuple[str, int, int]:
    """Return event and players of the game that a correction names (:func:`~ratinglist.workflows.named.game_named`)."""
    with open_to_read(settings) as store:
        return named.game_named(store, event, round_number, white, black)


def player_named(settings: Settings, text: str) -> int:
    """Return the player whose data a correction changes (:func:`~ratinglist.workflows.find.one_player`)."""
    return one_player(settings, text, lambda fide_id: f"ratinglist correct player {fide_id} KEY=VALUE")


def type_correction(
    settings: Settings, text: str, folder: Path | None = None
) -> tuple[CorrectionPreview, CorrectSummary]:
    """Apply corrections given as the ``text`` of a corrections file, which is kept among the originals.

    ``folder``: of the report that takes the place of another one, where a correction brings one.

    Out: what it moves, once the lists are calculated again, and what was applied. Raises as :func:`correct` does.
    """
    data = text.encode()
    file = _name_of_typed(settings)
    found = _preview(settings, file, data, typed=True, folder=folder)
    return found, _correct(settings, file, data, folder)


def preview_typed(settings: Settings, text: str, folder: Path | None = None) -> CorrectionPreview:
    """Return what :func:`type_correction` would move; nothing is changed or kept."""
    return _preview(settings, _name_of_typed(settings), text.encode(), typed=True, folder=folder)


def _name_of_typed(settings: Settings) -> Path:
    """Return what the log calls corrections that were typed today: their text is among the originals."""
    return Path(f"typed-{settings.today}.toml")


def _preview(
    settings: Settings, file: Path, data: bytes, *, typed: bool = False, folder: Path | None = None
) -> CorrectionPreview:
    with open_to_write(settings) as store:
        with store.trial():
            applied = CorrectSummary.of(str(file), _apply(store, settings, file, data, [], typed=typed, folder=folder))
            text = data.decode("utf-8-sig")
            may_wait = settings.office.corrections.continue_from == "corrected"
            # The lists are calculated with these corrections, so the log of the trial has to have them.
            months = [one.first_month for one in applied.made]
            store.record("correct", settings.today, file=file.name, sha256="", files=[], rows="", first_months=months)
            if not applied.first_month:
                return CorrectionPreview.of(text, applied, None, [], may_wait=may_wait)
            rerated, moved = rerate.effect(store, settings, Period.parse(applied.first_month))
            with store.seeing(moved=moved):
                players = store.read(
                    "select moved.*, name from moved left join player_now using (fide_id) "
                    "order by month, time_control, fide_id"
                )
            found = CorrectionPreview.of(text, applied, rerated, players.to_dicts(), may_wait=may_wait)
        calculations.clean_up(store)
        return found


def _read(file: Path) -> bytes:
    if not file.is_file():
        raise NothingReadError(f"{file}: there is no such file. Name a corrections file (TOML).")
    if (size := file.stat().st_size) > TOML_BYTES:
        raise NothingReadError(
            f"{file}: it has {size} bytes, and at most {TOML_BYTES} are read. Nothing was corrected."
        )
    return file.read_bytes()


def _apply(
    store: Store,
    settings: Settings,
    file: Path,
    data: bytes,
    files: list[dict[str, object]],
    *,
    typed: bool = False,
    folder: Path | None = None,
) -> list[AppliedCorrection]:
    """Apply the corrections in the bytes of ``file``, as one change of the caller.

    ``files``: gets the reports that replace others, which are in ``folder``, by default next to ``file``. ``typed``:
    there is no such file yet, so a message does not name it.
    """
    try:
        text = data.decode("utf-8-sig")  # Windows editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise NothingReadError(f"{file}: not UTF-8. Save the corrections file as UTF-8.") from None
    corrections = parse_corrections(text, str(file), typed=typed)
    applied = []
    _check_births(store, settings, "" if typed else str(file), corrections)
    digest = hashlib.sha256(data).hexdigest()
    source = received.add_source_file(
        store, sha256=digest, file_name=file.name, kind="corrections", month=None, known_on=settings.today
    )
    moves = [one for one in corrections if one.action == "change_player"]
    leaving = {(one.match["event_id"], one.match["fide_id"]) for one in moves}
    for one in corrections:
        try:
            report = (
                replacement(store, settings, one, folder or file.parent, files)
                if one.action == "replace_report"
                else None
            )
            done = apply_correction(
                store, one, known_on=settings.today, source_no=source, replacement=report, leaving=leaving
            )
            applied.append(done)
        except NothingMatchedError as error:
            where = "" if typed else f"{file}, line {one.line}: "
            raise NothingReadError(f"{where}{error}. Nothing was corrected.") from None
    received.count_source_file(store, source, len(applied))
    return applied


def _check_births(store: Store, settings: Settings, file: str, corrections: Sequence[Correction]) -> None:
    """Raise :class:`NothingReadError` for a text or a day that no correction may have.

    A text for publication has a date of birth, a name is calculated by a spreadsheet, or a birth is not possible.

    ``file``: its name; empty where the correction was typed.
    """
    corrected = [one.says["birth_date"] for one in corrections if "birth_date" in one.says]
    for one in corrections:
        where = f"{file}, line {one.line}: " if file else ""
        arguments = {} if file else argument_names(one.action)
        born = [one.says["birth_year"]] if "birth_year" in one.says else []
        born += [one.says["birth_date"].year] if "birth_date" in one.says else []
        if any(not FIRST_BIRTH_YEAR <= year < settings.today.year for year in born):
            raise NothingReadError(
                f"{where}the birth is in the year of today ({settings.today}) or later, or before {FIRST_BIRTH_YEAR}. "
                "Nothing was corrected."
            )
        named = [keys[name] for keys in (one.match, one.says) for name in _FIDE_IDS if name in keys]
        played = received.start_of_event(store, one.match["event_id"]) if "event_id" in one.match else None
        for name, text in (("reason", one.reason), ("who", one.who), *((key, one.says.get(key, "")) for key in _TEXTS)):
            if problem := formula_problem(text):
                raise NothingReadError(f"{where}'{name}' {problem}: write '{text}' in words. Nothing was corrected.")
            if problem := text_problem(store, text, settings.today, played=played, named=named, also=corrected):
                shown = arguments.get(name, f"'{name}'")
                raise NothingReadError(f"{where}{shown} {problem}. Nothing was corrected.")


def corrections_made(settings: Settings) -> list[dict[str, object]]:
    """Return a row for each correction, the newest first.

    Out: ``number``, ``what``, ``reason``, ``who``, ``day``, and ``counts``: whether it was not undone.
    """
    with open_to_read(settings) as store:
        rows = store.read(
            """
            select correction_no as number, what, reason, who, reported_on::varchar as day,
                correction_no in (select correction_no from correction_now) and undoes is null as counts
            from correction_described order by correction_no desc
            """
        )
    return rows.to_dicts()
