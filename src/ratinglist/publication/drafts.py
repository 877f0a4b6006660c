"""Publish a calculated month: check it, raise its questions, write its revision, and publish that or keep a preview.

```
calculation -> checks -> questions -> revision, a draft -> approvals -> published
                                                        -> or a preview with its report
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, cast

import polars as pl

from ratinglist.analysis import report_states
from ratinglist.corrections import diff
from ratinglist.errors import CheckError, NotApprovedError, UnansweredError
from ratinglist.files.durable_files import sha256_of
from ratinglist.office import FieldPolicy
from ratinglist.pages.document import as_markdown
from ratinglist.period import Period
from ratinglist.publication import approvals, manifest, published_files, revision_writer, revisions, settle
from ratinglist.publication.approvals import publish_command
from ratinglist.publication.doubts import (
    OFFICE_SETTINGS,
    Doubt,
    as_dicts,
    check_month,
    check_office_kept,
    new_answers,
    unanswered,
    unanswered_text,
)
from ratinglist.publication.revision_writer import RevisionDraft
from ratinglist.publication.revisions import EVENTS, NUMBERS
from ratinglist.rating.event_verdicts import withheld
from ratinglist.rating.rating_list import unrated_players
from ratinglist.settings import PUBLISHED as PUBLISHED_FOLDER, Settings
from ratinglist.store import calculations, received, table_files
from ratinglist.store.calculations import FiledCalculation, current_calculation, lists_of
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import FileEntry
from ratinglist.summaries import PreviewSummary, PublishSummary, RevisedMonth, missing_approvals, next_step
from ratinglist.tables import BOTH_NUMBERS, EVENT_STATUS, LISTS, PUBLISHED

_WITH_NAMES = (*LISTS, "unrated")
"""The tables that have the data of registered players."""

Reasons = Mapping[str, str]
"""The reason why a list is right, by the question it answers."""
Questions = Mapping[str, Sequence[Doubt]]
"""The questions raised, by month, each with the reason given."""
ReadyMonth = tuple[RevisionDraft, Questions]
"""A revision, written as a draft, whose month passed its checks, and the questions of that month."""


def publish(store: Store, settings: Settings, ready: ReadyMonth, digest: str | None = None) -> PublishSummary:
    """Publish a checked month as a new revision, which readers see then, or find that it is published already.

    ``digest``: that of the manifest that a person has seen; None: any. Raises :class:`CheckError` where it is another
    one: nothing is published then.
    """
    revision, questions = ready
    month = str(revision.period)
    if digest not in (None, revision.digest):
        raise CheckError(
            f"Nothing was published: the list of {month} was changed by another command since it was shown. "
            f"Look at it again: ratinglist publish {month} --preview"
        )
    typed = approvals.typed(store) if revision.is_new else []
    with store.as_published([month]):
        is_new = bool(release(store, settings, "publish", {}, [revision], questions))
    people = [approval["name"] for approval in approvals.counting(store, settings, revision.period, revision.digest)]
    folder = settings.published / month / f"r{revision.number}"
    return PublishSummary(month, folder.name, str(folder), is_new, revision.rows, revision.digest, people, typed)


def keep_preview(store: Store, settings: Settings, ready: ReadyMonth) -> PreviewSummary:
    """Keep what :func:`publish` would publish as a preview, for the person who decides."""
    revision, questions = ready
    go_on = publish_command(revision.period)
    with store.as_published([str(revision.period)]):
        return approvals.keep_previews(store, settings, [revision], questions, go_on)[0]


def preview(store: Store, settings: Settings, period: Period, reasons: Reasons) -> PreviewSummary:
    """Write the files that would be published and a report on them under ``HOME/previews``, which is not published.

    Questions may be open: the report lists them. Raises what :func:`check` raises, apart from open questions and
    approvals.
    """
    calculation = current_calculation(store, period)
    with store.as_published([str(period)]):
        questions = {str(period): check_month(store, settings, calculation, reasons)}
        settings.progress("making the preview", 0, 1)
        return keep_preview(store, settings, (write_same_figures(store, settings, calculation, questions), questions))


def check(store: Store, settings: Settings, period: Period, reasons: Reasons) -> ReadyMonth:
    """Return a revision of a calculated month that may be published, written as a draft, and the questions answered.

    Where a question or an approval is open, a preview is kept, which the error has.

    Raises what :func:`~ratinglist.publication.doubts.check_month` raises; :class:`UnansweredError` where a
    question is open, :class:`NotApprovedError` where too few people approved exactly this; :class:`CheckError`
    where the month is published with other figures, which only ``rerate`` changes; and :class:`NothingReadError` where
    the month was not calculated. Nothing is published then.
    """
    calculation = current_calculation(store, period)
    with store.as_published([str(period)]):
        questions = {str(period): check_month(store, settings, calculation, reasons)}
        check_lists_before_are_published(store, calculation)
        settings.progress("publishing", 0, 1)
        revision = write_same_figures(store, settings, calculation, questions)
        if _is_open(store, settings, revision, questions):
            _refuse_open(store, settings, [revision], questions, publish_command(period))
        return revision, questions


def _is_open(store: Store, settings: Settings, revision: RevisionDraft, questions: Questions) -> bool:
    """Return whether a revision has a question without an answer, or lacks an approval."""
    raised = questions[str(revision.period)]
    return bool(unanswered(raised) or missing_approvals_text(store, settings, revision))


def _refuse_open(
    store: Store, settings: Settings, waiting: Sequence[RevisionDraft], questions: Questions, go_on: str
) -> NoReturn:
    """Keep revisions as previews, and raise the error of the open questions, else that of the missing approvals.

    ``go_on``: the command that publishes them.
    """
    missing = [text for revision in waiting if (text := missing_approvals_text(store, settings, revision))]
    kept = approvals.keep_previews(store, settings, waiting, questions, go_on)
    raised = [doubt for of_month in questions.values() for doubt in of_month]
    if unanswered(raised):
        reports = "\n".join(f"  {preview.month}: {preview.report}" for preview in kept)
        text = f"{unanswered_text(questions, go_on)}\nThe whole report:\n{reports}"
        raise UnansweredError(text, kept, as_dicts(raised))
    approve = [f"Read {preview.report}. {next_step(preview)}" for preview in kept if preview.missing]
    raise NotApprovedError("\n".join([*missing, *approve, f"Then: {go_on}"]), kept)


def write_same_figures(
    store: Store, settings: Settings, calculation: FiledCalculation, questions: Questions
) -> RevisionDraft:
    """Write the revision of a month; raise :class:`CheckError` where it is published with other figures."""
    revision = write(store, settings, calculation, questions, None, {})
    current = revisions.current(store, settings, calculation.period)
    if revision.is_new and current is not None:
        _check_same(current, revision)
    return revision


RevisionDiff = tuple[pl.DataFrame, str, list[dict[str, object]]]
"""What a revision says of its differences: a table (``DIFF``), a text, and the corrections behind them."""


def write(
    store: Store,
    settings: Settings,
    calculation: FiledCalculation,
    questions: Questions,
    revision_diff: RevisionDiff | None,
    published_now: Mapping[str, int],
) -> RevisionDraft:
    """Write the revision of a month as a draft.

    ``revision_diff``: of a corrected list. ``published_now``: the revisions of other months that are published
    together with it.

    Raises what :func:`~ratinglist.publication.revision_writer.write_revision` and :func:`check_not_rolled_back` raise.
    """
    period, fields = calculation.period, settings.office.fields
    tables, linked = _tables_of(store, calculation, fields)
    facts = manifest.facts_of(store, calculation, published_now)
    texts = {}
    if revision_diff is not None:
        tables["diff"], texts["DIFF.md"], facts["corrections"] = revision_diff
    facts["answers"] = [doubt.as_fact() for doubt in questions[str(period)] if doubt.answer]
    if settings.office.name:
        facts["office"] = settings.office.name
    revision = revision_writer.write_revision(
        settings.published,
        settings.drafts,
        period,
        tables,
        facts,
        linked=linked,
        texts=texts,
        fields=fields,
        birth_dates=revision_writer.births_in(store),
    )
    check_not_rolled_back(store, settings, revision)
    return revision


def _tables_of(
    store: Store, calculation: FiledCalculation, fields: FieldPolicy
) -> tuple[dict[str, pl.DataFrame], dict[Path, FileEntry]]:
    """Return the tables of a calculation to be written again, and the files that are published unchanged.

    A list, and the names of the unrated players, are written again where players' data were imported or corrected
    after the calculation, a table where the office has changed the columns that it leaves out.
    """
    folder, history = calculation.folder, store.log.history
    newest = (history.last_source, history.last_correction)
    names_are_current = newest == (calculation.last_source, calculation.last_correction)
    files = folder.files()
    again = set()
    for stem in {Path(name).stem for name in files}:
        columns = table_files.scan_table(folder.path, stem).collect_schema()
        is_narrowed = list(columns) != list(fields.table(stem, columns).columns)
        if is_narrowed or (stem in _WITH_NAMES and not names_are_current):
            again.add(stem)
    linked = {folder.path / name: entry for name, entry in files.items() if Path(name).stem not in again}
    tables: dict[str, pl.DataFrame] = {stem: folder.read_table(stem) for stem in again.difference(LISTS)}
    if again.intersection(_WITH_NAMES):
        period, players = calculation.period, players_of(store, calculation.period)
        state, system_state = folder.read_state(), folder.read_system_state()
        lists = lists_of(period, calculation.family, state, players, rule_book(), system_state)
        tables |= {stem: fields.flags_without_sex(stem, listed) for stem, listed in lists.items() if stem in again}
        if "unrated" in again:
            tables["unrated"] = unrated_players(folder.read_table("unrated")["fide_id"], players)
    return tables, linked


def release(
    store: Store,
    settings: Settings,
    kind: str,
    facts: Mapping[str, object],
    ready: Sequence[RevisionDraft],
    questions: Questions,
) -> list[RevisionDraft]:
    """Publish revisions, all or none, signed where the office signs, and return those that readers did not have yet.

    ``kind``, ``facts``: of the entry of the log. ``questions``: those of all months, whose reasons are kept.
    Further tables that are finished as drafts, and the status of every event, are published with them.

    Raises :class:`~ratinglist.errors.UnfinishedError` where it was decided and the disk refused a step.
    """
    if OFFICE_SETTINGS not in {doubt.code for raised in questions.values() for doubt in raised}:
        check_office_kept(store, settings)
    history = store.log.history
    new = [revision for revision in ready if history.current.get(str(revision.period)) != revision.number]
    draft_event_statuses(
        store, settings, {*(str(revision.period) for revision in ready), *cast("list[str]", facts.get("months", []))}
    )
    if not new and kind not in ("revise", "statuses"):
        if history.placed.get(EVENTS) == sha256_of(settings.drafts / PUBLISHED_FOLDER / EVENTS):
            if reasons := new_answers(history, questions):
                store.record("answer", settings.today, answers=reasons)
            settle.carry_out(store.log, settings)
            return new
        kind, facts = "statuses", {}
    reasons = new_answers(history, questions)
    facts = {**facts, "family": settings.family, **({"answers": reasons} if reasons else {})}
    published = [
        {"month": str(revision.period), "revision": revision.number, "manifest": revision.digest} for revision in new
    ]
    current = {str(revision.period): revision.number for revision in new}
    settle.decide(store, settings, kind, facts, published, current)
    return new


def draft_event_statuses(store: Store, settings: Settings, months: Collection[str] = ()) -> None:
    """Write the status of every report ever received as a draft of ``published/events.parquet``.

    ``months``: those whose newest calculations are published now.
    """
    with store.as_published(months):
        statuses = report_states.statuses(store, settings.family)
    has_date = received.reports_with(store, statuses.select("report_id", "start_date", text="name"))
    is_refused = pl.col("reason") == "report_refused"
    statuses = statuses.with_columns(withheld(is_refused, pl.col("report_id").is_in(has_date.implode())))
    revision_writer.write_outside(store, settings, EVENTS, EVENT_STATUS.name, statuses)


def check_not_rolled_back(store: Store, settings: Settings, revision: RevisionDraft) -> None:
    """Raise :class:`CheckError` where exactly these files were published before and rolled back."""
    month = settings.published / str(revision.period)
    for earlier in revisions.rolled_back(store.log.history, month.name) if revision.number > 1 else ():
        folders = (revision.folder, month / f"r{earlier.revision}")
        now, before = (revision_writer.content_digests(published_files.read_manifest(path).files) for path in folders)
        if now == before:
            raise CheckError(
                f"Nothing was published: this is exactly r{earlier.revision} of {month.name}, which was rolled back on "
                f"{earlier.day} ({earlier.reason}). Correct what was wrong and run rerate. If it was right after all: "
                f'ratinglist rollback {month.name} --to r{earlier.revision} --because "..."'
            )


def missing_approvals_text(store: Store, settings: Settings, revision: RevisionDraft) -> str:
    """Return why a revision may not be published, with the approvals that are missing; empty where it may be.

    A revision that is current already needs no approval.
    """
    period, needed = revision.period, settings.office.publication.approvals
    if not revision.is_new and revisions.current(store, settings, period) == revision.folder:
        return ""
    counting = approvals.counting(store, settings, period, revision.digest)
    missing = missing_approvals(needed, counting)
    if not missing:
        return ""
    people = f" ({', '.join(approval['name'] for approval in counting)})" if counting else ""
    lines = [
        f"Nothing was published: the list of {period} has the digest {revision.digest} and {len(counting)} of {needed} "
        f"approvals{people}; {missing} {'is' if missing == 1 else 'are'} missing."
    ]
    not_counting = approvals.not_counting(store, settings, period, revision.digest)
    lines += [f"Not counted: {sentence}" for sentence in not_counting]
    of_others = [approval for approval in store.log.history.approvals if approval["month"] == str(period)]
    if of_others and (approved := of_others[-1]["manifest"]) != revision.digest:
        names = ", ".join(dict.fromkeys(other["name"] for other in of_others if other["manifest"] == approved))
        lines.append(f"{names} approved another digest: {approved}.")
    return "\n".join(lines)


def check_lists_before_are_published(store: Store, calculation: FiledCalculation) -> None:
    """Raise :class:`CheckError` where a list was calculated from figures that are not published.

    An imported list counts as published; a list that was withdrawn is not calculated from.
    """
    period, history = calculation.period, store.log.history
    standing = history.standing_calculations()
    missing = [month for month in sorted(standing) if month < str(period) and month not in history.current]
    if missing:
        publish_first = "; ".join(f"ratinglist publish {month}" for month in missing)
        raise CheckError(
            f"Nothing was published: the list of {period} was calculated from {', '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} calculated but not published. Publish in this order: "
            f"{publish_first}; ratinglist publish {period}. If a month is wrong, correct it and rate it again first."
        )
    used = (line.split(" ") for line in calculation.inputs["lists"])
    others = sorted(
        {
            month
            for month, _, calculation_id in used
            if month in standing and standing[month].calculation_id != calculation_id
        }
    )
    if others:
        again = f"ratinglist rerate --from {period}" if str(period) in history.current else calculation.rate_command
        raise CheckError(
            f"Nothing was published (stands_on_unpublished): the list of {period} was calculated from figures of "
            f"{', '.join(others)} that are not the published ones. Calculate it again: {again}"
        )


def differing(
    revision: Path,
    files: Mapping[str, Mapping[str, object]],
    read: Callable[[str], pl.DataFrame],
    fields: FieldPolicy,
) -> tuple[dict[str, pl.DataFrame], dict[str, pl.DataFrame]] | None:
    """Return the tables of a revision and others, with the columns that both have; None where they are equal.

    In: of the other tables, the entries of the published files by name, and what reads one by its file stem. A table
    of equal files is not read. ``fields``: the columns that the office leaves out.
    """
    stated = published_files.read_manifest(revision).files
    digests, others = (
        {stem: entry["sha256"] for stem in PUBLISHED if stem != "diff" and (entry := entries.get(f"{stem}.parquet"))}
        for entries in (stated, files)
    )
    if digests == others:
        return None
    both = fields.and_without(revisions.left_out(revision).without)
    published = revisions.read_tables(revision)
    now = {stem: published[stem] if other == digests.get(stem) else read(stem) for stem, other in others.items()}
    before, after = both.masked(published), both.masked(now)
    if len(before) == len(after) and all(
        name in before and table.equals(before[name]) for name, table in after.items()
    ):
        return None
    return before, after


def _check_same(current: Path, revision: RevisionDraft) -> None:
    """Raise :class:`CheckError` where a revision has other figures than the current revision of its month.

    Other facts in the manifest, or other columns, change no figure: such a revision may be published.
    """
    files = [published_files.read_manifest(folder).files for folder in (current, revision.folder)]
    contents = [revision_writer.content_digests(file) for file in files]
    if contents[0] == contents[1]:
        return
    now = revisions.read_tables(revision.folder)
    if differing(current, files[1], now.__getitem__, revisions.left_out(revision.folder)) is None:
        return
    month = revision.period
    raise CheckError(
        f"Nothing was published: the list of {month} is published as {current.name}, and what is calculated now is "
        "different. A published list changes only with an account of every difference (DIFF.md), and together with the "
        f"lists after it. See what would change: ratinglist rerate --from {month} --preview\nThen publish it: "
        f"ratinglist rerate --from {month}"
    )


@dataclass(slots=True)
class RevisionBatch:
    """The lists of one re-rating: each is compared with its revision, and all new revisions are released, or none.

    ``start``: the first list that is rated again. ``moved``: the players moved by the lists so far
    (:data:`~ratinglist.corrections.diff.MOVED`). ``questions``: the questions raised, by month. A list with an open
    question or approval (``_open``) becomes a preview and stops the release.
    """

    store: Store
    settings: Settings
    reasons: Reasons
    start: Period
    moved: pl.DataFrame
    months: list[RevisedMonth] = field(default_factory=list)
    questions: dict[str, list[Doubt]] = field(default_factory=dict)
    _ready: list[RevisionDraft] = field(default_factory=list)
    _open: list[RevisionDraft] = field(default_factory=list)

    def add(self, period: Period, *, preview: bool) -> None:
        """Compare a month calculated again with its current revision; where they differ, check it and write a draft.

        ``preview``: write nothing. Raises :class:`CheckError` where a doubt stops the publication.
        """
        current = revisions.current(self.store, self.settings, period)
        if current is None:
            self.months.append(RevisedMonth(str(period)))
            return
        calculation = current_calculation(self.store, period)
        compared = self._compare(calculation, current)
        revised = RevisedMonth(str(period), current.name)
        if compared is not None:
            questions = check_month(self.store, self.settings, calculation, self.reasons)
            revised = RevisedMonth.of(period, current.name, compared[0])
            if self.settings.office.corrections.land == "revisions":
                self.questions[str(period)] = questions
                revised = replace(revised, asks=tuple(doubt.code for doubt in unanswered(questions)))
                if not preview:
                    revised = replace(revised, revision=self._write(calculation, *compared))
        if not preview:
            folder = calculation.folder
            lists = {stem: folder.read_table(stem) for stem in LISTS if table_files.has_table(folder.path, stem)}
            write_both_numbers(self.store, self.settings, period, lists)
        self.months.append(revised)

    def release(self) -> None:
        """Publish all drafts, or none of them.

        Raises :class:`UnansweredError` where a question is open, :class:`NotApprovedError` where too few people
        approved what would be published; then these lists are kept as previews.
        """
        if self._open:
            go_on = f"ratinglist rerate --from {self.start}"
            _refuse_open(self.store, self.settings, self._open, self.questions, go_on)
        months = [revised.month for revised in self.months]
        carried = [revised.month for revised in self.months if revised.differs and not revised.revision]
        facts = {"start": str(self.start), "months": months, "carried": carried}
        release(self.store, self.settings, "revise", facts, self._ready, self.questions)

    def _compare(
        self, calculation: FiledCalculation, current: Path
    ) -> tuple[pl.DataFrame, dict[str, str], set[int]] | None:
        """Return the ``DIFF`` against a revision, the rule files changed since, and the corrections behind it.

        None where nothing differs.
        """
        period, folder, history = calculation.period, calculation.folder, self.store.log.history
        shown = history.calculation_shown(str(period), revisions.number_of(current))
        folder.check_unaltered()
        tables = differing(current, folder.files(), folder.read_table, self.settings.office.fields)
        # Where nothing differs, the lists after it may have been calculated from a revision that was taken back.
        newest = revisions.next_revision(self.settings.published, period) - 1
        before = history.calculation_shown(str(period), newest) if tables is None else shown
        states = diff.states_differing(calculations.state_shown(self.store, before), folder.read_state())
        base = calculations.month_before(self.store, period)
        if tables is None:
            self.moved = pl.concat([self.moved, diff.carried_on(self.moved, base, states, period)])
            return None
        touched = calculations.corrections_since(self.store, shown)
        rule_files = calculations.rule_files_since(self.store, shown)
        chain = diff.Chain(period, base, self.moved, touched, rule_files)
        differences, moves, behind = diff.compare_revisions(*tables, states, chain)
        self.moved = pl.concat([self.moved, moves])
        return differences, rule_files, behind

    def _write(
        self, calculation: FiledCalculation, differences: pl.DataFrame, rule_files: dict[str, str], behind: set[int]
    ) -> str:
        """Write a revision with its diff, and return its name.

        Raises :class:`CheckError` where an earlier list that it was calculated from is not published.
        """
        period = calculation.period
        check_lists_before_are_published(self.store, calculation)
        number = revisions.next_revision(self.settings.published, period)
        corrections = self.store.dicts(
            """
            select correction_no, what, reason, who, reported_on::varchar as reported_on
            from correction_described where list_contains($numbers::integer[], correction_no)
            order by correction_no
            """,
            numbers=sorted(diff.numbers_behind(differences) | behind),
        )
        text = as_markdown(diff.diff_document(differences, period, number, corrections, rule_files))
        now = {str(revision.period): revision.number for revision in (*self._ready, *self._open)}
        revision_diff = differences, text, corrections
        revision = write(self.store, self.settings, calculation, self.questions, revision_diff, now)
        is_open = _is_open(self.store, self.settings, revision, self.questions)
        (self._open if is_open else self._ready).append(revision)
        return f"r{revision.number}"


def write_both_numbers(store: Store, settings: Settings, period: Period, known: dict[str, pl.DataFrame]) -> None:
    """Write ``both_numbers.parquet`` of a month as a draft.

    ``known``: the lists as now known, compared with the first revision that was not withdrawn.
    """
    first = settings.published / str(period) / f"r{store.log.history.first[str(period)]}"
    numbers = both_numbers(revisions.read_tables(first, LISTS), known, period)
    revision_writer.write_outside(store, settings, f"{period}/{NUMBERS}", BOTH_NUMBERS.name, numbers)


def both_numbers(published: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame], period: Period) -> pl.DataFrame:
    """Return the rating of every player on either list as published and as now known (``BOTH_NUMBERS``), in order.

    In: published tables by file stem, of which only the lists are read.
    """
    was, now = (
        diff.lists_of(tables).select("time_control", "fide_id", "name", "federation", "rating")
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
