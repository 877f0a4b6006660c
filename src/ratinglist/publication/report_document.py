"""The report of a preview: what an officer reads before a list is published.

It shows what the published files hold; like them it has no date of birth. It is written as ``REPORT.md``.
``ratinglist explain ID MONTH --preview`` says how the number of a player came about.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from ratinglist.publication.doubts import Doubt, read_about, unanswered
from ratinglist.publication.revision_writer import RevisionDraft
from ratinglist.settings import Settings
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.summaries import because_options, counted_events
from ratinglist.tables import LISTS
from ratinglist.text import counted, grouped

_SHOWN = 25
"""How many players of a kind are shown, from the first; `changes.parquet` has all."""
_OF_RATED = ("old_rating", "k", "change")
"""What a player with a first rating does not have."""
_COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
_CHANGES = """
select change.*, name, federation, before.fide_id is not null as was_listed
from change left join known_player($month) as player using (fide_id)
left join (select * from earlier_list where is_newest and rating is not null) as before using (time_control, fide_id)
where change.month = $month
"""
_TOTALS = """
with list as (
    select time_control, month, rating, false as is_before from list_state where month = $month
    union all
    select earlier.time_control, month, rating, true from earlier_list join earlier using (list_no)
    where earlier.is_newest
)
select list.time_control, is_before, list.month, count(*) as players, sum(rating)::bigint as points,
    month_count.* exclude (time_control, month)
from list left join month_count using (time_control, month)
where rating is not null
group by all
order by list.time_control, is_before
"""


def report_text(
    store: Store, settings: Settings, revision: RevisionDraft, questions: Sequence[Doubt], go_on: str
) -> str:
    """Return the report of a revision as Markdown; the same preview gives the same report.

    ``questions``: those that its list raises. ``go_on``: the command that publishes it.
    """
    period = revision.period
    calculation = current_calculation(store, period)
    changes, totals = read_about(store, settings, period, _CHANGES, _TOTALS)
    controls = [control for control in LISTS if f"{control}.parquet" in calculation.folder.written]
    approvals = settings.office.publication.approvals
    parts: list[Part] = [
        _state(settings.office.name, revision),
        *_totals(totals, controls),
        *_questions(questions, preview_again(go_on) if approvals else go_on),
        *_typed(typed(store)),
    ]
    for control in controls:
        parts += of_list(control, changes.filter(time_control=control))
    parts += _events(period, calculation.folder.read_table("events"))
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


def _totals(lists: pl.DataFrame, controls: Sequence[str]) -> list[Part]:
    """Return the totals of this list and of the list before: a row per figure and time control.

    In: the rows of :data:`_TOTALS`.
    """
    by_list = lists.rows_by_key(["time_control", "is_before"], named=True, unique=True)
    totals: list[list[object]] = []
    for control in controls:
        now, before = (by_list.get((control, is_before), {"players": 0}) for is_before in (False, True))
        totals.append([control, "players listed", *_compared(now["players"], before["players"])])
        # An imported list has no counts of its calculation.
        totals += [
            [control, name.replace("_", " "), *_compared(now.get(name) or 0, before.get(name))] for name in _COUNTED
        ]
        means = (mean_hundredths(row.get("points") or 0, row["players"]) for row in (now, before))
        totals.append([control, "mean rating", *(grouped(mean, 2) or "–" for mean in means), ""])
    of_before = lists.filter("is_before").select("time_control", "month")
    named = ", ".join(f"{control} {month}" for control, month in of_before.iter_rows())
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


def of_list(control: str, changes: pl.DataFrame) -> list[Part]:
    """Return the section of one time control: the players who moved, entered and left.

    In: its rows of :data:`_CHANGES`. A player with a standard rating alone may be removed without having been listed.
    """
    status, change = pl.col("status"), pl.col("change")
    moved = changes.filter(status != "entered", pl.col("games") > 0)
    mean = grouped(mean_hundredths(int(moved["change"].sum()), len(moved)), 2, sign=True) or "–"
    parts: list[Part] = [
        Heading(control.capitalize()),
        Paragraph(f"{len(moved):,} players with rated games, mean change {mean}."),
    ]
    through = changes.filter(status == "rated", ~pl.col("was_listed"))
    left = changes.filter(status.is_in(["delisted", "lapsed"]), pl.col("was_listed"))
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


def mean_hundredths(total: int, number: int) -> int | None:
    """Return the mean of a ``number`` of values in hundredths, halves rounded away from zero; None without values."""
    if not number:
        return None
    rounded = (200 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded
