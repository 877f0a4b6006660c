"""What was changed after a list was published: by corrections, whose differences are published, and by rollbacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.published import Revision, RolledBackRevision
from ratinglist_site.feeds import Entry
from ratinglist_site.queries import Queries
from ratinglist_site.texts import SiteTexts

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ChangedMonth:
    """What changed the list of a month: what pages show, the newest first, and the same as entries of the feed."""

    sections: list[dict[str, Any]]
    entries: list[Entry]


def changes_of(queries: Queries, texts: SiteTexts, number: int, month: Revision) -> ChangedMonth:
    """Return what changed the list of a month, and keep whom rollbacks moved. ``number``: of the month."""
    revisions = {revision.number: revision for revision in month.were_current()}
    queries.view("diff", diffs_of(number, month))
    sections, entries = [], []
    first_day = str(month.period.first_day)
    shown = queries.rows("corrections", month=number)
    for (number_of,), rows in shown.partition_by("revision", as_dict=True, maintain_order=True).items():
        count = rows.item(0, "players")
        heading = texts.text("against", revision=f"r{number_of}", players=texts.count("player", count))
        text = revisions[int(str(number_of))].text_of_diff()
        sections.append(_section(texts, heading, rows, count, text=text))
        entries.append(_entry(texts, first_day, month.month, f"r{number_of}", heading))
    for step, row in enumerate(month.rollbacks().iter_rows(named=True), 1):
        day, numbers = str(row["rolled_back_on"]), {name: row[name] for name in ("from_revision", "to_revision")}
        for view, name in (("lists_before", "from_revision"), ("lists_after", "to_revision")):
            # A step to or from no list moves nobody to another rating.
            lists = revisions[row[name]].lists() if all(numbers.values()) else {}
            queries.view(view, [("0 as month", path) for path in lists.values()], of="lists")
        queries.run("moved", month=number, step=step, day=day, reason=row["reason"], **numbers)
        rows = queries.rows("moved_by_step")
        heading = _heading(texts, row)
        sections.append(_section(texts, heading, rows.head(_SHOWN), rows.height, reason=row["reason"], who=row["who"]))
        entries.append(_entry(texts, day, month.month, f"rollback-{step}", heading))
    return ChangedMonth([*reversed(sections)], entries)


def diffs_of(number: int, month: Revision) -> list[tuple[str, Path]]:
    """Return the files of what each revision of a month changed, each with what is selected besides its columns."""
    paths = {revision.number: revision.diff() for revision in month.were_current()}
    return [(f"{number} as month, {revision} as revision", path) for revision, path in paths.items() if path]


def withdrawal(texts: SiteTexts, month: RolledBackRevision) -> ChangedMonth:
    """Return what pages and the feed show of a month that has no list any more."""
    heading = texts.text("withdrawn_on", day=texts.day(month.day), before=f"r{month.revision}")
    section = {"heading": heading, "reason": month.reason, "who": "", "text": "", "count": 0, "rows": []}
    entry = Entry(month.day, month.month, "withdrawn", "corrections.html", f"{texts.month(month.month)}: {heading}")
    return ChangedMonth([section], [entry])


def _heading(texts: SiteTexts, row: dict[str, Any]) -> str:
    before, after = f"r{row['from_revision']}", f"r{row['to_revision']}"
    key = "rolled_back" if row["to_revision"] else "withdrawn_on"
    return texts.text(key, day=texts.day(row["rolled_back_on"]), before=before, after=after)


def _section(texts: SiteTexts, heading: str, rows: pl.DataFrame, count: int, **more: str) -> dict[str, Any]:
    controls = " · ".join(texts.control(control) for control in rows["time_control"].unique(maintain_order=True))
    whole = " · ".join(filter(None, (controls, heading)))
    return {"heading": whole, "reason": "", "who": "", "text": "", "count": count, "rows": rows.to_dicts(), **more}


def _entry(texts: SiteTexts, day: str, month: str, change: str, heading: str) -> Entry:
    return Entry(day, month, change, f"month-{month}.html", f"{texts.month(month)}: {heading}")
