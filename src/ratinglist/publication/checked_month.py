"""A calculated month that passed the checks, with the questions it raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.errors import CheckError, NothingReadError
from ratinglist.home.entry_kinds import WITHDRAWN, described
from ratinglist.home.log import Entry
from ratinglist.period import Period
from ratinglist.publication import checks, delivery_questions, office_guard
from ratinglist.publication.provenance import facts_of
from ratinglist.publication.questions import RaisedQuestion, check_birth_dates, with_reasons
from ratinglist.settings import Settings
from ratinglist.store import calculations, received
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of

_MONTHS_NAMED = 12
Reasons = Mapping[str, str]
"""The reason why a list is right, by the question it answers."""


@dataclass(frozen=True, slots=True)
class InMemory:
    """What a run has in memory of a month: its players, and the reports whose names were compared."""

    players: pl.DataFrame | None = None
    names: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class CheckedMonth:
    """A month that passed the checks.

    ``calculation_facts``: the facts of its calculation for the manifest. ``questions``: the questions raised, with the
    reasons given. ``players``: the players (``PLAYER``) as its lists know them. ``typed``: what people have typed since
    the newest list.
    """

    calculation: Calculation
    calculation_facts: dict[str, object]
    questions: list[RaisedQuestion]
    players: pl.DataFrame
    typed: list[str]

    @property
    def period(self) -> Period:
        """Return the month."""
        return self.calculation.period

    @property
    def facts(self) -> dict[str, object]:
        """Return the facts for the manifest: those of the calculation, and the answered questions."""
        return {**self.calculation_facts, "answers": [one.as_fact() for one in self.questions if one.reason]}


def check_month(
    store: Store,
    settings: Settings,
    calculation: Calculation,
    reasons: Reasons | None = None,
    known: InMemory | None = None,
) -> CheckedMonth:
    """Run the checks on a calculated month, and then the questions.

    ``reasons``: the reasons given now. Raises :class:`~ratinglist.errors.AlteredError` where a file of the calculation
    was altered, :class:`CheckError` where a check of ``sql/checks`` finds a wrong row, the list was withdrawn with
    these figures, or the code of an event has a date of birth, :class:`CommandLineError` where a reason has a date of
    birth.
    """
    period = calculation.period
    if withdrawn := calculations.withdrawal(store, period):
        raise CheckError(f"Nothing was published: these are the figures that were taken back. {withdrawn}")
    if taken_back := _withdrawn_before(store, calculation):
        raise CheckError(
            f"Nothing was published: the list of {period} was calculated from that of {taken_back}, which was "
            f"withdrawn. Calculate it again: {calculation.rate_command}, or, where it is published, ratinglist rerate "
            f"--from {period}"
        )
    calculation.folder.check_unaltered()
    _check_codes(store, period)
    # A merge after the calculation keeps the merged FIDE ID on the list; the players of the calculation lack it.
    known = known or InMemory()
    players = known.players
    if players is None or store.finds_rows("select 1 from current_identity limit 1"):
        players = players_of(store, period)
    settings.progress("checking", 0, 1)
    with checks.prepared(store, period, players, names=known.names):
        if found := checks.offences(store, period):
            raise CheckError(checks.stopped_text(period, found, calculation.rate_command))
        questions = checks.raised_questions(store, period, settings.office.questions, settings.today)
    questions += delivery_questions.raised_questions(store, period)
    questions += office_guard.raised_question(store, settings, period)
    questions = with_reasons(questions, reasons or {})
    for one in questions:
        # A reason kept by an earlier version, or before a player was known, is checked like one given now.
        check_birth_dates(store, settings, period, one.reason, f"--because {one.question}")
    return CheckedMonth(calculation, facts_of(store, calculation), questions, players, typed(store))


def _check_codes(store: Store, period: Period) -> None:
    """Raise :class:`CheckError` where a code that no list has published has a date of birth that is known by now."""
    events = store.read(
        """
        select report_id, report.event_id, report.start_date, file_name, loaded_no
        from event join report using (report_id)
        where event.month = $month
            and report.event_id not in (select event_id from event semi join published_month using (month))
        order by loaded_no, file_name
        """,
        month=str(period),
    )
    found = received.reports_with(store, events.select("report_id", "start_date", text="event_id"))
    for row in events.filter(pl.col("report_id").is_in(found.implode())).head(1).iter_rows(named=True):
        raise CheckError(
            f"Nothing was published: the event_id of {row['file_name']} has the date of birth of a player, which "
            "became known after the report was loaded, and codes of events are published. Load its delivery again with "
            f"another event_id, once it is undone: ratinglist retract {row['loaded_no']}"
        )


def _withdrawn_before(store: Store, calculation: Calculation) -> str:
    """Return the month of a list that a calculation was made from and that was withdrawn; empty where there is none."""
    used = sorted({line.partition(" ")[0] for line in calculation.inputs["lists"]})
    return next((month for month in used if calculations.withdrawal(store, Period.parse(month))), "")


def current_calculation(store: Store, period: Period) -> Calculation:
    """Return the current calculation of a month.

    Raises :class:`NothingReadError` where the month was not calculated.
    """
    found = calculations.calculation(store, period)
    if found is None and calculations.is_imported(store, period):
        here = sorted(store.log.history.standing_calculations())
        raise NothingReadError(
            f"The list of {period} was imported, not calculated here: no report was rated for it, and it is not "
            f"published. Lists calculated here: {', '.join(here[-_MONTHS_NAMED:]) or 'none'}."
        )
    if found is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    return found


_WHY = '--because "..."'


def typed(store: Store) -> list[str]:
    """Return a line for each correction, rollback, retraction and dismissal since the newest published list.

    Each names the day, who typed it, what it did, and what undoes it. An entry that was undone since is left out.
    """
    log = store.log
    newest = max((one.entry for one in log.history.publications if one.revision), default=0)
    corrections = sum(len(one.facts["first_months"]) for one in log.entries[:newest] if one.kind == "correct")
    lines = []
    for entry in log.entries[newest:]:
        if entry.number in log.history.retracted:
            continue
        by = f", {entry.by}" if entry.by else ""
        lines += [f"{entry.day}{by}: {what}. To undo it: {undo}" for what, undo in _parts(store, entry, corrections)]
        if entry.kind == "correct":
            corrections += len(entry.facts["first_months"])
    return lines


def _parts(store: Store, entry: Entry, corrections: int) -> Iterator[tuple[str, str]]:
    """Yield what an entry did and what undoes it; nothing for an entry of another kind.

    ``corrections``: how many corrections there were before it.
    """
    facts = entry.facts
    if entry.kind == "correct":
        for number, what in enumerate(facts.get("made", ()), corrections + 1):
            is_undo = what.startswith("correction ")
            yield what, "correct it again" if is_undo else f"ratinglist correct undo {number} {_WHY} --by NAME"
    elif entry.kind == "rollback":
        before = facts["from_revision"]
        revision = "none" if before == WITHDRAWN else f"r{before}"
        yield described(entry), f"ratinglist rollback {facts['month']} --to {revision} {_WHY}"
    elif entry.kind == "dismiss":
        what = f"was set aside: {facts['reason']}" if facts["reason"] else "was taken up again"
        yield f"the report {_file_of(store, facts['report_id'])} {what}", f"ratinglist retract {entry.number}"
    elif entry.kind == "retract":
        undone = store.log.entries[facts["entry_retracted"] - 1]
        yield f"undone was entry {undone.number}: {described(undone)}", "give that command again"


def _file_of(store: Store, report_id: str) -> str:
    found = store.read("select file_name from report where report_id = $id", id=report_id)
    return str(found.item()) if len(found) else report_id
