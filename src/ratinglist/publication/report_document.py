"""The report of a preview: what an officer reads before a list is published.

It shows what the published files hold; like them it has no date of birth. It is written as ``REPORT.md``.
``ratinglist explain ID MONTH --preview`` says how the number of a player came about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ratinglist.messages import WAITING
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Heading,
    Paragraph,
    Part,
    Strong,
    Table,
    Text,
    as_markdown,
)
from ratinglist.period import Period
from ratinglist.publication.approvals import preview_again, typed
from ratinglist.publication.doubts import Doubt, list_before, unanswered
from ratinglist.publication.revision_writer import RevisionDraft
from ratinglist.settings import Settings
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.summaries import because_options, counted_events
from ratinglist.tables import LISTS
from ratinglist.text import counted, grouped

_SHOWN = 25
"""How many players of a kind are shown, from the first; `changes.parquet` has all."""
_OF_RATED = ("old_rating", "k", "change")
"""What a player with a first rating does not have."""
_COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
Tables = Mapping[str, pl.DataFrame]


def report_text(
    store: Store, settings: Settings, revision: RevisionDraft, questions: Sequence[Doubt], go_on: str
) -> str:
    """Return the report of a revision as Markdown; the same preview gives the same report.

    ``questions``: those that its list raises. ``go_on``: the command that publishes it.
    """
    period = revision.period
    calculation, players = current_calculation(store, period), players_of(store, period)
    tables, before = calculation.folder.read_tables(), list_before(store, settings, period)
    changes = tables["changes"].join(
        players.select("fide_id", "name", "federation"), on="fide_id", how="left", maintain_order="left"
    )
    approvals = settings.office.publication.approvals
    parts: list[Part] = [
        _state(settings.office.name, revision),
        *_totals(store, period, tables, before),
        *_questions(questions, preview_again(go_on) if approvals else go_on),
        *_typed(typed(store)),
    ]
    for control in (name for name in LISTS if name in tables):
        parts += _of_list(control, changes.filter(time_control=control), before.filter(time_control=control))
    parts += _events(period, tables["events"])
    rule_sets = list(calculation.rule_sets)
    report = Document(
        f"Rating list of {period}", [*parts, *_publishing(revision, rule_sets, go_on, approvals=approvals)]
    )
    return as_markdown(report)


def _state(office: str, revision: RevisionDraft) -> Part:
    """Return whose list it is, and whether it is published."""
    state = f"Identical to published r{revision.number}."
    if revision.is_new:
        state = f"A preview of revision r{revision.number}: nothing of it is published."
    return Paragraph((Strong(f"{office}."), f" {state}") if office else state)


def _totals(store: Store, period: Period, tables: Tables, before: pl.DataFrame) -> list[Part]:
    """Return the totals of this list and of the list before: a row per figure and time control."""
    months = dict(before.select("time_control", "month").unique().iter_rows())
    counts = store.read(
        "select * from month_count where month in (select unnest($months))", months=[str(period), *months.values()]
    ).rows_by_key(["time_control", "month"], named=True, unique=True)
    totals: list[list[object]] = []
    for control in (name for name in LISTS if name in tables):
        now, old = tables[control]["rating"], before.filter(time_control=control)["rating"]
        # An imported list has no counts of its calculation.
        this, past = (counts.get((control, month), {}) for month in (str(period), months.get(control, "")))
        totals.append([control, "players listed", *_compared(len(now), len(old))])
        totals += [
            [control, name.replace("_", " "), *_compared(this.get(name, 0), past.get(name))] for name in _COUNTED
        ]
        totals.append(
            [control, "mean rating", *(grouped(mean_hundredths(ratings), 2) or "–" for ratings in (now, old)), ""]
        )
    named = ", ".join(f"{control} {month}" for control, month in sorted(months.items()))
    head = ("list", "figure", "now", "before", "difference")
    table = Table(head, totals, (False, False, True, True, True))
    return [Heading("Totals"), table, Paragraph(f"Before: {named or 'none'}.")]


def _compared(now: int, before: int | None) -> tuple[str, str, str]:
    return (f"{now:,}", "", "") if before is None else (f"{now:,}", f"{before:,}", f"{now - before:+,}")


def _questions(questions: Sequence[Doubt], answering: str) -> list[Part]:
    """Return the questions; ``answering``: the command that takes answers, which change the digest of the manifest."""
    if not questions:
        return [Heading("Questions"), Paragraph("None: nothing unusual was found.")]
    parts: list[Part] = [Heading("Questions")]
    if open_ones := unanswered(questions):
        stop = Strong("Not answered yet; until then the list cannot be published.")
        command = Code(f"{answering} {because_options(question.code for question in open_ones)}")
        parts.append(Paragraph((stop, " If it is right, write down why: ", command)))
    for question in questions:
        parts += [Paragraph(question.sentence), Entries([line.strip() for line in question.lines()[1:]])]
    return parts


def _typed(lines: Sequence[str]) -> list[Part]:
    nothing = Paragraph("Nothing: no correction, no rollback, nothing undone or set aside.")
    return [Heading("Typed since the last list"), Entries(lines) if lines else nothing]


def _of_list(control: str, changes: pl.DataFrame, before: pl.DataFrame) -> list[Part]:
    """Return the section of one time control: the players who moved, entered and left."""
    status, change = pl.col("status"), pl.col("change")
    moved = changes.filter(status != "entered", pl.col("games") > 0)
    mean = grouped(mean_hundredths(moved["change"]), 2, sign=True) or "–"
    parts: list[Part] = [
        Heading(control.capitalize()),
        Paragraph(f"{len(moved):,} players with rated games, mean change {mean}."),
    ]
    through = changes.filter(status == "rated").join(before, on="fide_id", how="anti")
    left = changes.filter(status.is_in(["delisted", "lapsed"]))
    figures = {"old_rating": "was", "games": "games", "k": "K", "change": "change", "new_rating": "is"}
    for title, players, highest, left_out in (
        ("Biggest gains", moved.filter(change > 0), change, ()),
        ("Biggest losses", moved.filter(change < 0), -change, ()),
        ("First ratings", changes.filter(status == "entered"), pl.col("new_rating"), _OF_RATED),
        ("Entered through their standard rating", through, pl.col("new_rating"), ("k",)),
        ("No longer listed", left, pl.col("old_rating"), ("k", "new_rating")),
    ):
        columns = {name: head for name, head in figures.items() if name not in left_out}
        parts.append(Heading(f"{title} ({len(players):,})", level=3))
        shown = players.sort(highest, "fide_id", descending=[True, False]).head(_SHOWN)
        head = ("FIDE ID", "name", "fed.", *columns.values())
        parts.append(Table.of(head, shown.select("fide_id", "name", "federation", *columns)))
    return parts


def _events(period: Period, events: pl.DataFrame) -> list[Part]:
    """Return how many events have which status, and the command that says why one is refused or waits."""
    by_status = dict(events["status"].value_counts().sort("status").iter_rows())
    waiting = events.filter(pl.col("status") == "refused", pl.col("reason").is_in(WAITING)).height
    counts = counted_events(by_status, waiting)
    statuses = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
    why = Code(f"ratinglist quarantine {period}")
    return [Heading("Events"), Paragraph((f"{events.height:,} known: {statuses}. What is refused, and why: ", why))]


def _publishing(revision: RevisionDraft, rule_sets: Sequence[str], go_on: str, *, approvals: int) -> list[Part]:
    """Return what an officer needs to publish it: the digest, the rules and the commands."""
    facts: list[Text] = [("digest: ", Code(revision.digest)), f"rules: {', '.join(rule_sets)}"]
    if approvals:
        approving = Code(f"ratinglist approve {revision.period} --by NAME --digest {revision.digest[:12]}")
        facts.append((f"to approve it ({counted(approvals, 'approval')} needed): ", approving))
    return [Heading("For the officer who publishes it"), Entries([*facts, ("to publish it: ", Code(go_on))])]


def mean_hundredths(points: pl.Series) -> int | None:
    """Return the mean in hundredths, halves rounded away from zero; None without values."""
    number, total = len(points.drop_nulls()), int(points.sum())
    if not number:
        return None
    rounded = (200 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded
