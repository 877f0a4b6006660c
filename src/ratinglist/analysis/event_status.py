"""The status of every report: what a list made of it, what is to be done, and until when it can still be rated.

And what no list has seen yet: corrections, rule files, reports and retractions since a list was calculated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date

import polars as pl

from ratinglist.messages import EVENT_REASONS, STATUS_SENTENCES, status_word
from ratinglist.period import Period
from ratinglist.rating.report_versions import join_rule_sets
from ratinglist.rating.rules import RuleBook
from ratinglist.store.database import Store
from ratinglist.tables import EVENT_STATUS
from ratinglist.text import listed

SETTLED = ("rated", "late", "duplicate", "superseded", "replaced")
"""Statuses for which an officer has nothing to do."""


def is_settled() -> pl.Expr:
    """Return whether a report is rated, or can never be: in, ``status`` and ``reason``."""
    return pl.col("status").is_in(SETTLED) | (pl.col("reason") == "withdrawn")


def statuses(store: Store, rules: RuleBook, family: str, event_id: str | None = None) -> pl.DataFrame:
    """Return the status of every report, or of the reports of one event.

    Out: ``EVENT_STATUS`` in its order, ``file_name`` and ``report_id``. ``rateable_until`` is the closing
    date of the last list that may rate the event (``last_list_after_end``, B.02 9.1), by the rule set in force on its
    start date.
    """
    reports = store.read(
        "select * from report_status where $code is null or event_id = $code order by report_id", code=event_id
    )
    after_end = pl.col("end_date").dt.year() * 12 + pl.col("end_date").dt.month().cast(pl.Int32) - 1
    is_open = (pl.col("last_list_after_end") > 0) & ~is_settled()
    limited = join_rule_sets(reports, rules, family).with_columns(
        pl.when(is_open).then((after_end + pl.col("last_list_after_end")).cast(pl.Int32)).alias("last_index")
    )
    last_lists = limited.select("last_index", "time_control").drop_nulls().unique().sort(pl.all())
    closing = _closing_dates(((Period(index), family, control) for index, control in last_lists.iter_rows()), rules)
    last = limited.join(
        closing.select("time_control", last_index="index", last_list="month", rateable_until="closing_date"),
        on=["time_control", "last_index"],
        how="left",
    )
    remedies = {code: reason.remedy for code, reason in EVENT_REASONS.items()} | {"": ""}
    described = last.with_columns(
        pl.when(pl.col("status").is_in(SETTLED))
        .then(pl.lit(""))
        .otherwise(pl.col("reason").replace_strict(remedies, return_dtype=pl.String))
        .alias("missing")
    )
    return (
        EVENT_STATUS.conform(described)
        .with_columns(described["file_name"], described["report_id"])
        .sort("event_id", "received_on", "version", "report_sha256", "file_name", "report_id")
    )


def without_replaced_versions(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` without the reports that are over: no list will look at them, or need it.

    In: ``report_id``, ``event_id``, ``start_date``, ``version``, ``received_on``, ``status``, ``list_month``. A report
    that no list looked at is over once a list has looked at a newer version: one with a higher number, or with the same
    number that came later. A report that a list did not rate is over once a list has rated another of its event and
    start date, with the same number or a higher one.
    """
    other = rows.filter(pl.col("list_month").is_not_null()).select(
        "event_id", pl.all().exclude("event_id").name.prefix("other_")
    )
    both = rows.join(other, on="event_id").filter(pl.col("report_id") != pl.col("other_report_id"))
    is_higher = pl.col("other_version") > pl.col("version")
    is_same = pl.col("other_version") == pl.col("version")
    is_newer = is_higher | (is_same & (pl.col("other_received_on") > pl.col("received_on")))
    is_same_start = (pl.col("other_start_date") == pl.col("start_date")) | pl.col("start_date").is_null()
    is_rated_instead = (
        (pl.col("status") != "rated") & (pl.col("other_status") == "rated") & (is_higher | is_same) & is_same_start
    )
    over = both.filter((pl.col("list_month").is_null() & is_newer) | is_rated_instead)
    return rows.join(over, on="report_id", how="anti", maintain_order="left")


def _closing_dates(lists: Iterable[tuple[Period, str, str]], rules: RuleBook) -> pl.DataFrame:
    """Return the closing dates of lists, given by month, family and time control, and the limit in lists (B.02 9.1).

    Out: ``month``, ``index``, ``time_control``, ``closing_date``, ``official_closing_date``, ``last_list_after_end``.
    """
    rows = []
    for period, family, control in lists:
        rule_set = rules.on(family, control, period.first_day)
        if rule_set is not None:
            days = (rule_set.list.closing_days_before, rule_set.list.official_closing_days_before)
            dates = (period.days_before(one) for one in days)
            rows.append((str(period), period.index, control, *dates, rule_set.event.last_list_after_end))
    schema = {"month": pl.String, "index": pl.Int32, "time_control": pl.String}
    dates_and_limit = {"closing_date": pl.Date, "official_closing_date": pl.Date, "last_list_after_end": pl.Int32}
    return pl.DataFrame(rows, schema=schema | dates_and_limit, orient="row")


def status_text(rows: pl.DataFrame, today: date, notes: Sequence[str] = ()) -> str:
    """Format the rows of :func:`statuses` for people, with the days left from ``today``, and ``notes`` below them."""
    reports = [_report_text(row, today) for row in rows.iter_rows(named=True)]
    return "\n".join([*reports, *(f"note: {note}" for note in notes)])


def _report_text(row: dict[str, object], today: date) -> str:
    lines = [f"{row['event_id']}  {row['name']} ({_days_text(row)}), {row['time_control'] or 'time control not known'}"]
    lines.append(f"  received {row['received_on']}, version {row['version']}: {row['file_name']}")
    reason = EVENT_REASONS.get(str(row["reason"]))
    on_list = f" (list of {row['list_month']})" if row["list_month"] else ""
    why = reason.sentence if reason else STATUS_SENTENCES.get(str(row["status"]))
    status = status_word(str(row["status"]), str(row["reason"]))
    lines.append(f"  {status}{on_list}" + (f": {why}" if why else ""))
    if row["missing"]:
        lines.append(f"  {'' if str(row['missing']).startswith('nothing to do') else 'to do: '}{row['missing']}")
    until = row["rateable_until"]
    if isinstance(until, date):
        left = (until - today).days
        remaining = "1 day left" if left == 1 else f"{left} days left" if left >= 0 else "this date has passed"
        lines.append(f"  last list that can rate it: {row['last_list']}; deadline {until} ({remaining})")
    return "\n".join(lines)


def _days_text(row: dict[str, object]) -> str:
    start, end = (row[name] or "a day not known" for name in ("start_date", "end_date"))
    return str(start) if start == end else f"{start} to {end}"


def pending_changes(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return what the lists before a month were calculated without: a sentence each, with the command to run."""
    return [
        *_corrections(store, before),
        *_rule_files(store, rules, before),
        *_undone(store, before),
        *_on_withdrawn(store, before),
    ]


def pending_corrections_of_event(store: Store, event_id: str) -> list[str]:
    """Return the corrections of an event that no list was calculated with, as :func:`pending_changes` does."""
    return _corrections(store, None, event_id)


def _corrections(store: Store, before: Period | None, event_id: str | None = None) -> list[str]:
    """Return the corrections that the first list they change was calculated without.

    A correction that was applied and undone since changes nothing.
    """
    found = store.read(
        """
        with newest as (
            select month, arg_max(last_correction, calculation_no) as last_correction
            from calculation_made group by month
        )
        select made.correction_no, made.first_month
        from correction as made
        join newest on newest.month = made.first_month
        left join correction as undone on undone.correction_no = made.undoes
        where ($before is null or made.first_month < $before)
            and ($code is null or coalesce(made.event_id, undone.event_id) = $code)
            and is_corrected_since(made.correction_no, made.undoes, last_correction)
        order by made.correction_no
        """,
        before=str(before) if before else None,
        code=event_id,
    )
    if found.is_empty():
        return []
    numbers = found["correction_no"].to_list()
    corrections = (
        f"correction {numbers[0]} is" if len(numbers) == 1 else f"corrections {', '.join(map(str, numbers))} are"
    )
    first = found["first_month"].sort().item(0)
    return [f"{corrections} not in the lists yet, which may change from {first} on: ratinglist rerate --from {first}"]


def _rule_files(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return the rule files that a list was calculated by and that changed since, or were removed."""
    made = store.read(
        "select month, family, rule_sets from standing_calculation where month < $before order by month desc",
        before=str(before),
    )
    # Only families that are used: to parse all takes longer than the rest of this.
    used = set(made["family"]).intersection(rules.families)
    now = {one.name: one.digest for family in used for one in rules.of(family)}
    # The first list of each file: the months come from the newest back.
    first: dict[str, str] = {}
    for month, _, rule_sets in made.iter_rows():
        for rule_set in json.loads(rule_sets):
            if now.get(rule_set["name"]) != rule_set["sha256"]:
                first[rule_set["name"]] = month
    return [
        f"the list of {month} was calculated by the rule file {name}, which changed since: "
        f"ratinglist rerate --from {month}"
        for name, month in sorted(first.items())
    ]


def _undone(store: Store, before: Period) -> list[str]:
    """Return the first list that was calculated with what a retraction has undone since."""
    if not store.log.history.retracted:
        return []
    found = store.read(
        """
        select min(month) as month from calculation_input
        where month < $before and kind in ('players', 'reports')
            and digest not in (select sha256 from source_file union all select sha256 from report)
        """,
        before=str(before),
    )
    month = found["month"].item()
    return (
        [f"the list of {month} was calculated with what was undone since: ratinglist rerate --from {month}"]
        if month
        else []
    )


def _on_withdrawn(store: Store, before: Period) -> list[str]:
    """Return the lists that were calculated from one that was withdrawn: a sentence for each of these."""
    found = store.read(
        """
        with used as (
            select month, split_part(digest, ' ', 1) as list_before from calculation_input where kind = 'lists'
        )
        select list_before, list(distinct used.month order by used.month) as months
        from used join withdrawn_month on withdrawn_month.month = list_before
        where used.month < $before
        group by list_before order by list_before
        """,
        before=str(before),
    )
    return [
        f"the {'list' if len(months) == 1 else 'lists'} of {listed(months)} used that of {withdrawn}, which was "
        f"withdrawn. Publish {withdrawn} again, or leave it without a list, then: ratinglist rerate --from {months[0]}"
        for withdrawn, months in found.iter_rows()
    ]


def reports_in_time(store: Store, rules: RuleBook) -> list[str]:
    """Return the reports of :func:`reports_since`: a sentence each, with the command."""
    return [
        f"the list of {row['month']} was calculated without {row['file_name']} ({row['event_id']}), which was received "
        f"in time ({row['received_on']}) and loaded since: ratinglist "
        f"{'rerate --from' if row['is_published'] else 'rate'} {row['month']}"
        for row in reports_since(store, rules).iter_rows(named=True)
    ]


def reports_since(store: Store, rules: RuleBook) -> pl.DataFrame:
    """Return the reports that were received in time for a list and loaded after it was calculated.

    No list has looked at them, and the first list that they are in time for would rate them now: such as the corrected
    version of a report that this list refused. Out: ``month``, ``file_name``, ``event_id``, ``received_on`` and
    ``is_published`` (the list is published), in this order. Left out is a report of an event of which that list used a
    version that precedes it (:mod:`~ratinglist.rating.report_versions`), and one that is in time for a list that was
    withdrawn.
    """
    reports = store.read(
        """
        select report_id, event_id, sha256, file_name, time_control, official, received_on, end_date, version
        from current_report as report
        anti join (select report_id from event) as looked_at using (report_id)
        anti join unknown_player using (report_id)
        where accepted and not withdrawn and time_control <> ''
        """
    )
    calculated = store.rows("select month, family from calculation order by month")
    lists = _closing_dates(
        (
            (Period.parse(month), family, control)
            for month, family in calculated
            for control in rules.time_controls(family)
        ),
        rules,
    )
    if reports.is_empty() or lists.is_empty():
        return _SINCE
    closing = pl.when("official").then("official_closing_date").otherwise("closing_date")
    after_end = pl.col("index") - (pl.col("end_date").dt.year() * 12 + pl.col("end_date").dt.month().cast(pl.Int32) - 1)
    limit = pl.col("last_list_after_end")
    in_time = (
        reports.join(lists, on="time_control")
        .filter(pl.max_horizontal("received_on", "end_date") <= closing, (limit == 0) | (after_end <= limit))
        .sort("month")
        .unique("report_id", keep="first", maintain_order=True)
    )
    with store.seeing(in_time=in_time.select("report_id", "event_id", "sha256", "month", "version", "received_on")):
        without = store.read(
            """
            select in_time.report_id, month in (select month from current_revision) as is_published
            from in_time join standing_calculation using (month)
            where in_time.sha256 not in (
                    select digest from calculation_input
                    where calculation_input.month = in_time.month and kind = 'reports'
                )
                and not exists (
                    select 1 from event join report using (report_id)
                    where event.month = in_time.month and report.event_id = in_time.event_id and report.accepted
                        and (event.version, event.received_on) > (in_time.version, in_time.received_on)
                )
            """
        )
    found = in_time.join(without, on="report_id").sort("month", "file_name", "event_id", "report_id")
    return found.select(_SINCE.columns)


_SINCE = pl.DataFrame(
    schema={
        **{name: pl.String() for name in ("month", "file_name", "event_id")},
        "received_on": pl.Date(),
        "is_published": pl.Boolean(),
    }
)
