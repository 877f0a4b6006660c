"""State the diff of a revision: which players differ, by how much, why, and by which correction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from ratinglist.correction_summaries import movement_text
from ratinglist.number_text import hundredths
from ratinglist.pages.document import Code, Document, Entries, Heading, Paragraph, Part, Table, shown
from ratinglist.period import Period

SHOWN = 50
"""How many players, those with the largest differences, a ``DIFF.md`` shows; ``diff.parquet`` has all."""


def diff_document(
    diff: pl.DataFrame,
    period: Period,
    revision: int,
    corrections: Sequence[Mapping[str, object]],
    rule_files: Mapping[str, str],
    behind: Collection[int] = (),
) -> Document:
    """Return what ``DIFF.md`` of a revision says.

    In: ``diff`` (``DIFF``); ``corrections``: rows with ``correction_no``, ``action``, ``what``, ``reason``, ``who``,
    ``reported_on``; ``rule_files``: by name, how each rule file of this list changed; ``behind``: the numbers of the
    corrections behind what differs in any table.
    """
    totals = [
        _totals(time_control, rows) for (time_control,), rows in diff.group_by("time_control", maintain_order=True)
    ]
    nothing = "no player of a list differs; other tables do, such as the results that wait for a first rating"
    parts: list[Part] = [Entries.of(totals or [nothing]), Heading("Corrections behind it")]
    printed = {*numbers_behind(diff), *behind}
    files = sorted({name for names in diff["rule_files"] for name in names.split(", ") if name} | set(rule_files))
    columns = ("correction_no", "what", "reason", "who", "reported_on")
    listed = [[one[name] for name in columns] for one in corrections if one["correction_no"] in printed]
    if listed:
        parts.append(Table(("number", "what", "reason", "who", "reported on"), listed, (True, *[False] * 4)))
    else:
        parts.append(Paragraph(_no_correction(diff, has_files=bool(files))))
    if files:
        changes = [(Code(name), f": {rule_files.get(name, 'changed for an earlier list')}") for name in files]
        parts += [Heading("Rule files behind it"), Entries.of(changes)]
    farthest = diff.with_columns(pl.col("difference").abs().alias("distance")).sort(
        "distance", "time_control", "fide_id", descending=[True, False, False], nulls_last=False
    )
    parts.append(Heading("Players who differ"))
    if len(diff) > SHOWN:
        parts.append(
            Paragraph((f"The {SHOWN} largest differences of {len(diff):,}; ", Code("diff.parquet"), " has all."))
        )
    head = ("list", "FIDE ID", "name", "was", "is", "because", "corrections")
    rows = [
        [
            *(row[name] for name in ("time_control", "fide_id", "name")),
            *(_number_text(row, when) for when in ("old", "new")),
            *(row[name] for name in ("because", "corrections")),
        ]
        for row in farthest.head(SHOWN).iter_rows(named=True)
    ]
    parts.append(Table(head, rows, [name in ("FIDE ID", "was", "is") for name in head]))
    return Document(f"The list of {period}, revision {revision}: what changed against revision {revision - 1}", parts)


def _no_correction(diff: pl.DataFrame, *, has_files: bool) -> str:
    """Return the line of a diff that no correction is behind."""
    if has_files:
        return "None."
    if diff.is_empty():
        return "Not known: no correction reaches what differs. Reports or players' data may have come later."
    if unknown := int((diff["cause"] == "unknown").sum()):
        return f"None. The cause is not known for {unknown:,} of the players who differ: their rows say so."
    return "None: reports were received, or players' data changed, later."


def numbers_behind(diff: pl.DataFrame) -> set[int]:
    """Return the numbers of the corrections behind a diff (``DIFF``), those that :func:`diff_document` shows."""
    return {int(number) for numbers in diff["corrections"] for number in numbers.split(", ") if number}


def _number_text(row: Mapping[str, Any], when: str) -> str:
    """Return the rating of a row, and rating and deviation with hundredths where the system has them."""
    rating, deviation = (row.get(f"{when}_{name}_hundredths") for name in ("rating", "deviation"))
    whole = shown(row[f"{when}_rating"])
    if rating is None or deviation is None:
        return whole
    return f"{whole} ({hundredths(rating)} ± {hundredths(deviation)})"


def _totals(time_control: object, rows: pl.DataFrame) -> str:
    counts = rows.select(
        (pl.col("difference") > 0).sum().alias("up"),
        (pl.col("difference") < 0).sum().alias("down"),
        pl.col("old_rating").is_null().sum().alias("came"),
        pl.col("new_rating").is_null().sum().alias("left"),
        pl.col("difference").abs().max().fill_null(0).alias("farthest"),
    ).row(0, named=True)
    differ = "player differs" if len(rows) == 1 else "players differ"
    moved = "".join(
        f"; {counts[name]:,} {what}" for name, what in (("came", "added"), ("left", "removed")) if counts[name]
    )
    return (
        f"{time_control}: {len(rows):,} {differ}; "
        f"{movement_text(counts['up'], counts['down'], counts['farthest'])}{moved}"
    )
