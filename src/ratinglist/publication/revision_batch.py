"""Publish lists that were calculated again: compare each with its revision, and release all new revisions or none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, cast

import polars as pl

from ratinglist.corrections.diff import Chain, carried_on, compare_revisions, diff_document, lists_of, states_differing
from ratinglist.errors import NotApprovedError, UnansweredError
from ratinglist.office import Land
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.publication import approvals, drafts, list_doubts, revisions
from ratinglist.publication.doubts import Doubt, as_dicts, unanswered, unanswered_text
from ratinglist.publication.drafts import Reasons
from ratinglist.publication.revision_writer import Revision, write_outside
from ratinglist.publication.verify import published_files
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import Calculation, current_calculation
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.table_files import has_table
from ratinglist.summaries import PreviewSummary, RevisedMonth
from ratinglist.tables import BOTH_NUMBERS, LISTS

NUMBERS = f"{BOTH_NUMBERS.name}.parquet"
"""The file of a month with both numbers of each player."""


@dataclass(slots=True)
class RevisionBatch:
    """The lists of one re-rating.

    ``start``: the first list that is rated again. ``moved``: the players moved by the lists so far
    (:data:`~ratinglist.corrections.diff.MOVED`). ``land``: where corrections land by the command, and not by the
    choice of the office. ``questions``: the questions raised, by month. A list with an open
    question or approval (``_open``) becomes a preview and stops the release. ``_behind``: the corrections behind the
    month compared last.
    """

    store: Store
    settings: Settings
    reasons: Reasons
    start: Period
    moved: pl.DataFrame
    land: Land | None = None
    months: list[RevisedMonth] = field(default_factory=list)
    questions: dict[str, list[Doubt]] = field(default_factory=dict)
    _ready: list[Revision] = field(default_factory=list)
    _behind: set[int] = field(default_factory=set)
    _missing_approvals: list[str] = field(default_factory=list)
    _open: list[Revision] = field(default_factory=list)

    @property
    def go_on(self) -> str:
        """Return the command that publishes the lists."""
        return approvals.rerate_command(self.start)

    def add(self, period: Period, *, preview: bool) -> None:
        """Compare a month calculated again with its current revision; where they differ, check it and write a draft.

        ``preview``: write nothing. Raises :class:`CheckError` where a doubt stops the publication.
        """
        latest = revisions.current(self.store, self.settings, period)
        if latest is None:
            self.months.append(RevisedMonth(str(period)))
            return
        calculation = current_calculation(self.store, period)
        rows, rule_files = self._compare(calculation, latest)
        if rows is None:
            self.months.append(RevisedMonth(str(period), latest.name))
            if not preview:
                self._write_numbers(calculation)
            return
        questions = list_doubts.check_month(self.store, self.settings, calculation, self.reasons)
        revised = RevisedMonth.of(period, latest.name, rows)
        if self.settings.office.corrections.land == "revisions":
            self.questions[str(period)] = questions
            revised = replace(revised, asks=tuple(one.code for one in unanswered(questions)))
            if not preview:
                revised = replace(revised, revision=self._write(calculation, rows, rule_files))
        if not preview:
            self._write_numbers(calculation)
        self.months.append(revised)

    def release(self) -> None:
        """Publish all drafts, or none of them.

        Raises :class:`UnansweredError` where a question is open, :class:`NotApprovedError` where too few people
        approved what would be published; then these lists are kept as previews.
        """
        if self._open:
            self._stop(approvals.keep_previews(self.store, self.settings, self._open, self.questions, self.go_on))
        # Made again from the log, the lists get the revisions that they got now, whatever the office chose then.
        land = {"land": self.land} if self.land else {}
        months = [one.month for one in self.months]
        carried = [one.month for one in self.months if one.differs and not one.revision]
        facts = {"start": str(self.start), "months": months, "carried": carried, **land}
        drafts.release(self.store, self.settings, "revise", facts, self._ready, self.questions)

    def _compare(self, calculation: Calculation, latest: Path) -> tuple[pl.DataFrame | None, dict[str, str]]:
        """Return the ``DIFF`` against a revision, None where nothing differs, and the rule files changed since."""
        period, folder = calculation.period, calculation.folder
        folder.check_unaltered()
        found = drafts.differing(latest, folder.files(), folder.read_table, self.settings.office.fields)
        states = self._states(calculation, latest)
        base = calculations.month_before(self.store, period)
        if found is None:
            moves = carried_on(self.moved, base, states, period)
            self.moved = pl.concat([self.moved, moves])
            return None, {}
        before, now = found
        revision = revisions.number_of(latest)
        touched = calculations.corrections_since(self.store, period, revision)
        rule_files = calculations.rule_files_since(self.store, period, revision)
        chain = Chain(period, base, self.moved, touched, rule_files)
        rows, moves, self._behind = compare_revisions(before, now, states, chain)
        self.moved = pl.concat([self.moved, moves])
        return rows, rule_files

    def _states(self, calculation: Calculation, latest: Path) -> pl.DataFrame:
        """Return the players whose state differs from that of a revision: see ``corrections.states_differing``."""
        shown = calculations.state_shown(self.store, calculation.period, revisions.number_of(latest))
        now = calculation.folder.read_state()
        return states_differing(now if shown is None else shown, now)

    def _write(self, calculation: Calculation, rows: pl.DataFrame, rule_files: dict[str, str]) -> str:
        """Write a revision with its diff, and return its name.

        Raises :class:`CheckError` where an earlier list that it was calculated from is not published.
        """
        period = calculation.period
        drafts.check_lists_before_are_published(self.store, calculation)
        number = revisions.next_revision(self.settings.published, period)
        described = calculations.describe_corrections(self.store)
        corrections = of_corrections(self.store, self.settings, period, described, self._behind)
        text = as_markdown(diff_document(rows, period, number, corrections, rule_files, self._behind))
        now = {str(one.period): one.number for one in (*self._ready, *self._open)}
        diff = {"DIFF.md": text}
        revision = drafts.write(self.store, self.settings, calculation, self.questions, rows, diff, now)
        missing = drafts.missing_approvals_text(self.store, self.settings, revision)
        if missing or unanswered(self.questions[str(period)]):
            self._missing_approvals += [missing] if missing else []
            self._open.append(revision)
        else:
            self._ready.append(revision)
        return f"r{revision.number}"

    def _stop(self, kept: list[PreviewSummary]) -> NoReturn:
        """Raise the error of the open questions, else that of the missing approvals; ``kept``: the previews."""
        reports = "\n".join(f"  {one.month}: {one.report}" for one in kept)
        if any(unanswered(raised) for raised in self.questions.values()):
            open_questions = unanswered_text(self.questions, self.go_on)
            raised = [doubt for of_month in self.questions.values() for doubt in of_month]
            raise UnansweredError(f"{open_questions}\nThe whole reports:\n{reports}", kept, as_dicts(raised))
        approve = "\n".join(f"  ratinglist approve {one.month} --by NAME" for one in kept if one.missing)
        raise NotApprovedError(
            "\n".join([*self._missing_approvals, f"Read them:\n{reports}", f"Then:\n{approve}\n  {self.go_on}"]), kept
        )

    def _write_numbers(self, calculation: Calculation) -> None:
        folder = calculation.folder
        lists = {stem: folder.read_table(stem) for stem in LISTS if has_table(folder.path, stem)}
        write_both_numbers(self.store, self.settings, calculation.period, lists)


def write_both_numbers(store: Store, settings: Settings, period: Period, known: dict[str, pl.DataFrame]) -> None:
    """Write ``both_numbers.parquet`` of a month as a draft.

    ``known``: the lists as now known, compared with the first revision that was not withdrawn. Raises
    :class:`~ratinglist.errors.AlteredError` where a list of that revision is not what was published.
    """
    first = settings.published / str(period) / f"r{store.log.history.first[str(period)]}"
    published_files.verified_tables(first, LISTS)
    numbers = both_numbers(revisions.read_tables(first, LISTS), known, period)
    write_outside(store, settings, f"{period}/{NUMBERS}", BOTH_NUMBERS.name, numbers)


def question_notes(months: Iterable[RevisedMonth]) -> list[str]:
    """Return a note on the questions that a re-rating would raise; none where it raises none."""
    questions = {question for one in months for question in one.asks}
    if not questions:
        return []
    because = " ".join(f'--because {question}="..."' for question in sorted(questions))
    return [f"publishing will ask for reasons: {because}"]


def both_numbers(published: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame], period: Period) -> pl.DataFrame:
    """Return the rating of every player on either list as published and as now known (``BOTH_NUMBERS``), in order.

    In: published tables by file stem, of which only the lists are read.
    """
    was, now = (
        lists_of(tables).select("time_control", "fide_id", "name", "federation", "rating")
        for tables in (published, known)
    )
    both = was.join(now, on=["time_control", "fide_id"], how="full", coalesce=True, suffix="_now").with_columns(
        pl.lit(str(period)).alias("list_month"),
        pl.coalesce("name_now", "name").alias("name"),
        pl.coalesce("federation_now", "federation").alias("federation"),
        as_published="rating",
        as_now_known="rating_now",
    )
    return BOTH_NUMBERS.sorted(BOTH_NUMBERS.conform(both))


WITHHELD = "withheld: the text has a date of birth"
_WRITTEN = ("reason", "who")


def of_corrections(
    store: Store,
    settings: Settings,
    period: Period,
    corrections: Sequence[Mapping[str, object]],
    printed: Collection[int],
) -> list[Mapping[str, object]]:
    """Return the corrections, with :data:`WITHHELD` in the place of each reason and person with a date of birth.

    In: ``corrections``: rows with ``correction_no``, ``fide_ids`` (the players it names), ``reason`` and ``who``;
    ``printed``: the numbers of those that are printed; the others are returned unchanged.
    """

    def public(correction: Mapping[str, object]) -> Mapping[str, object]:
        ids = cast("list[int]", correction["fide_ids"])
        problems = {
            name: text_problem(store, str(correction[name]), settings.today, played=period.first_day, named=ids)
            for name in _WRITTEN
        }
        return {**correction, **{name: WITHHELD for name, problem in problems.items() if problem}}

    return [public(one) if one["correction_no"] in printed else one for one in corrections]
