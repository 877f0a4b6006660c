"""Publish lists that were calculated again: compare each with its revision, and release all new revisions or none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import polars as pl

from ratinglist.config import Settings
from ratinglist.correction_summaries import RevisedMonth
from ratinglist.corrections import diff, diff_markdown
from ratinglist.durable_files import TEMPORARY_PREFIX, synced
from ratinglist.errors import NotApprovedError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import checked_month, drafts, policy, published_tables, revision_writer, revisions
from ratinglist.publication.checked_month import CheckedMonth, Reasons
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.questions import RaisedQuestion, check_reasons, unanswered, unanswered_text
from ratinglist.publication.revision_writer import Draft, RevisionContent
from ratinglist.schemas import BOTH_NUMBERS, LISTS
from ratinglist.store import calculation_log, journal
from ratinglist.store.database import Store
from ratinglist.store.table_files import write_parquet
from ratinglist.summaries import PreviewSummary

_UNRELEASED_NUMBERS = f"{TEMPORARY_PREFIX}both_numbers.parquet"


@dataclass(slots=True)
class RevisionBatch:
    """The lists of one re-rating; used as a context manager, which deletes all drafts where the block raises.

    ``go_on``: the command that publishes them. ``moved``: the players moved by the lists so far
    (:data:`~ratinglist.corrections.diff.MOVED`). ``questions``: the questions raised, by month. A list with an open
    question or approval is kept as a preview (``_previews``) and stops the release.
    """

    store: Store
    settings: Settings
    reasons: Reasons
    go_on: PublishingCommand
    moved: pl.DataFrame
    months: list[RevisedMonth] = field(default_factory=list)
    questions: dict[str, list[RaisedQuestion]] = field(default_factory=dict)
    _drafts: list[Draft] = field(default_factory=list)
    _numbers: list[Path] = field(default_factory=list)
    _missing_approvals: list[str] = field(default_factory=list)
    _previews: list[PreviewSummary] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, _value: object, _trace: object) -> None:
        """Delete the files that were not released, where an error was raised."""
        if error is not None:
            for draft in self._drafts:
                revision_writer.drop(draft)
            for path in self._numbers:
                path.unlink(missing_ok=True)

    def add(self, period: Period, *, preview: bool) -> None:
        """Compare a month calculated again with its current revision; where they differ, write a draft.

        ``preview``: only compare. Raises :class:`CheckError` where a check of ``sql/checks`` finds a wrong row.
        """
        latest = revisions.latest(self.settings.published, period)
        if latest is None:
            self.months.append(RevisedMonth.not_published(period))
            return
        month = checked_month.check_month(
            self.store, self.settings, checked_month.current_calculation(self.store, period), self.reasons
        )
        rows, rule_files = self._compare(month, latest)
        if rows is None:
            self.months.append(RevisedMonth.unchanged(period, latest.name))
            if not preview:
                self._write_numbers(month)
            return
        revised = RevisedMonth.of(period, latest.name, "", rows)
        self.moved = pl.concat([self.moved, diff.moved_by(rows, period)])
        if self.settings.office.corrections.land == "revisions":
            self.questions[str(period)] = month.questions
            revised = replace(revised, asks=tuple(one.question for one in unanswered(month.questions)))
            if not preview:
                revised = replace(revised, revision=self._write(month, rows, rule_files))
        if not preview:
            self._write_numbers(month)
        self.months.append(revised)

    def check_reasons(self) -> None:
        """Raise :class:`CommandLineError` for a reason that answers no question of any of these lists."""
        check_reasons(self.questions, self.reasons)

    def release(self) -> None:
        """Publish all drafts, or none of them.

        Raises :class:`CommandLineError` for a reason that answers no question, :class:`UnansweredError` where a
        question is open, :class:`NotApprovedError` where too few people approved what would be published; then these
        lists are kept as previews.
        """
        self.check_reasons()
        drafts.keep_reasons(self.store, self.settings, self.questions)
        self._check_nothing_is_open()
        published = []
        with self.store.transaction():
            for draft in self._drafts:
                done = revision_writer.release(draft)
                published.append({"month": str(draft.period), "revision": done.revision, "manifest": draft.digest})
                calculation_log.note_publication(self.store, draft.period, done.revision, self.settings.today)
            tables = [path.replace(path.with_name("both_numbers.parquet")) for path in self._numbers]
            statuses = drafts.write_event_statuses(self.store, self.settings)
            journal.note(
                self.store,
                "revise",
                self.settings.today,
                start=str(self.go_on.month),
                family=self.settings.family,
                months=[one.month for one in self.months],
                published=published,
                tables={**published_tables.digests(self.settings.published, tables), **statuses},
            )

    def _compare(self, month: CheckedMonth, latest: Path) -> tuple[pl.DataFrame | None, dict[str, str]]:
        """Return the ``DIFF`` against a revision, None where nothing differs, and the rule files changed since."""
        fields = policy.of_office(self.settings, self.store).fields
        # Compare only columns that both have.
        fields = fields.and_without(revisions.left_out(latest).without)
        before = fields.masked(revisions.read_tables(latest))
        now = fields.masked(month.calculation.folder.read_tables())
        if len(before) == len(now) and all(name in before and one.equals(before[name]) for name, one in now.items()):
            return None, {}
        revision = revisions.number_of(latest)
        touched = calculation_log.corrections_since(self.store, month.period, revision)
        rule_files = calculation_log.rule_files_since(self.store, month.period, revision)
        tables = diff.ListTables.of(before), diff.ListTables.of(now)
        return diff.compare(*tables, touched, self.moved, rule_files), rule_files

    def _write(self, month: CheckedMonth, rows: pl.DataFrame, rule_files: dict[str, str]) -> str:
        """Write a draft with its diff, or keep it as a preview, and return the name of its revision."""
        number = revisions.next_revision(self.settings.published, month.period)
        text = diff_markdown.markdown(
            rows, month.period, number, calculation_log.describe_corrections(self.store), rule_files
        )
        draft = drafts.write(self.store, self.settings, month, RevisionContent({"diff": rows}, texts={"DIFF.md": text}))
        missing = drafts.missing_approvals_text(self.store, self.settings, draft)
        if missing or unanswered(month.questions):
            self._missing_approvals += [missing] if missing else []
            self._previews.append(drafts.keep_preview(self.store, self.settings, month, draft, self.go_on))
        else:
            self._drafts.append(draft)
        return f"r{draft.revision}"

    def _check_nothing_is_open(self) -> None:
        """Raise the error of the open questions, else that of the missing approvals."""
        reports = "\n".join(f"  {one.month}: {one.report}" for one in self._previews)
        if any(unanswered(raised) for raised in self.questions.values()):
            raise UnansweredError(f"{unanswered_text(self.questions, str(self.go_on))}\nThe whole reports:\n{reports}")
        if self._missing_approvals:
            approve = "\n".join(f"  ratinglist approve {one.month} --by NAME" for one in self._previews if one.missing)
            raise NotApprovedError(
                "\n".join([*self._missing_approvals, f"Read them:\n{reports}", f"Then:\n{approve}\n  {self.go_on}"])
            )

    def _write_numbers(self, month: CheckedMonth) -> None:
        """Write ``both_numbers.parquet`` of a month under a temporary name, until the release."""
        folder = self.settings.published
        lists = {stem: rows for stem, rows in month.calculation.folder.read_tables().items() if stem in LISTS}
        numbers = both_numbers(revisions.read_tables(revisions.first(folder, month.period)), lists, month.period)
        table = self.settings.office.fields.table(BOTH_NUMBERS.name)
        path = folder / str(month.period) / _UNRELEASED_NUMBERS
        self._numbers.append(synced(write_parquet(path, table, table.conform(numbers))))


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
    was, now = diff.lists_of(published), diff.lists_of(known)
    return BOTH_NUMBERS.sorted(
        BOTH_NUMBERS.conform(
            was.join(now, on=diff.KEY, how="full", coalesce=True, suffix="_now").select(
                *diff.KEY,
                pl.lit(str(period)).alias("list_month"),
                pl.coalesce("name_now", "name").alias("name"),
                pl.coalesce("federation_now", "federation").alias("federation"),
                pl.col("rating").alias("as_published"),
                pl.col("rating_now").alias("as_now_known"),
            )
        )
    )
