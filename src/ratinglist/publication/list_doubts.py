"""The doubts about a list before it is published: what they are asked of, and the list calculated once more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from ratinglist import office
from ratinglist.analysis.event_status import reports_since
from ratinglist.analysis.unlike_names import unlike_lines
from ratinglist.errors import CheckError
from ratinglist.files import resources
from ratinglist.home import originals
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication.doubts import (
    Doubt,
    Frames,
    Query,
    Remedy,
    check_birth_dates,
    check_none_stops,
    doubts,
    newest_answer,
    queries,
    row_text,
    seen,
)
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import SECTIONS, RuleSet
from ratinglist.reasons import WAITING, by_reason
from ratinglist.settings import Settings
from ratinglist.store import calculations, quarantine, received
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of, read_month_inputs
from ratinglist.store.rule_files import rule_book

_FEWEST = 2
"""A single report is named in the summary of the run, and raises no question."""


def check_month(store: Store, settings: Settings, calculation: Calculation, reasons: Mapping[str, str]) -> list[Doubt]:
    """Return the questions that a calculated month raises, with the answers given.

    ``reasons``: those given now, by question. Raises :class:`~ratinglist.errors.AlteredError` where a file of the
    calculation was altered, :class:`~ratinglist.errors.CheckError` where a doubt stops the publication,
    :class:`~ratinglist.errors.CommandLineError` where an answer has a date of birth.
    """
    period = calculation.period
    calculation.folder.check_unaltered()
    settings.progress("checking", 0, 1)
    raised = doubts_about(store, settings, period, reasons)
    if calculation.folder.number not in store.calculated_here:
        raised += same_again(store, calculation)
    check_none_stops(period, raised)
    for doubt in raised:
        # An answer kept by an earlier version, or before a player was known, is checked like one given now.
        check_birth_dates(store, settings, period, doubt.answer, f"--because {doubt.code}")
    return raised


def doubts_about(
    store: Store,
    settings: Settings,
    period: Period,
    reasons: Mapping[str, str] | None = None,
    asked: Sequence[Query] | None = None,
) -> list[Doubt]:
    """Return the doubts about the list of a month, by default those of all queries asked before it is published."""

    def answer(code: str, digest: str) -> str:
        return (reasons or {}).get(code) or newest_answer(store.log.history, str(period), code, digest)

    asked = (
        [query for query in queries() if {"before-publish", "publish"} & set(query.when)] if asked is None else asked
    )
    values = _values(store, settings, period)
    return doubts(store, asked, _frames(store, settings, period, values), values, answer)


def notes_on(store: Store, settings: Settings, period: Period) -> list[str]:
    """Return what somebody should know of a list that was calculated, a sentence each."""
    asked = [query for query in queries() if "rate" in query.when]
    raised = doubts(store, asked, {}, _values(store, settings, period), lambda _code, _digest: "")
    return [doubt.sentence for doubt in raised]


def list_before(store: Store, settings: Settings, period: Period) -> pl.DataFrame:
    """Return the newest list before a month for each time control, rated players alone.

    Out: ``time_control``, ``month``, ``fide_id``, ``rating``.
    """
    with seen(store, {}, _values(store, settings, period)) as read:
        return read(
            """
            select earlier.time_control, month, fide_id, rating
            from earlier_list join earlier using (list_no)
            where earlier.is_newest and rating is not null
            """
        )


def _values(store: Store, settings: Settings, period: Period) -> dict[str, object]:
    """Return the parameters of the queries about a list, and what their sentences name."""
    calculation = calculations.calculation(store, period)
    family = calculation.family if calculation else settings.family
    after, before = store.log.history.entries_for(str(period))
    return {
        "month": str(period),
        "today": settings.today,
        "rules": "" if family == "fide" else f" --rules {family}",
        "after": after,
        "before": before,
        "waiting": list(WAITING),
        **asdict(settings.office.questions),
    }


def _frames(store: Store, settings: Settings, period: Period, values: Mapping[str, object]) -> Frames:
    """Return what the queries about a list read besides tables; ``values``: their parameters.

    ``rule_set``: every rule set of the family, with a struct per section, so that SQL names a value as the rule file
    does; ``list_rule``: those in force on the day the list takes effect. ``known_player``: every player as the list
    knows them. ``unlike_line``: the lines of the rated events whose names are not those of their players.
    ``delivered``: the reports loaded for the list; ``unrated_reason``: why most of them are on no list. ``absent``: the
    files that manifests name and nobody delivered. ``report_since``:
    :func:`~ratinglist.analysis.event_status.reports_since`. ``code_with_birth``: the reports whose code has a date of
    birth. ``weakened``: :func:`~ratinglist.publication.list_doubts.weakened`.
    """
    delivered = cache(partial(_delivered, store, values))
    return {
        "delivered": delivered,
        "rule_set": partial(_rule_sets, store, period, in_force=False),
        "list_rule": partial(_rule_sets, store, period, in_force=True),
        "known_player": partial(players_of, store, period),
        "unlike_line": partial(_unlike_lines, store, period),
        "unrated_reason": partial(_unrated_reasons, store, period, delivered),
        "absent": partial(_absent, store, period),
        "report_since": partial(reports_since, store, rule_book()),
        "code_with_birth": partial(_codes_with_birth, store, period),
        "weakened": partial(weakened_frame, store.log, settings),
    }


def _rule_sets(store: Store, period: Period, *, in_force: bool) -> pl.DataFrame:
    calculation, book = calculations.calculation(store, period), rule_book()
    if calculation is None or calculation.family not in book.families:
        return pl.DataFrame([_row(rule_set, "fide") for rule_set in book.rule_sets]).clear()
    every = book.of(calculation.family)
    if in_force:
        found = (book.on(calculation.family, one, period.first_day) for one in book.time_controls(calculation.family))
        every = [rule_set for rule_set in found if rule_set is not None]
    return pl.DataFrame([_row(rule_set, calculation.family) for rule_set in every])


def _row(rule_set: RuleSet, family: str) -> dict[str, object]:
    return {
        "name": rule_set.name,
        "time_control": rule_set.time_control,
        "system": rule_set.system,
        "published_in": None if rule_set.months is None else list(rule_set.months),
        "reads_references": rule_book().reads_references(family),
        **{section: asdict(getattr(rule_set, section)) for section in SECTIONS},
    }


def _unlike_lines(store: Store, period: Period) -> pl.DataFrame:
    rated = "select report_id from event where month = $month and status = 'rated' order by report_id"
    return unlike_lines(store, store.read(rated, month=str(period))["report_id"])


def _codes_with_birth(store: Store, period: Period) -> pl.DataFrame:
    """Return the reports of events that no list has published and whose code has a date of birth that is known."""
    events = store.read(
        """
        select report_id, report.event_id, report.start_date, file_name, loaded_no
        from event join report using (report_id)
        where event.month = $month
            and report.event_id not in (select event_id from event semi join current_revision using (month))
        """,
        month=str(period),
    )
    found = received.reports_with(store, events.select("report_id", "start_date", text="event_id"))
    return events.filter(pl.col("report_id").is_in(found.implode()))


def _delivered(store: Store, values: Mapping[str, object]) -> pl.DataFrame:
    """Return the reports that were loaded for a list; see the query."""
    query = (resources.sql("doubts") / "prepared" / "delivered.sql").read_text(encoding="utf-8")
    return store.read(query, **{name: values[name] for name in ("after", "before", "month", "waiting")})


def _unrated_reasons(store: Store, period: Period, read_delivered: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return why reports are refused, or wait, where more than half of those loaded for the list are or do.

    Out: ``status``, ``position``, ``reports``, ``first``, ``why``
    (:func:`~ratinglist.reasons.by_reason`), ``number`` of ``every`` report loaded.
    """
    delivered = read_delivered()
    rows: list[dict[str, Any]] = []
    for status in ("refused", "waiting"):
        of_status = delivered.filter(status=status)
        if len(of_status) < _FEWEST or 2 * len(of_status) <= len(delivered):
            continue
        place = {"status": status, "number": len(of_status), "every": len(delivered)}
        reasons = by_reason(_findings(store, period, status, of_status))
        rows += [{**place, **reason, "position": position} for position, reason in enumerate(reasons)]
    return pl.DataFrame(rows, schema=_UNRATED_REASON)


_UNRATED_REASON = {
    "status": pl.String,
    "position": pl.Int32,
    "reports": pl.Int32,
    "first": pl.String,
    "why": pl.String,
    "number": pl.Int32,
    "every": pl.Int32,
}


def _findings(store: Store, period: Period, status: str, reports: pl.DataFrame) -> list[dict[str, object]]:
    """Return why these reports have the ``status``; by the calculation of the list, where nothing is wrong now."""
    now = [row for row in quarantine.of_reports(store, reports["report_id"]) if row["status"] == status]
    then = set(reports["event_id"]) - {row["event_id"] for row in now}
    return [*now, *(row for row in quarantine.of_month(store, period) if row["event_id"] in then)]


def _absent(store: Store, period: Period) -> pl.DataFrame:
    """Return the ``file`` names that manifests loaded for a list name and no delivery since then has.

    A manifest that came again counts as it came last.
    """
    after, before = store.log.history.entries_for(str(period))
    absent: dict[str, list[str]] = {}
    present = set()
    for entry in store.log.entries:
        is_of_list = entry.kind == "load" and after < entry.number < before
        if not is_of_list or entry.number in store.log.history.retracted:
            continue
        delivered = originals.delivery(store.home, entry)
        present |= {PurePath(file["name"]).name for file in delivered["files"]}
        names = delivered.get("absent", [])
        for manifest, _ in delivered["manifests"]:
            absent[manifest] = [name for name in names if name.startswith(manifest.removesuffix("manifest.csv"))]
    missing = {name for names in absent.values() for name in names if PurePath(name).name not in present}
    return pl.DataFrame({"file": sorted(missing)}, schema={"file": pl.String})


def same_again(store: Store, calculation: Calculation) -> list[Doubt]:
    """Calculate a month once more from what it was made from, and return the doubt that a table differs.

    A list that was made from something else than what is there now cannot be compared: other questions say what came
    since.
    """
    period = calculation.period
    inputs = read_month_inputs(store, period, calculation.family, rule_book())
    digests = calculations.digests_of(store, inputs)
    if {kind: some for kind, some in digests.items() if some} != calculation.inputs:
        return []
    month = rate_month(inputs)
    kept = {**calculation.folder.read_tables(), "state": calculation.folder.read_state()}
    again = {**calculations.tables_of(month, inputs), "state": month.list_state}
    rows = [
        {"table": name, "rows_that_differ": len(differing), "first": row_text(differing.row(0, named=True))}
        for name in sorted(kept)
        if len(differing := _differing(kept[name], again[name]))
    ]
    sentence = "The list calculated once more from the same reports is another one."
    remedy = Remedy.parse(calculation.rate_command)
    return [Doubt("same_again", "stop", sentence, remedy, rows, len(rows), "")] if rows else []


def _differing(kept: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that one of two tables alone has."""
    again = again.select(kept.columns).cast(kept.schema)
    if kept.equals(again):
        return kept.clear()
    both = pl.concat([kept, again])
    return both.filter(both.is_unique())


OFFICE_SETTINGS = "office_settings"
"""The question that they raise."""


def weakened_frame(log: Log, settings: Settings) -> pl.DataFrame:
    """Return :func:`weakened` as texts: ``setting``, ``before``, ``now``."""
    rows = [{name: str(value) for name, value in row.items()} for row in weakened(log, settings)]
    return pl.DataFrame(rows, schema=dict.fromkeys(("setting", "before", "now"), pl.String))


def check_office_kept(store: Store, settings: Settings) -> None:
    """Raise :class:`CheckError` where they are given up, for a command that asks no questions."""
    if rows := weakened(store.log, settings):
        raise CheckError(
            f"Nothing was changed: {weakened_text(rows)}. Put the file back: {office_kept(store.log)} is the one that "
            f'was used before. If that was decided, say so with the next publication: --because {OFFICE_SETTINGS}="..."'
        )


def weakened_text(rows: list[dict[str, object]]) -> str:
    """Return what :func:`weakened` found, as a sentence without its full stop."""
    return "; ".join(f"{row['setting']} was {row['before']} and is {row['now']}" for row in rows)


def office_kept(log: Log) -> Path:
    """Return where the newest version of ``office.toml`` is that was used and is not the one that is there."""
    digest = next((one for one in reversed(log.history.offices) if one != log.office_now()), log.history.office)
    return log.home / originals.FOLDER / digest


def weakened(log: Log, settings: Settings) -> list[dict[str, object]]:
    """Return a row for each choice that guards less than at the newest publication, or in a command since.

    ``office.toml`` is missing or empty, asks for fewer approvals, does not name the same approvers with the same keys,
    or the signing key, any more, has another name of the office, or publishes a column that was left out. Raises
    :class:`~ratinglist.errors.AlteredError` where a version that was used is not among the originals.
    """
    now = log.office_now()
    texts = [
        originals.checked(log.home, one, f"an {office.NAME} that was used").read_text(encoding="utf-8")
        for one in log.history.offices
        if one != now
    ]
    used = [office.parse(text) for text in texts if text.strip()]
    if not used:
        return []
    file = log.home / originals.FOLDER / now if log.is_replaying else settings.home / office.NAME
    text = file.read_text(encoding="utf-8") if now else ""
    # Of the text: in a rebuild the settings have no keys.
    current = office.parse(text)
    rows: list[dict[str, object]] = []
    if not text.strip():
        rows.append({"setting": office.NAME, "before": "there", "now": "empty" if now else "missing"})
    approvals, needed = max(one.publication.approvals for one in used), current.publication.approvals
    if approvals > needed:
        rows.append({"setting": "approvals", "before": approvals, "now": needed})
    guards = _guards(current)
    before = dict.fromkeys(guard for one in used for guard in _guards(one).items())
    return rows + [
        {"setting": setting, "before": value, "now": guards.get(setting, "none")}
        for setting, value in before
        if guards.get(setting) != value
    ]


def _guards(choices: office.Office) -> dict[str, str]:
    """Return the choices that guard publications, each as a text; a key by the beginning of its digest."""
    people = choices.approvers
    return {
        **({"approvers": ", ".join(sorted(who.name for who in people))} if people else {}),
        **{f"key of {who.name}": hashlib.sha256(who.key.encode()).hexdigest()[:12] for who in people if who.key},
        **({"signing_key": "named"} if choices.publication.signing_key else {}),
        **({"name": choices.name} if choices.name else {}),
        **{f"{column} of {table}": "left out" for table, some in choices.fields.without.items() for column in some},
    }
