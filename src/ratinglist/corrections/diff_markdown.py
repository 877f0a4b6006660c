"""Write the diff of a revision as Markdown: which players differ, by how much, why, and by which correction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from ratinglist.markdown import cell
from ratinglist.period import Period

SHOWN = 50
"""How many players, those with the largest differences, a ``DIFF.md`` shows; ``diff.parquet`` has all."""


def as_markdown(
    diff: pl.DataFrame,
    period: Period,
    revision: int,
    corrections: Sequence[Mapping[str, object]],
    rule_files: Mapping[str, str],
    behind: Collection[int] = (),
) -> str:
    """Return the ``DIFF.md`` of a revision.

    In: ``diff`` (``DIFF``); ``corrections``: rows with ``correction_no``, ``action``, ``what``, ``reason``, ``who``,
    ``reported_on``; ``rule_files``: by name, how each rule file of this list changed; ``behind``: the numbers of the
    corrections behind what differs in any table.
    """
    lines = [f"# The list of {period}, revision {revision}: what changed against revision {revision - 1}", ""]
    lines += [
        _totals(time_control, rows) for (time_control,), rows in diff.group_by("time_control", maintain_order=True)
    ]
    if diff.is_empty():
        lines.append("- no player of a list differs; other tables do, such as the results that wait for a first rating")
    lines += ["", "## Corrections behind it", ""]
    printed = {*numbers_behind(diff), *behind}
    files = sorted({name for names in diff["rule_files"] for name in names.split(", ") if name} | set(rule_files))
    listed = [correction for correction in corrections if correction["correction_no"] in printed]
    if listed:
        lines += ["| number | what | reason | who | reported on |", "|--:|---|---|---|---|"]
        lines += [
            f"| {cell(correction['correction_no'])} | {cell(correction['what'])} | {cell(correction['reason'])} "
            f"| {cell(correction['who'])} | {cell(correction['reported_on'])} |"
            for correction in listed
        ]
    else:
        lines.append(_no_correction(diff, has_files=bool(files)))
    if files:
        lines += ["", "## Rule files behind it", ""]
        lines += [f"- `{name}`: {rule_files.get(name, 'changed for an earlier list')}" for name in files]
    farthest = diff.with_columns(pl.col("difference").abs().alias("distance")).sort(
        "distance", "time_control", "fide_id", descending=[True, False, False], nulls_last=False
    )
    lines += ["", "## Players who differ", ""]
    if len(diff) > SHOWN:
        lines += [f"The {SHOWN} largest differences of {len(diff):,}; `diff.parquet` has all.", ""]
    lines += ["| list | FIDE ID | name | was | is | because | corrections |", "|---|--:|---|--:|--:|---|---|"]
    lines += [
        f"| {row['time_control']} | {row['fide_id']} | {cell(row['name'])} | {_number_text(row, 'old')} "
        f"| {_number_text(row, 'new')} | {cell(row['because'])} | {row['corrections']} |"
        for row in farthest.head(SHOWN).iter_rows(named=True)
    ]
    return "\n".join([*lines, ""])


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
    """Return the numbers of the corrections behind a diff (``DIFF``), those that :func:`as_markdown` prints."""
    return {int(number) for numbers in diff["corrections"] for number in numbers.split(", ") if number}


def _number_text(row: Mapping[str, Any], when: str) -> str:
    """Return the rating of a row, and rating and deviation with hundredths where the system has them."""
    rating, deviation = (row.get(f"{when}_{name}_hundredths") for name in ("rating", "deviation"))
    whole = cell(row[f"{when}_rating"])
    if rating is None or deviation is None:
        return whole
    return f"{whole} ({rating // 100}.{rating % 100:02} ± {deviation // 100}.{deviation % 100:02})"


def _totals(time_control: object, rows: pl.DataFrame) -> str:
    counts = rows.select(
        (pl.col("difference") > 0).sum().alias("up"),
        (pl.col("difference") < 0).sum().alias("down"),
        pl.col("old_rating").is_null().sum().alias("came"),
        pl.col("new_rating").is_null().sum().alias("left"),
        pl.col("difference").abs().max().fill_null(0).alias("farthest"),
    ).row(0, named=True)
    differ = "player differs" if len(rows) == 1 else "players differ"
    return (
        f"- {time_control}: {len(rows):,} {differ}; {counts['up']:,} rose and {counts['down']:,} fell, "
        f"by at most {counts['farthest']}; {counts['came']:,} added and {counts['left']:,} removed"
    )
