"""Lists calculated again, made into new revisions: each compared with what is published, and all released, or none."""

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
from ratinglist.publication import checked_month, drafts, policy, revisions
from ratinglist.publication import revision_writer as publication
from ratinglist.publication.checked_month import Ready, Reasons
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.raised_questions import RaisedQuestion, check_reasons, unanswered, unanswered_text
from ratinglist.publication.revision_writer import Draft
from ratinglist.schemas import BOTH_NUMBERS, LISTS
from ratinglist.store import calculation_log
from ratinglist.store.database import Store
from ratinglist.store.table_files import write_parquet
from ratinglist.summaries import PreviewSummary

_ASIDE = f"{TEMPORARY_PREFIX}both_numbers.parquet"


@dataclass(slots=True)
class Revisions:
    """The lists of one re-rating, month by month, and what keeps them from being released.

    Used in a ``with``. ``go_on``: the command that publishes them. ``moved``: whom the lists so far moved
    (:data:`~ratinglist.corrections.diff.MOVED`). A list that has to be looked at first is ``held`` as a preview.
    """

    store: Store
    settings: Settings
    reasons: Reasons
    go_on: PublishingCommand
    moved: pl.DataFrame
    months: list[RevisedMonth] = field(default_factory=list)
    asked: dict[str, list[RaisedQuestion]] = field(default_factory=dict)
    _drafts: list[Draft] = field(default_factory=list)
    _numbers: list[Path] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)
    _held: list[PreviewSummary] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, _value: object, _trace: object) -> None:
        """Throw away what lies aside where it is not to be released."""
        if error is not None:
            for draft in self._drafts:
                publication.drop(draft)
            for aside in self._numbers:
                aside.unlink(missing_ok=True)

    def add(self, period: Period, *, preview: bool) -> None:
        """Compare a month calculated again with what is published; where it differs, write its revision aside.

        ``preview``: only compare. Raises :class:`CheckError` where a check of ``sql/checks`` finds a wrong row.
        """
        latest = revisions.latest(self.settings.published, period)
        if latest is None:
            self.months.append(RevisedMonth.not_published(period))
            return
        month = checked_month.ready(
            self.store, self.settings, checked_month.calculated(self.store, period), self.reasons
        )
        rows, rule_files = self._compared(month, latest)
        if rows is None:
            self.months.append(RevisedMonth.unchanged(period, latest.name))
            if not preview:
                self._write_numbers(month)
            return
        revised = RevisedMonth.of(period, latest.name, "", rows)
        self.moved = pl.concat([self.moved, diff.moved_by(rows, period)])
        if self.settings.office.corrections.land == "revisions":
            self.asked[str(period)] = month.asked
            revised = replace(revised, asks=tuple(one.question for one in unanswered(month.asked)))
            if not preview:
                revised = replace(revised, revision=self._write(month, rows, rule_files))
        if not preview:
            self._write_numbers(month)
        self.months.append(revised)

    def check_reasons(self) -> None:
        """Raise :class:`CommandLineError` for a reason that answers no question of any of these lists."""
        check_reasons(self.asked, self.reasons)

    def release(self) -> None:
        """Publish every revision written aside, or none of them.

        Raises :class:`CommandLineError` for a reason that answers no question, :class:`UnansweredError` where a
        question is open, :class:`NotApprovedError` where too few people approved what would be published; the lists
        that have to be looked at are previews then.
        """
        self.check_reasons()
        drafts.keep_reasons(self.store, self.settings, self.asked)
        self._raise_what_stops()
        for draft in self._drafts:
            done = publication.release(draft)
            calculation_log.note_publication(self.store, draft.period, done.revision, self.settings.today)
        for aside in self._numbers:
            aside.replace(aside.with_name("both_numbers.parquet"))
        drafts.tell_events(self.store, self.settings)

    def _compared(self, month: Ready, latest: Path) -> tuple[pl.DataFrame | None, dict[str, str]]:
        """The ``DIFF`` against a revision, None where nothing differs, and the rule files changed since."""
        fields = policy.of_office(self.settings, self.store).fields
        # What either leaves out, nobody can compare.
        left_out = fields.and_without(revisions.left_out(latest).without)
        before, now = (
            left_out.masked(revisions.read_tables(latest)),
            left_out.masked(month.calculation.folder.read_tables()),
        )
        if len(before) == len(now) and all(name in before and one.equals(before[name]) for name, one in now.items()):
            return None, {}
        revision = revisions.number_of(latest)
        touched = calculation_log.corrections_since(self.store, month.period, revision)
        rule_files = calculation_log.rule_files_since(self.store, month.period, revision)
        tables = diff.ListTables.of(before), diff.ListTables.of(now)
        return diff.compare(*tables, touched, self.moved, rule_files), rule_files

    def _write(self, month: Ready, rows: pl.DataFrame, rule_files: dict[str, str]) -> str:
        """Write a revision with its diff aside, or hold it as a preview; the name it has or would have."""
        number = revisions.next_revision(self.settings.published, month.period)
        told = diff_markdown.markdown(
            rows, month.period, number, calculation_log.corrections_told(self.store), rule_files
        )
        draft = drafts.write(self.store, self.settings, month, {"diff": rows}, {"DIFF.md": told})
        missing = drafts.not_approved(self.store, self.settings, draft)
        if missing or unanswered(month.asked):
            self._missing += [missing] if missing else []
            self._held.append(drafts.keep_preview(self.store, self.settings, month, draft, self.go_on))
        else:
            self._drafts.append(draft)
        return f"r{draft.revision}"

    def _raise_what_stops(self) -> None:
        reports = "\n".join(f"  {one.month}: {one.report}" for one in self._held)
        if any(unanswered(raised) for raised in self.asked.values()):
            raise UnansweredError(f"{unanswered_text(self.asked, str(self.go_on))}\nThe whole reports:\n{reports}")
        if self._missing:
            approve = "\n".join(f"  ratinglist approve {one.month} --by NAME" for one in self._held if one.missing)
            raise NotApprovedError(
                "\n".join([*self._missing, f"Look at them:\n{reports}", f"Then:\n{approve}\n  {self.go_on}"])
            )

    def _write_numbers(self, month: Ready) -> None:
        """``both_numbers.parquet`` of a month, aside: what its first revision said, and what is known now."""
        folder = self.settings.published
        lists = {stem: rows for stem, rows in month.calculation.folder.read_tables().items() if stem in LISTS}
        numbers = both_numbers(revisions.read_tables(revisions.first(folder, month.period)), lists, month.period)
        carried = self.settings.office.fields.table(BOTH_NUMBERS.name)
        aside = folder / str(month.period) / _ASIDE
        self._numbers.append(synced(write_parquet(aside, carried, carried.conform(numbers))))


def asks_told(months: Iterable[RevisedMonth]) -> list[str]:
    """What to know of the questions that a re-rating would raise."""
    asking = {question for one in months for question in one.asks}
    if not asking:
        return []
    because = " ".join(f'--because {question}="..."' for question in sorted(asking))
    return [f"publishing will ask for reasons: {because}"]


def both_numbers(published: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame], period: Period) -> pl.DataFrame:
    """Both numbers of everybody on either list: :data:`~ratinglist.schemas.BOTH_NUMBERS`, in order.

    In: published tables by file stem, of which the lists alone are looked at.
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
