"""The one list of reports received: what became of each, why, what is to be done, and until when a list may rate it.

Every command that names a report that is not rated prints it from here: `load`, `run`, `status`, `quarantine`,
`event`, `letters`, and the desk. A report is refused by findings in its own lines, an event by the verdict of a list.
A state ends: a report that another one has replaced is not in the list, and one that was set aside asks for nothing.

Here too is what lists were calculated without: corrections, rule files, retractions and reports that came since.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import polars as pl

from ratinglist.findings import FIDE_ID, RULES
from ratinglist.messages import EVENT_REASONS, SETTLED, WAITING, why
from ratinglist.names.alike import players_alike
from ratinglist.period import Period
from ratinglist.rating.report_versions import join_rule_sets
from ratinglist.rating.rules import RuleBook, due_on, last_list
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import EVENT_STATUS
from ratinglist.text import listed, person_text

_IS_SETTLED = pl.col("status").is_in(SETTLED) | (pl.col("reason") == "withdrawn")
_OPEN = ("refused", "waits", "deferred")
REASONS_IN_LINES = ("report_refused", "no_games", "player_twice", "unknown_player")
"""The reasons of an event that come from single lines of its report, which its arbiter can mend."""
_KEY_DIGITS = 16


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report received.

    ``state``: ``refused``, ``waits`` or ``deferred``, and a list may still rate it; ``ready``: the next list takes it
    up; ``dismissed``, ``withdrawn``, or a status of an event that is settled. ``reason``, ``says`` and ``remedy``: why,
    as a code and in words, and what to do; empty where nothing is to be said. ``list_month``: of the newest list that
    looked at it; empty: none has. ``until``: the last day on which a list may still rate it; None: no limit, or none is
    known. ``findings``: a row of :func:`finding_rows` for each reason why it is not rated, at least one unless it is
    rated, ready or dismissed.
    """

    report_id: str
    sha256: str
    file_name: str
    event_id: str
    event: str
    state: str
    reason: str
    says: str
    remedy: str
    list_month: str
    received_on: date
    until: date | None
    findings: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def key(self) -> str:
        """Return what names the report in an address."""
        return hashlib.sha256(self.report_id.encode()).hexdigest()[:_KEY_DIGITS]

    @property
    def file(self) -> str:
        """Return the name of the file without folders."""
        return self.file_name.rpartition("/")[2]

    @property
    def is_open(self) -> bool:
        """Return whether a list may still rate it, once something is put right."""
        return self.state in _OPEN

    @property
    def needs_a_hand(self) -> bool:
        """Return whether an officer has something to do."""
        return self.state in ("refused", "waits")


def report_states(store: Store, family: str) -> list[ReportState]:
    """Return the state of every report that counts or may count, sorted by file, event and day of receipt.

    A report that another one has replaced is over; of a file that was loaded again with other facts of a manifest one
    report is left.
    """
    rows = without_replaced_versions(store, statuses(store, family).filter(pl.col("status") != "replaced"))
    rows = _with_end(store, family, _without_doubles(store, rows))
    findings = finding_rows(store, rows.filter(~_IS_SETTLED)["report_id"])
    dismissed = {report_id for (report_id,) in store.rows("select report_id from dismissed_report")}
    states = [
        _state(row, findings.get(row["report_id"], []), is_dismissed=row["report_id"] in dismissed)
        for row in rows.iter_rows(named=True)
    ]
    return [state for state in states if state is not None]


def _with_end(store: Store, family: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows``, late where the last list that might have rated a report is published (B.02 9.1)."""
    newest = max(store.log.history.current, default="")
    closed = max(rule_book().closing_dates(family, Period.parse(newest)), default=date.min) if newest else date.min
    is_over = (pl.col("rateable_until") <= closed) & ~_IS_SETTLED
    late = {"status": "late", "reason": "third_list_limit", "missing": ""}
    return rows.with_columns(
        pl.when(is_over).then(pl.lit(text)).otherwise(name).alias(name) for name, text in late.items()
    )


def _state(row: Mapping[str, Any], findings: Sequence[Mapping[str, Any]], *, is_dismissed: bool) -> ReportState | None:
    """Return the state of a report; None where it was loaded again with the time control for which it waited."""
    status, reason = row["status"], row["reason"]
    state, says, remedy = status, why(status, reason), row["missing"]
    is_settled = status in SETTLED or reason == "withdrawn"
    if is_dismissed:
        state = "dismissed"
    elif is_settled:
        state = "withdrawn" if reason == "withdrawn" else status
        findings = [of_event(row)] if reason else []
    elif findings or (status != "waiting" and reason not in ("unknown_player", "player_twice")):
        if not findings and reason == "time_control_unknown":
            return None
        findings = findings or [of_event(row)]
        state = "waits" if findings[0]["status"] == "waiting" else findings[0]["status"]
        reason, says, remedy = (str(findings[0][name]) for name in ("reason", "says", "remedy"))
    else:
        # Every player is registered now, and on one line: the next list takes it up.
        state, says, remedy = "ready", "", ""
    return ReportState(
        report_id=row["report_id"],
        sha256=row["report_sha256"],
        file_name=row["file_name"],
        event_id=row["event_id"],
        event=row["name"],
        state=state,
        reason=reason,
        says=says,
        remedy=remedy,
        list_month=row["list_month"] or "",
        received_on=row["received_on"],
        until=row["rateable_until"],
        findings=findings,
    )


def statuses(store: Store, family: str, event_id: str | None = None) -> pl.DataFrame:
    """Return the status of every report, or of the reports of one event.

    Out: ``EVENT_STATUS`` in its order, ``file_name`` and ``report_id``. ``rateable_until`` is the closing
    date of the last list that may rate the event (:func:`~ratinglist.rating.rules.last_list`), by the rule set in force
    on its start date.
    """
    reports = store.read(
        "select * from report_status where $code is null or event_id = $code order by report_id", code=event_id
    )
    rules = rule_book()
    limited = join_rule_sets(reports, rules, family).with_columns(
        pl.when(~_IS_SETTLED).then(last_list()).alias("index")
    )
    deadlines = rules.deadlines((family, Period(index)) for index in limited["index"].drop_nulls().unique())
    last = limited.join(
        deadlines.select("time_control", "index", last_list="month", rateable_until="closing_date"),
        on=["time_control", "index"],
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


def without_replaced_versions(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` without the reports that are over: no list will look at them, or need it.

    In: ``report_id``, ``event_id``, ``start_date``, ``version``, ``received_on``, ``status``, ``list_month``. A report
    that no list looked at is over once a list has looked at a newer version: one with a higher number, or with the same
    number that came later. A report that a list did not rate is over once a list has rated another of its event and
    start date, with the same number or a higher one.
    """
    with store.with_frames(known=rows):
        over = store.read(
            """
            select known.report_id
            from known join known as other using (event_id)
            where other.list_month is not null and other.report_id <> known.report_id
                and (
                    known.list_month is null
                    and (other.version, other.received_on) > (known.version, known.received_on)
                    or known.status <> 'rated' and other.status = 'rated' and other.version >= known.version
                    and (known.start_date is null or known.start_date = other.start_date)
                )
            """
        )
    return rows.join(over, on="report_id", how="anti", maintain_order="left")


def _without_doubles(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` without the reports whose file was loaded again, with other facts of a manifest; sorted by file.

    Of the same bytes, what lists looked at stays where one rated them; else what was loaded last.
    """
    with store.with_frames(known=rows):
        return store.read(
            """
            select known.* from known join report using (report_id)
            window same_bytes as (partition by report_sha256)
            qualify case
                when bool_or(status = 'rated') over same_bytes then list_month is not null
                else report_no = max(report_no) over same_bytes
            end
            order by known.file_name, known.event_id, known.received_on, report_id
            """
        )


def of_reports(store: Store, report_ids: pl.Series) -> list[dict[str, object]]:
    """Return the findings of these reports, as :func:`finding_rows` does, in one sequence."""
    return [row for rows in finding_rows(store, report_ids).values() for row in rows]


def finding_rows(store: Store, report_ids: pl.Series) -> dict[str, list[dict[str, object]]]:
    """Return the findings that keep these reports out of every list: a row of the quarantine each, by ``report_id``.

    A row has ``file``, ``event_id``, ``line`` and ``column`` (null where the whole report is meant), ``value``,
    ``reason``, ``says``, ``remedy``, ``source`` and ``status``: ``waiting``, or as an event has it.

    Of a refused report whose event has another, accepted report the sentence and the remedy say so: the officer
    needs the reason of every refusal of a report that was just delivered, or that no list has rated; the first is
    enough then. A report that was set aside has none.
    Two reports may have one file name and one event code.
    """
    rows: dict[str, list[dict[str, object]]] = {}
    is_shown = ~pl.col("has_another") | pl.col("report_id").is_first_distinct()
    for finding in findings_of(store, report_ids).filter(~pl.col("is_dismissed"), is_shown).iter_rows(named=True):
        row = _finding(finding)
        if finding["has_another"]:
            row["says"] = f"{row['says']} (the event has another, accepted report)"
            row["remedy"] = f"nothing to do where that one is right; else {row['remedy']}"
        rows.setdefault(finding["report_id"], []).append(row)
    return rows


def findings_of(store: Store, report_ids: pl.Series) -> pl.DataFrame:
    """Return the findings that keep these reports out of every list: what refuses them, or what they wait for.

    Out: ``report_id``, ``file_name``, ``event_id``, ``line``, ``column``, ``value``, ``rule``, ``detail``;
    ``has_another``: the report is refused, and its event has another, accepted report; ``is_dismissed``: it was set
    aside; ``alike``: of a player who is not registered the registered ones whose names are alike, for the first hundred
    such players. In the order of the quarantine.
    """
    with store.with_frames(sent=report_ids.to_frame("report_id")):
        findings = store.read(_FINDINGS, column=FIDE_ID[0])
    unknown = findings.filter(pl.col("rule") == "unknown_player").select(name="detail").unique(maintain_order=True)
    alike = players_alike(store, unknown.head(_NAMES_COMPARED))
    return findings.join(alike, left_on="detail", right_on="name", how="left", maintain_order="left")


_NAMES_COMPARED = 100
"""The names that are compared with all registered ones: where there are more, the players' file was forgotten."""
_FINDINGS = """
with current as materialized (
    select report_id, event_id, accepted, time_control from current_report
),
refused as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (select report_id from report where not accepted) using (report_id)
    where effect = 'refused'
        or rule = 'more_findings' and detail in (select rule from finding where effect = 'refused')
),
-- A player of a table is named by a row, in one column of two, and has no name.
of_players as (
    select report_id, line, case when report_format <> 'table' then $column end::integer as "column",
        fide_id::varchar as value, rule,
        case when report_format <> 'table' then player.name else 'white_id or black_id' end as detail
    from (
        select report_id, line, fide_id, name, 'unknown_player' as rule from unknown_player
        union all
        select report_id, line, player.fide_id, player.name, 'player_twice'
        from current_report_player as player join player_line_now using (report_no, raw_id)
        join report using (report_no)
        where is_twice
    ) as player
    join report using (report_id) semi join current using (report_id)
),
-- The same report was loaded again with its time control.
stated as (
    select distinct event_id from current where accepted and time_control <> ''
),
without_time as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (
        select report_id from current anti join stated using (event_id) where accepted and time_control = ''
    ) using (report_id)
    where effect = 'waits'
),
every as (
    select report.report_id, report.file_name, report.event_id, found.* exclude (report_id),
        not report.accepted and (
            report.event_id in (select event_id from current where accepted)
            or report.report_id not in (select report_id from current)
        ) as has_another,
        report.report_id in (select report_id from dismissed_report) as is_dismissed
    from (select * from refused union all select * from of_players union all select * from without_time) as found
    join report using (report_id)
    semi join sent using (report_id)
)
select * from every order by has_another, file_name, event_id, line, "column", rule, value, report_id
"""


def of_month(store: Store, period: Period, statuses: Sequence[str] = ("refused",)) -> list[dict[str, object]]:
    """Return the events to which a month's calculation gave one of ``statuses``, by default those it refused.

    A report that was set aside is left out. Out: a row per finding where there are any, else one row, as
    :func:`finding_rows` has them.
    """
    events = store.read(
        """
        select event.report_id, event.event_id, event.status, event.reason, report.file_name
        from event join report using (report_id)
        anti join dismissed_report using (report_id)
        where event.month = $month and event.status in (select unnest($statuses))
        order by report.file_name, event.event_id
        """,
        month=str(period),
        statuses=list(statuses),
    )
    # Reading the findings of all reports is expensive, and most months refuse nothing.
    # The office mends a time control in a manifest, and the line is where a report could state it.
    by_lines = events.filter(pl.col("reason").is_in((*REASONS_IN_LINES, "time_control_unknown")))["report_id"]
    findings = finding_rows(store, by_lines) if len(by_lines) else {}
    return [row for event in events.to_dicts() for row in findings.get(event["report_id"]) or [_of_list(event)]]


def _of_list(event: Mapping[str, Any]) -> dict[str, object]:
    """Return what a list decided on an event as a row of the quarantine, where its report has no finding now."""
    row = of_event(event)
    if event["reason"] == "unknown_player":
        row["says"] = "a player's FIDE ID was not registered when that list was calculated; all are now"
        row["remedy"] = "calculate the next list: it takes the event"
    return row


def of_event(report: Mapping[str, Any]) -> dict[str, object]:
    """Return what a list decided on a report as a row of the quarantine (:func:`finding_rows`).

    In: ``file_name``, ``event_id``, ``status`` and ``reason`` of the report.
    """
    reason = report["reason"]
    of_reason = EVENT_REASONS[reason]
    return {
        "file": report["file_name"],
        "event_id": report["event_id"],
        "line": None,
        "column": None,
        "value": "",
        "reason": reason,
        "says": of_reason.sentence,
        "remedy": of_reason.remedy,
        "source": of_reason.article,
        "status": "waiting" if reason in WAITING else report["status"],
    }


def _finding(row: Mapping[str, Any]) -> dict[str, object]:
    """Return a finding as a row of the quarantine: ``refused`` or ``waiting``."""
    rule = RULES[str(row["rule"])]
    values = {"value": row["value"], "detail": row["detail"]}
    remedy = rule.remedy.format(**values)
    for person in reversed(row["alike"] or []):
        command = f"ratinglist correct report {shlex.quote(row['event_id'])} --id {row['value']}={person['fide_id']}"
        remedy = (
            f"if the player is {person_text(*person.values())}, a FIDE ID was mistyped: {command} "
            f'--because "..." --by NAME; else {remedy}'
        )
    return {
        "file": row["file_name"],
        "event_id": row["event_id"],
        "line": row["line"],
        "column": row["column"],
        "value": row["value"],
        "reason": row["rule"],
        "says": rule.sentence.format(**values),
        "remedy": remedy,
        "source": rule.source,
        "status": "waiting" if row["rule"] in WAITING else "refused",
    }


def dismissed_of_month(store: Store, month: str) -> int:
    """Return how many of the reports that a calculation refused were set aside."""
    return int(
        store.value(
            "select count(*) from event semi join dismissed_report using (report_id) "
            "where month = $month and status = 'refused'",
            month=month,
        )
    )


def dismissals_of_event(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each report of an event that was set aside."""
    dismissals = store.rows(
        "select file_name, known_on, reason from dismissed_report where event_id = $code order by file_name, known_on",
        code=event_id,
    )
    return [f"{file} was set aside on {day}: {reason}" for file, day, reason in dismissals]


def dismissed_among(store: Store, report_ids: pl.Series) -> int:
    """Return how many of these reports were set aside."""
    with store.with_frames(sent=pl.DataFrame([report_ids.alias("report_id")])):
        return int(store.value("select count(*) from dismissed_report semi join sent using (report_id)"))


# --------------------------------------------------------------------------- what lists were calculated without


def pending_changes(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return what the lists before a month were calculated without: a sentence each, with the command to run."""
    return [
        *pending_corrections(store, before),
        *_rule_files(store, rules, before),
        *_outdated(store, before),
    ]


def pending_corrections(store: Store, before: Period | None, event_id: str | None = None) -> list[str]:
    """Return the corrections that the first list they change was calculated without, a sentence with the command.

    ``before``: only those of lists before this month. ``event_id``: only those of this event. A correction that was
    applied and undone since changes nothing.
    """
    pending = store.read(
        """
        select made.correction_no, made.first_month
        from correction as made
        join calculation as newest on newest.is_newest and newest.month = made.first_month
        left join correction as undone on undone.correction_no = made.undoes
        where ($before is null or made.first_month < $before)
            and ($code is null or coalesce(made.event_id, undone.event_id) = $code)
            and is_corrected_since(made.correction_no, made.undoes, last_correction)
        order by made.correction_no
        """,
        before=str(before) if before else None,
        code=event_id,
    )
    if pending.is_empty():
        return []
    numbers = pending["correction_no"].to_list()
    corrections = (
        f"correction {numbers[0]} is" if len(numbers) == 1 else f"corrections {', '.join(map(str, numbers))} are"
    )
    first = pending["first_month"].sort().item(0)
    return [f"{corrections} not in the lists yet, which may change from {first} on: ratinglist rerate --from {first}"]


def _rule_files(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return the rule files that a list was calculated by and that changed since, or were removed."""
    standing = sorted(store.log.history.standing_calculations().items(), reverse=True)
    calculated = {month: calculation for month, calculation in standing if month < str(before)}
    # Only families that are used: to parse all takes longer than the rest of this.
    used = {calculation.family for calculation in calculated.values()}.intersection(rules.families)
    now = {rule_set.name: rule_set.digest for family in used for rule_set in rules.of(family)}
    # The first list of each file: the months come from the newest back.
    first: dict[str, str] = {}
    for month, calculation in calculated.items():
        first |= {name: month for name, sha256 in calculation.rule_sets.items() if now.get(name) != sha256}
    return [
        f"the list of {month} was calculated by the rule file {name}, which changed since: "
        f"ratinglist rerate --from {month}"
        for name, month in sorted(first.items())
    ]


def _outdated(store: Store, before: Period) -> list[str]:
    """Return the lists that were calculated from what counts no more: a sentence for each list, or cause, of these."""
    # What is calculated and not published does not count for the lists after it.
    with store.as_published(()):
        lists = store.read(
            """
            select list_before, list_before in (select month from withdrawn_month) as is_withdrawn,
                list(month order by month) as months
            from outdated_list where month < $month group by list_before order by list_before nulls first
            """,
            month=str(before),
        )
    return [_outdated_text(*row) for row in lists.iter_rows()]


def _outdated_text(list_before: str | None, is_withdrawn: bool, months: Sequence[str]) -> str:
    remedy = f"ratinglist rerate --from {months[0]}"
    if list_before is None:
        return f"the list of {months[0]} was calculated with what was undone since: {remedy}"
    lists = f"the {'list' if len(months) == 1 else 'lists'} of {listed(months)}"
    if is_withdrawn:
        return (
            f"{lists} used that of {list_before}, which was withdrawn. Publish {list_before} again, or leave it "
            f"without a list, then: {remedy}"
        )
    return f"{lists} did not use the list of {list_before} that counts now: {remedy}"


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
    version that precedes it (:mod:`~ratinglist.rating.report_versions`), one that is in time for a list that was
    withdrawn, and one that a correction put in the place of another, which was received when that one was.
    """
    calculated = store.log.history.newest_calculations()
    deadlines = rules.deadlines((calculation.family, Period.parse(month)) for month, calculation in calculated.items())
    new = store.read(
        """
        select report_id, event_id, sha256, file_name, time_control, official, received_on, end_date, version
        from current_report as report
        anti join (select report_id from event) as looked_at using (report_id)
        anti join (select report_id from corrected_report where replaces_id is not null) as brought using (report_id)
        anti join unknown_player using (report_id)
        where accepted and not withdrawn and time_control <> ''
        """
    )
    in_time = new.join(deadlines, on="time_control").filter(
        pl.max_horizontal("received_on", "end_date") <= due_on(),
        last_list().is_null() | (last_list() >= pl.col("index")),
    )
    with store.with_frames(in_time=in_time.sort("index").unique("report_id", keep="first", maintain_order=True)):
        return store.read(
            """
            select month, file_name, event_id, received_on,
                month in (select month from current_revision) as is_published
            from in_time
            where month in (select month from calculation where is_standing)
                and not exists (
                    select 1 from event join report using (report_id)
                    where event.month = in_time.month and report.event_id = in_time.event_id and report.accepted
                        and (
                            report.sha256 = in_time.sha256
                            or (event.version, event.received_on) > (in_time.version, in_time.received_on)
                        )
                )
            order by month, file_name, event_id, report_id
            """
        )
