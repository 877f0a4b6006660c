"""The report of a preview, ``REPORT.md``: what an officer reads before a list is published. Frames in, Markdown out.

It shows what the published files hold, as sentences and totals; like them it has no date of birth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from ratinglist.markdown import cell, table
from ratinglist.publication.list_section import SHOWN, Previewed, first_of, of_list, totals
from ratinglist.publication.questions import because_options, unanswered
from ratinglist.summaries import games_and_results


def markdown(preview: Previewed) -> str:
    """Return ``REPORT.md``; the same preview gives the same text."""
    controls = [name for name in ("standard", "rapid", "blitz") if name in preview.tables]
    lines = [f"# The list of {preview.period}, a preview of r{preview.revision}", "", *_head(preview), ""]
    lines += totals(preview, controls)
    lines += _questions(preview)
    for control in controls:
        lines += of_list(preview, control)
    lines += _reports(preview) + _results(preview)
    # Each part adds blank lines around itself; keep one.
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""])).rstrip("\n") + "\n"


def _head(preview: Previewed) -> list[str]:
    lines = [
        f"Nothing here is published. The folder `r{preview.revision}/` next to this report has the exact files that "
        "would be."
        if preview.is_new
        else f"Identical to published r{preview.revision}.",
        "",
        f"- digest: `{preview.digest}`",
        f"- rules: {', '.join(preview.rule_sets)}",
    ]
    if preview.approvals:
        people = "one person" if preview.approvals == 1 else f"{preview.approvals} different people"
        lines += [
            f"- to approve it ({people}): `ratinglist approve {preview.period} --by NAME "
            f"--digest {preview.digest[:12]}`",
            f"- then, to publish it: `{preview.go_on}`",
        ]
    else:
        lines.append(f"- to publish it: `{preview.go_on}`; this office requires no approval")
    return lines


def _questions(preview: Previewed) -> list[str]:
    lines = ["", "## Questions", ""]
    if not preview.questions:
        return [*lines, "None: nothing unusual was found."]
    # The answers are part of the manifest and change its digest: where people approve, preview again.
    answering = preview.go_on.preview if preview.approvals else str(preview.go_on)
    if open_ones := unanswered(preview.questions):
        lines += [
            "**Not answered yet; until then the list cannot be published.** If it is right, write down why: "
            f"`{answering} {because_options(open_ones)}`",
            "",
        ]
    for raised in preview.questions:
        question, *found = raised.lines()
        lines += [f"- {cell(question)}", *(f"  - {cell(line.strip())}" for line in found)]
    return lines


def _reports(preview: Previewed) -> list[str]:
    events = preview.tables["events"]
    by_status = dict(events.group_by("status").agg(pl.len().alias("times")).sort("status").iter_rows())
    statuses = ", ".join(f"{count:,} {status}" for status, count in by_status.items()) or "none"
    by_report: dict[tuple[object, object], list[Mapping[str, object]]] = {}
    for row in preview.refused:
        by_report.setdefault((row["event_id"], row["file"]), []).append(row)
    lines = ["", "## Events", "", f"{events.height:,} known: {statuses}.", "", f"### Refused ({len(by_report):,})", ""]
    if preview.dismissed:
        lines += [f"{preview.dismissed:,} more {'is' if preview.dismissed == 1 else 'are'} set aside.", ""]
    lines += first_of(len(by_report), "the first")
    if by_report:
        lines += ["| event | file | why | findings |", "|---|---|---|--:|"]
        lines += [
            f"| {cell(event)} | {cell(file)} | {cell(rows[0]['reason'])} | {len(rows):,} |"
            for (event, file), rows in list(by_report.items())[:SHOWN]
        ]
        lines += ["", f"Lines and remedies: `ratinglist quarantine {preview.period}`."]
        waiting = [file for (_, file), rows in by_report.items() if rows[0]["reason"] == "time_control_unknown"]
        if waiting:
            lines += ["", f"### Without a time control ({len(waiting):,})", "", "They wait, and are on no list."]
            lines += ["", *(f"- {cell(file)}" for file in waiting)]
    else:
        lines.append("None.")
    return lines


def _results(preview: Previewed) -> list[str]:
    games = preview.tables["games"]
    reasons = games.filter(~pl.col("rated")).group_by("reason").agg(pl.len().alias("times"))
    not_rated = reasons.sort("times", "reason", descending=[True, False])
    lines = [
        "",
        "## Results",
        "",
        f"{games_and_results(len(games))}: {len(games) - not_rated['times'].sum():,} results rated, "
        f"{not_rated['times'].sum():,} not.",
        "",
    ]
    return lines + table(("not rated because", "results"), not_rated)
