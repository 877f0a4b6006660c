"""The report of a preview, ``REPORT.md``: what an officer reads before a list is published. Frames in, Markdown out.

It shows what the published files hold, as sentences and totals; like them it has no date of birth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.markdown import cell, table
from ratinglist.period import Period
from ratinglist.publication.list_balance import ListBalance
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.questions import RaisedQuestion, because_options, unanswered
from ratinglist.summaries import games_and_results, removed_text

MOVERS = 10
"""How many players of the largest gains and of the largest losses are shown; `changes.parquet` has all players."""
SHOWN = 25
"""How many entries, delistings and refusals are shown; the published files and `ratinglist quarantine` have all."""
BAND = 200
"""Width of a band of ratings, in points."""
STEPS = (-100, -50, -20, 0, 1, 21, 51, 101)
"""First changes of the bands of changes; a band below the first one holds the rest."""
COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
MANY_GAMES = 9
"""Games from which on the mean change is shown separately: with fewer, chance outweighs the system."""


@dataclass(frozen=True, slots=True)
class Previewed:
    """The contents of a preview.

    ``is_new``: no published revision has the same bytes. ``floors``: the lowest rating listed, by time control.
    ``tables``: the published tables by file stem. ``before``: ``time_control``, ``month``, ``fide_id`` and ``rating``
    of the lists before, rated players alone. ``counts``: ``month_count`` of this list's month and of the months of the
    lists before. ``players``: ``fide_id``, ``name``, ``federation``. ``refused``: the quarantine of the month;
    ``dismissed``: how many refused reports were set aside. ``questions``: the questions raised. ``approvals``: how many
    people have to approve it. ``go_on``: the command that publishes it.
    """

    period: Period
    revision: int
    digest: str
    is_new: bool
    rule_sets: Sequence[str]
    floors: Mapping[str, int]
    tables: Mapping[str, pl.DataFrame]
    before: pl.DataFrame
    counts: pl.DataFrame
    players: pl.DataFrame
    refused: Sequence[Mapping[str, object]]
    dismissed: int
    questions: Sequence[RaisedQuestion]
    approvals: int
    go_on: PublishingCommand


def markdown(preview: Previewed) -> str:
    """Return ``REPORT.md``; the same preview gives the same text."""
    controls = [name for name in ("standard", "rapid", "blitz") if name in preview.tables]
    lines = [f"# The list of {preview.period}, a preview of r{preview.revision}", "", *_head(preview), ""]
    lines += _totals(preview, controls)
    lines += _questions(preview)
    for control in controls:
        lines += _of_control(preview, control)
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


def _totals(preview: Previewed, controls: Sequence[str]) -> list[str]:
    """Return the totals of this list and of the list before: a row per figure and time control."""
    lines = ["## Totals", "", "| list | | now | before | difference |", "|---|---|--:|--:|--:|"]
    balances = []
    for control in controls:
        now, old = preview.tables[control]["rating"], _before(preview, control)
        of_control = preview.counts.filter(pl.col("time_control") == control).rows_by_key(
            "month", named=True, unique=True
        )
        this, past = of_control.get(str(preview.period), {}), of_control.get(_month_before(preview, control))
        balance = ListBalance.of(preview.tables[control], old, _changes(preview, control))
        balances.append(f"- {control}: {balance.text()}")
        # An imported list has no counts of its calculation.
        rows: list[tuple[str, int, int | None]] = [("players listed", len(now), len(old))]
        labels = {"entered": "entered (first rating)", "delisted": f"delisted ({_removed(preview, control)})"}
        rows += [
            (labels.get(name, name.replace("_", " ")), this.get(name, 0), None if past is None else past[name])
            for name in COUNTED
        ]
        lines += [
            f"| {control} | {label} | {count:,} | {'' if past is None else f'{past:,}'} "
            f"| {'' if past is None else f'{count - past:+,}'} |"
            for label, count, past in rows
        ]
        mean, past_mean = mean_hundredths(now), mean_hundredths(old["rating"])
        lines.append(
            f"| {control} | mean rating | {_hundredths(mean)} | {_hundredths(past_mean)} "
            f"| {_hundredths(_difference(mean, past_mean), sign=True)} |"
        )
    months = ", ".join(f"{control} {_month_before(preview, control)}" for control in controls)
    return [*lines, "", f"Before: {months}. Players listed:", "", *balances]


def _of_control(preview: Previewed, control: str) -> list[str]:
    named = _named_changes(preview, control)
    moved = _moved(named)
    often = moved.filter(pl.col("games") >= MANY_GAMES)
    lines = ["", f"## {control.capitalize()}", ""]
    lines += [
        f"- {len(moved):,} players with rated games, mean change "
        f"{_hundredths(mean_hundredths(moved['change']), sign=True)}; {len(often):,} of them with "
        f"{MANY_GAMES} games or more, mean change {_hundredths(mean_hundredths(often['change']), sign=True)}",
        f"- points given and taken: {moved['change'].sum():+,}",
    ]
    lines += ["", "### Biggest movers", ""]
    for gained, most in biggest_movers(preview, control):
        direction = "gained" if gained else "lost"
        lines += table(("FIDE ID", "name", "fed.", "was", "games", "K", direction, "is"), most)
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    lines += ["", f"### First ratings ({len(entered):,} entered)", "", *_first_of(len(entered), "the highest")]
    lines += table(
        ("FIDE ID", "name", "fed.", "games", "rating"),
        entered.select("fide_id", "name", "federation", "games", "new_rating").head(SHOWN),
    )
    through = named.filter(pl.col("status") == "rated").join(_before(preview, control), on="fide_id", how="anti")
    if len(through):
        lines += ["", f"### Entered through their standard rating ({len(through):,})", ""]
        lines += _first_of(len(through), "the highest")
        lines += table(
            ("FIDE ID", "name", "fed.", "standard", "games", "change", "rating"),
            through.sort("new_rating", "fide_id", descending=[True, False])
            .select("fide_id", "name", "federation", "old_rating", "games", "change", "new_rating")
            .head(SHOWN),
        )
    left = named.filter(pl.col("status").is_in(["delisted", "lapsed"])).sort(
        "old_rating", "fide_id", descending=[True, False]
    )
    lines += [
        "",
        f"### {_removed(preview, control).capitalize()} ({len(left):,} delisted)",
        "",
        *_first_of(len(left), "the highest"),
    ]
    lines += table(
        ("FIDE ID", "name", "fed.", "was", "games", "change"),
        left.select("fide_id", "name", "federation", "old_rating", "games", "change").head(SHOWN),
    )
    return lines + _distributions(preview, control, moved)


def biggest_movers(preview: Previewed, control: str) -> list[tuple[bool, pl.DataFrame]]:
    """Return the players who gained most, and those who lost most, each with whether they gained.

    Columns: ``fide_id``, ``name``, ``federation``, ``old_rating``, ``games``, ``k``, ``change``, ``new_rating``.
    """
    moved = _moved(_named_changes(preview, control))
    shown = ("fide_id", "name", "federation", "old_rating", "games", "k", "change", "new_rating")
    return [
        (
            gained,
            moved.filter(pl.col("change") > 0 if gained else pl.col("change") < 0)
            .sort("change", "fide_id", descending=[gained, False])
            .select(shown)
            .head(MOVERS),
        )
        for gained in (True, False)
    ]


def _named_changes(preview: Previewed, control: str) -> pl.DataFrame:
    return _changes(preview, control).join(
        preview.players.select("fide_id", "name", "federation"), on="fide_id", how="left"
    )


def _moved(changes: pl.DataFrame) -> pl.DataFrame:
    return changes.filter((pl.col("status") != "entered") & (pl.col("games") > 0))


def _distributions(preview: Previewed, control: str, moved: pl.DataFrame) -> list[str]:
    band = (pl.col("rating") // BAND * BAND).alias("band")
    now = preview.tables[control].group_by(band).agg(pl.len().alias("now"))
    old = _before(preview, control).group_by(band).agg(pl.len().alias("old"))
    bands = now.join(old, on="band", how="full", coalesce=True).fill_null(0).sort("band", descending=True)
    counts = bands.select("band", pl.col("now", "old").cast(pl.Int64))
    lines = ["", "### Ratings", "", "| rating | now | before | difference |", "|---|--:|--:|--:|"]
    lines += [
        f"| {first} to {first + BAND - 1} | {count:,} | {past:,} | {count - past:+,} |"
        for first, count, past in counts.iter_rows()
    ]
    step = pl.sum_horizontal(pl.col("change") >= least for least in STEPS).alias("step")
    counted = dict(moved.group_by(step).agg(pl.len().alias("players")).iter_rows())
    lines += ["", "### Changes", "", "| change | players |", "|---|--:|"]
    for number in reversed(range(len(STEPS) + 1)):
        if number == 0:
            label = f"{STEPS[0] - 1} or less"
        elif number == len(STEPS):
            label = f"{STEPS[-1]:+} or more"
        else:
            first, last = STEPS[number - 1], STEPS[number] - 1
            label = f"{first:+} to {last:+}" if first != last else "0"
        lines.append(f"| {label} | {counted.get(number, 0):,} |")
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
    lines += _first_of(len(by_report), "the first")
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


def _changes(preview: Previewed, control: str) -> pl.DataFrame:
    return preview.tables["changes"].filter(pl.col("time_control") == control)


def _before(preview: Previewed, control: str) -> pl.DataFrame:
    return preview.before.filter(pl.col("time_control") == control)


def _month_before(preview: Previewed, control: str) -> str:
    months = _before(preview, control)["month"]
    return str(months[0]) if len(months) else "none"


def _removed(preview: Previewed, control: str) -> str:
    if preview.floors.get(control) == 0:
        # Another system than FIDE's: a rating leaves the list only where it lapses.
        return "lapsed: no longer listed"
    return removed_text([preview.floors[control]] if control in preview.floors else [])


def mean_hundredths(points: pl.Series) -> int | None:
    """Return the mean in hundredths, halves rounded away from zero; None without values."""
    number, total = len(points.drop_nulls()), int(points.sum())
    if not number:
        return None
    rounded = (200 * abs(total) + number) // (2 * number)
    return rounded if total >= 0 else -rounded


def _difference(now: int | None, old: int | None) -> int | None:
    return None if now is None or old is None else now - old


def _hundredths(count: int | None, *, sign: bool = False) -> str:
    """Return hundredths as a decimal number, ``-1.05``; a dash for None."""
    if count is None:
        return "–"
    before = "-" if count < 0 else "+" if sign else ""
    return f"{before}{abs(count) // 100:,}.{abs(count) % 100:02d}"


def _first_of(count: int, which: str) -> list[str]:
    return [f"Shown are {which} {SHOWN}.", ""] if count > SHOWN else []
