"""What lists were calculated without: corrections, rule files, retractions and reports that came since."""

from __future__ import annotations

import json

import polars as pl

from ratinglist.analysis.report_states import closing_dates
from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook
from ratinglist.store.database import Store
from ratinglist.text import listed


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
    now = {rule_set.name: rule_set.digest for family in used for rule_set in rules.of(family)}
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
    lists = closing_dates(
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
