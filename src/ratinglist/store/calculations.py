"""The calculations of a home: one entry each in the log, and one folder of files. A month's newest one counts.

The figures of a list that was withdrawn may not be published again (:func:`withdrawal`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

from ratinglist.config.office import Office
from ratinglist.errors import NothingReadError
from ratinglist.home.kinds import READINGS
from ratinglist.home.lock import holding_calculations
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.systems import registry
from ratinglist.store import rule_files
from ratinglist.store.calculation_folder import CalculationFolder, sweep
from ratinglist.store.database import Store
from ratinglist.store.month_tables import own_state_of, tables_of


@dataclass(frozen=True, slots=True)
class Calculation:
    """One calculation of a month.

    ``calculation_id``: the digest of everything it was made from. ``rule_sets``: name and sha256 of each.
    ``last_source``, ``last_correction``: the
    newest import and correction it knew of. ``office``: the digest of ``office.toml``.
    """

    folder: CalculationFolder
    calculation_id: str
    family: str
    rule_sets: list[dict[str, str]]
    code_version: str
    continue_from: str
    last_source: int
    last_correction: int
    office: str

    @property
    def period(self) -> Period:
        """The month."""
        return self.folder.period

    @property
    def number(self) -> int:
        """In the order the calculations of this home were made."""
        return self.folder.number

    @property
    def inputs(self) -> dict[str, list[str]]:
        """What it was made from: see :func:`digests_of`."""
        return self.folder.read_inputs()

    @property
    def rate_command(self) -> str:
        """Return the command that calculates the month again, by the same family."""
        return f"ratinglist rate {self.period}" + ("" if self.family == "fide" else f" --rules {self.family}")


def write_calculated(
    store: Store,
    inputs: MonthInputs,
    month: MonthResult,
    office: Office,
    made_on: date,
) -> Calculation:
    """Write what a month's calculation gave into a folder of its own and make it the current one, by one entry.

    ``office``: which lists later ones stand on, the columns that it leaves out of what it publishes, and the rows of a
    part. Killed before the entry, the process leaves a folder that no entry names, and the next calculation deletes it.
    The folder of the calculation that it replaces keeps its list alone. Raises what :meth:`CalculationFolder.write`
    raises.

    """
    period = inputs.period
    number = store.log.history.last_calculation + 1
    folder = store.folder(period, number)
    digests = digests_of(store, inputs)
    made_from = pl.DataFrame(
        [{"kind": kind, "digest": one} for kind, some in sorted(digests.items()) for one in some],
        schema={"kind": pl.String(), "digest": pl.String()},
    )
    folder.write(
        tables_of(month, inputs),
        month.list_state,
        month.events,
        made_from,
        office.fields,
        month.system_state,
        own_state_of(month, inputs),
    )
    store.record(
        "calculate",
        made_on,
        month=str(period),
        calculation=number,
        **_facts(store, inputs, digests, _rule_sets_used(inputs, month), office),
        lists=sorted(month.list_state["time_control"].unique()),
        **folder.digests(),
    )
    clean_up(store)
    made = calculation(store, period)
    assert made is not None  # noqa: S101 - it was recorded just now
    return made


def calculation(store: Store, period: Period) -> Calculation | None:
    """Return the current calculation of a month, or None where it was not calculated."""
    made = store.log.history.newest_calculations().get(str(period))
    if made is None:
        return None
    facts = made.facts
    return Calculation(
        folder=store.folder(period, made.number),
        calculation_id=facts["calculation_id"],
        family=facts["family"],
        rule_sets=facts["rule_sets"],
        code_version=made.version,
        continue_from=facts["continue_from"],
        last_source=made.last_source,
        last_correction=made.last_correction,
        office=made.office,
    )


def clean_up(store: Store) -> None:
    """Delete the folders of calculations that no entry names, and all but the list of those replaced since.

    Nothing is deleted in a trial, which is forgotten, and while another command reads calculations: the next command
    that writes does it.
    """
    if not store.log.is_written:
        return
    history = store.log.history
    made = {(one.month, one.number) for one in history.calculations}
    current = {(month, one.number) for month, one in history.newest_calculations().items()}
    with holding_calculations(store.folders) as may_delete:
        if may_delete:
            sweep(
                store.folders,
                kept=lambda one: (str(one.period), one.number) in made,
                current=lambda one: (str(one.period), one.number) in current,
            )


def _rule_sets_used(inputs: MonthInputs, month: MonthResult) -> list[tuple[str, str]]:
    """Return name and digest of the rule sets of the new lists and of every event that rated a game, sorted."""
    names = {one.name for one in rules_of_list(inputs).values()}
    rated = month.sides.lazy().filter(pl.col("reason") == "").select("event_no").unique().collect()
    names |= set(month.events.join(rated, on="event_no", how="semi")["rule_set"])
    return sorted((one.name, one.digest) for one in inputs.rules.of(inputs.family) if one.name in names)


def digests_of(store: Store, inputs: MonthInputs) -> dict[str, list[str]]:
    """Return what a month's inputs are, by digest: the lists, the reports and the files that registered the players.

    A list calculated here is named by its ``calculation_id``, an imported one by the digest of its file. Out:
    sorted texts under ``lists``, ``reports``, ``players`` and ``corrections``, and under ``references`` where reference
    lists were read; under ``systems`` the one of another package (:func:`~ratinglist.store.rule_files.stated_plug_in`).
    """
    used_players = pl.concat(rows.select("fide_id") for rows in (inputs.lists, inputs.report_players))
    with store.seeing(used_lists=inputs.lists_there, used_players=used_players):
        lists = store.read(
            """
            with sources as (
                select distinct month, time_control, source_no
                from imported_list where month in (select month from used_lists)
                union all
                select list_calculated.month, list_calculated.time_control, null
                from list_calculated semi join standing_calculation using (month)
            )
            select distinct
                sources.month || ' ' || sources.time_control || ' '
                    || coalesce(source_file.sha256, calculation.calculation_id) as digest
            from sources
            semi join used_lists using (time_control, month)
            left join source_file using (source_no)
            left join calculation on calculation.month = sources.month
            """
        )
        made = store.read("select distinct sha256 as digest from correction join source_file using (source_no)")
        players = store.read(
            """
            with seen as not materialized (
                select fide_id, source_no from player anti join current_identity using (fide_id)
                where source_no <= coalesce(
                    (select last_source from last_source_seen where month = $month), 2147483647
                ) or fide_id in (select new_id from correction_now where new_id is not null)
            ),
            -- A few players find nearly every file; only for the other files all players are looked up.
            found as materialized (
                select distinct source_no
                from seen semi join (select fide_id from used_players limit 1000) as few using (fide_id)
                anti join player_changed using (fide_id)
            ),
            rest as materialized (
                select fide_id, source_no
                from seen anti join found using (source_no) anti join player_changed using (fide_id)
            ),
            changed as materialized (
                select fide_id, source_no from seen semi join player_changed using (fide_id)
            ),
            used as materialized (
                select fide_id from used_players
                semi join (select fide_id from rest union all select fide_id from changed) as looked_for using (fide_id)
            ),
            sources as (
                select source_no from found
                union
                select source_no from rest semi join used using (fide_id)
                union
                select max(source_no) from changed semi join used using (fide_id) group by fide_id
            )
            select distinct sha256 as digest from sources join source_file using (source_no)
            """,
            month=str(inputs.period),
        )
    references = _references_used(store, inputs)
    of_packages = registry.plug_ins()
    used = sorted({one.system for one in inputs.rules.of(inputs.family)} & set(of_packages))
    return {
        **({"systems": [rule_files.stated_plug_in(of_packages[name]) for name in used]} if used else {}),
        **({"references": references} if references else {}),
        "corrections": sorted(made["digest"]),
        "lists": sorted(lists["digest"]),
        "reports": sorted(inputs.reports["sha256"].unique()),
        "players": sorted(players["digest"]),
    }


def _references_used(store: Store, inputs: MonthInputs) -> list[str]:
    """Return the reference lists that were read, each as its month and the digest of its file, sorted."""
    with store.seeing(used_references=inputs.references.select("month").unique()):
        rows = store.read(
            """
            select distinct reference_list.month || ' ' || sha256 as digest
            from reference_list semi join used_references using (month) join source_file using (source_no)
            """
        )
    return sorted(rows["digest"])


def _facts(
    store: Store,
    inputs: MonthInputs,
    digests: Mapping[str, list[str]],
    rule_sets: list[tuple[str, str]],
    office: Office,
) -> dict[str, object]:
    """Return what an entry states of what a calculation was made from; its id is a digest of all of it."""
    step = {
        one.list.one_time_step
        for one in rules_of_list(inputs).values()
        if one.list.one_time_step != "none" and one.list.one_time_step_month == str(inputs.period)
    }
    facts: dict[str, object] = {
        "before_id": calculation_before(store, inputs.period),
        "family": inputs.family,
        "rule_sets": [{"name": name, "sha256": digest} for name, digest in rule_sets],
        "one_time_step": ", ".join(sorted(step)),
        "continue_from": office.corrections.continue_from,
        "readings": READINGS,
    }
    made_from = {"month": str(inputs.period), **facts, "code_version": store.log.version, "inputs": digests}
    canonical = json.dumps(made_from, sort_keys=True)
    return {"calculation_id": hashlib.sha256(canonical.encode()).hexdigest(), **facts}


def is_imported(store: Store, period: Period) -> bool:
    """Return whether a list of a month was imported, and is not one calculated here."""
    return store.finds_rows("select 1 from imported_list where month = $month limit 1", month=str(period))


def calculation_before(store: Store, period: Period) -> str:
    """Return the ``calculation_id`` of the newest month calculated before; empty where there is none."""
    standing = store.log.history.standing_calculations()
    before = max((month for month in standing if month < str(period)), default=None)
    return "" if before is None else str(standing[before].facts["calculation_id"])


def calculated_later(store: Store, period: Period) -> list[str]:
    """Return the months calculated after this one."""
    return sorted(month for month in store.log.history.standing_calculations() if month > str(period))


def received_later(store: Store, period: Period) -> int:
    """Return how many events were only received when the list was in effect already: they count for a later one.

    An event of which every report is refused counts for none.
    """
    return int(
        store.read(
            """
            select count(*)::integer as events from (
                select event_id from report where accepted group by event_id having min(received_on) >= $first_day
            )
            """,
            first_day=period.first_day,
        ).item()
    )


def named_by_code(store: Store, period: Period) -> pl.DataFrame:
    """Return the events of a list that have their code in the place of the name, which must not be published.

    Out: ``event_id``, ``file_name``, ``version``.
    """
    return store.read(
        """
        select event.event_id, file_name, report.version from event join report using (report_id)
        where event.month = $month and event.name = event.event_id and report.name not in ('', event.event_id)
            and event.reason <> 'report_refused'
        order by all
        """,
        month=str(period),
    )


def slices_of_other_versions(store: Store, period: Period) -> pl.DataFrame:
    """Return reports that a list rates as a further slice of an event, though their version number is another.

    Nothing in them states whether they continue the event or correct all of it. Out: ``event_id``, ``version``,
    ``start_date``, and the same of the slice before, ending in ``_before``.
    """
    return store.read(
        """
        with slice as (
            select event.month, report.event_id, report.version, report.start_date, report.end_date
            from event join report using (report_id) where event.status = 'rated' and event.month <= $month
        )
        select this.event_id, this.version, this.start_date,
            max_by(before.version, before.start_date) as version_before,
            max(before.start_date) as start_date_before
        from slice as this
        join slice as before
            on before.event_id = this.event_id and before.end_date < this.start_date
        where $month in (this.month, before.month) and before.version <> this.version
        group by all
        order by all
        """,
        month=str(period),
    )


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The rollback that withdrew a month. ``withdrawn_on``: the day, ``YYYY-MM-DD``."""

    month: str
    revision: int
    withdrawn_on: str
    reason: str

    def text(self) -> str:
        """Return what happened and what can be done, as sentences."""
        return (
            f"The list of {self.month} (r{self.revision}) was withdrawn on {self.withdrawn_on}: {self.reason}. Correct "
            f"what was wrong, then: ratinglist rate {self.month}; ratinglist publish {self.month}. If it was right "
            f'after all: ratinglist rollback {self.month} --to r{self.revision} --because "..."'
        )


def withdrawal(store: Store, period: Period) -> Withdrawal | None:
    """Return the withdrawal of a month whose newest calculation has the figures that were withdrawn; else None."""
    history, month = store.log.history, str(period)
    one = history.withdrawn_months().get(month)
    if one is None or month not in history.newest_calculations() or month in history.standing_calculations():
        return None
    return Withdrawal(month, one["from_revision"], str(one["rolled_back_on"]), one["reason"])


_MONTHS_NAMED = 12


def current_calculation(store: Store, period: Period) -> Calculation:
    """Return the current calculation of a month.

    Raises :class:`NothingReadError` where the month was not calculated.
    """
    found = calculation(store, period)
    if found is None and is_imported(store, period):
        here = sorted(store.log.history.standing_calculations())
        raise NothingReadError(
            f"The list of {period} was imported, not calculated here: no report was rated for it, and it is not "
            f"published. Lists calculated here: {', '.join(here[-_MONTHS_NAMED:]) or 'none'}."
        )
    if found is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    return found
