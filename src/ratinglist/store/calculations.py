"""The calculations of a home: one entry each in the log, and one folder of files. A month's newest one counts.

The state of a list is read from the folder of its calculation, so it does not depend on today's program. The figures of
a list that was withdrawn may not be published again (:func:`withdrawal`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import date

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import remove
from ratinglist.home import originals
from ratinglist.home.history import READINGS, Calculation
from ratinglist.home.location import holding_calculations
from ratinglist.period import Period
from ratinglist.rating import rating_list
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list, system_of
from ratinglist.rating.rating_list import has_one_time_step
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.rating.systems import registry
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store import rule_files
from ratinglist.store.calculation_folder import INPUT, CalculationFolder
from ratinglist.store.database import Store
from ratinglist.tables import PUBLISHED, TOUCHED, Table


@dataclass(frozen=True, slots=True)
class FiledCalculation(Calculation):
    """A calculation of a month with the folder of its tables."""

    folder: CalculationFolder

    @property
    def period(self) -> Period:
        """The month."""
        return self.folder.period

    @property
    def inputs(self) -> dict[str, list[str]]:
        """What it was made from: see :func:`digests_of`."""
        return self.folder.read_inputs()

    @property
    def rate_command(self) -> str:
        """Return the command that calculates the month again, by the same family."""
        return f"ratinglist rate {self.period}" + ("" if self.family == "fide" else f" --rules {self.family}")


def write_calculated(
    store: Store, inputs: MonthInputs, month: MonthResult, made_on: date, rated_from: Period
) -> FiledCalculation:
    """Write what a month's calculation gave into a folder of its own and make it the newest one, by one entry.

    ``rated_from``: the first month of the lists that are rated together. A process killed before the entry leaves a
    folder that no entry names, and the next calculation deletes it, as it deletes the calculation that it replaces
    where that was never published. Raises what :meth:`CalculationFolder.write` raises.
    """
    rules = rules_of_list(inputs).values()
    digests = digests_of(store, inputs)
    steps = {rule.list.one_time_step for rule in rules if has_one_time_step(rule.list, inputs.period)}
    standing = store.log.history.standing_calculations()
    before = max((month for month in standing if month < str(inputs.period)), default="")
    number = store.log.history.last_calculation + 1
    written = CalculationFolder(store.folders, inputs.period, number, {}).write(
        tables_of(month, inputs),
        month.list_state,
        month.events,
        pl.DataFrame([(kind, digest) for kind, some in digests.items() for digest in some], INPUT.schema, orient="row"),
        month.system_state,
        own_state_of(month, inputs),
    )
    facts: dict[str, object] = {
        "before_id": standing[before].calculation_id if before else "",
        "family": inputs.family,
        "rule_sets": _rule_sets_used(inputs, month),
        "one_time_step": ", ".join(sorted(steps)),
        "readings": READINGS,
        "written": written,
    }
    made_from = {"month": str(inputs.period), **facts, "code_version": store.log.version, "inputs": digests}
    canonical = json.dumps(made_from, sort_keys=True)
    own_rules = {
        name: originals.keep_bytes(store.home, text.encode())
        for name, text in rule_files.own_texts(inputs.family).items()
    }
    store.record(
        "calculate",
        made_on,
        month=str(inputs.period),
        calculation=number,
        calculation_id=hashlib.sha256(canonical.encode()).hexdigest(),
        **facts,
        rated_from=str(rated_from),
        lists=sorted(month.list_state["time_control"].unique()),
        **({"own_rules": own_rules} if own_rules else {}),
    )
    store.calculated_here.add(number)
    clean_up(store)
    return current_calculation(store, inputs.period)


def calculation(store: Store, period: Period) -> FiledCalculation | None:
    """Return the current calculation of a month, or None where it was not calculated."""
    newest = store.log.history.newest_calculations().get(str(period))
    if newest is None:
        return None
    folder = CalculationFolder.of(store.folders, newest)
    return FiledCalculation(newest.last_source, newest.last_correction, newest.version, newest.facts, folder)


def clean_up(store: Store) -> None:
    """Delete the folders of calculations that no longer count: neither the newest one of a month nor a published one.

    Nothing is deleted in a trial, which is forgotten, and while another command reads calculations: the next command
    that writes does it.
    """
    if not store.log.is_written:
        return
    kept = {f"month={calculation.month}/c{calculation.number}" for calculation in store.log.history.kept_calculations()}
    with holding_calculations(store.folders) as may_delete:
        for path in sorted(store.folders.glob("month=*/c*")) if may_delete else ():
            if f"{path.parent.name}/{path.name}" not in kept:
                remove(path)


def _rule_sets_used(inputs: MonthInputs, month: MonthResult) -> list[dict[str, str]]:
    """Return name and digest of the rule sets of the new lists and of every event that rated a game, sorted."""
    names = {rule.name for rule in rules_of_list(inputs).values()}
    names |= set(month.games.select(pl.col("rule_set").filter("rated").unique()).to_series())
    used = sorted(
        (rule_set.name, rule_set.digest) for rule_set in inputs.rules.of(inputs.family) if rule_set.name in names
    )
    return [{"name": name, "sha256": digest} for name, digest in used]


def digests_of(store: Store, inputs: MonthInputs) -> dict[str, list[str]]:
    """Return what a month's inputs are, by digest: the lists, the reports and the files that registered the players.

    A list calculated here is named by its ``calculation_id``, an imported one by the digest of its file. Out:
    sorted texts under ``lists``, ``reports``, ``players`` and ``corrections``, and under ``references`` where reference
    lists were read; under ``systems`` the one of another package (:func:`~ratinglist.store.rule_files.stated_plug_in`).
    """
    players = pl.concat(frame.select("fide_id") for frame in (inputs.lists, inputs.report_players)).unique()
    with store.with_frames(
        used_lists=inputs.lists_there, used_players=players, used_references=inputs.references.select("month")
    ):
        digests = store.read(
            """
            with sources as (
                select distinct list.month, list.time_control, sha256 as digest
                from imported_list as list join source_file using (source_no)
                where list.month in (select month from used_lists)
                union all
                select month, unnest(lists), calculation_id from calculation where is_standing
            ),
            known as (
                from known_player($month) semi join used_players using (fide_id)
                anti join current_identity using (fide_id)
            )
            select 'lists' as kind, month || ' ' || time_control || ' ' || digest as digest
            from sources semi join used_lists using (time_control, month)
            union
            select 'corrections', sha256 from correction join source_file using (source_no)
            union
            select 'players', sha256 from source_file semi join known using (source_no)
            union
            select 'references', reference_list.month || ' ' || sha256
            from reference_list join source_file using (source_no)
            where reference_list.month in (select month from used_references)
            order by all
            """,
            month=str(inputs.period),
        )
    of_packages = registry.plug_ins()
    systems = sorted({rule_set.system for rule_set in inputs.rules.of(inputs.family)} & set(of_packages))
    by_kind = {
        "systems": [rule_files.stated_plug_in(of_packages[name]) for name in systems],
        "reports": sorted(inputs.reports["sha256"].unique()),
        **dict(digests.group_by("kind").agg("digest").iter_rows()),
    }
    obligatory: dict[str, list[str]] = {"lists": [], "reports": [], "players": [], "corrections": []}
    return obligatory | {kind: some for kind, some in sorted(by_kind.items()) if some}


def is_imported(store: Store, period: Period) -> bool:
    """Return whether a list of a month was imported, and is not one calculated here."""
    return bool(store.rows("select 1 from imported_list where month = $month limit 1", month=str(period)))


def withdrawal(store: Store, period: Period) -> str:
    """Return, as sentences, what withdrew a month whose newest calculation has the figures of then; else nothing."""
    history, month = store.log.history, str(period)
    rollback = history.withdrawn_months().get(month)
    if rollback is None or month not in history.newest_calculations() or month in history.standing_calculations():
        return ""
    return (
        f"The list of {month} (r{rollback['from_revision']}) was withdrawn on {rollback['rolled_back_on']}: "
        f"{rollback['reason']}. Correct what was wrong, then: ratinglist rate {month}; ratinglist publish {month}. If "
        f'it was right after all: ratinglist rollback {month} --to r{rollback["from_revision"]} --because "..."'
    )


def rule_files_since(store: Store, shown: Calculation) -> dict[str, str]:
    """Return the rule files changed since a month was calculated so: by name, a sentence with both digests."""
    before, after = shown.rule_sets, store.log.history.newest_calculations()[shown.month].rule_sets
    return {
        name: f"its values or articles are others (digest {before[name][:12]} then, {digest[:12]} now)"
        for name, digest in sorted(after.items())
        if before.get(name, digest) != digest
    }


def corrections_since(store: Store, shown: Calculation) -> pl.DataFrame:
    """Return what was corrected, or undone, since a calculation was made (:data:`~ratinglist.tables.TOUCHED`).

    What changed nothing is left out: a correction that was undone since too, with its undo; a result corrected once
    more since; a result in a report that was replaced since. Where a FIDE ID was merged several times, every FIDE ID
    that ever had its games is touched.
    """
    touched = store.read(
        """
        with recursive onward as (
            select fide_id, new_id from correction where action = 'merge'
            union
            select onward.fide_id, further.new_id
            from onward join correction as further on further.action = 'merge' and further.fide_id = onward.new_id
        ),
        since as (
            select made.correction_no, coalesce(made.undoes, made.correction_no) as decided_no
            from correction as made
            where is_corrected_since(made.correction_no, made.undoes, $shown)
        ),
        touched as (
            select since.correction_no, since.decided_no, action, event_id, round, white_id, black_id,
                correction.fide_id, new_id,
                [one for one in [
                    case when corrected_data.name is not null then 'name' end,
                    case when corrected_data.federation is not null then 'federation' end,
                    case when corrected_data.sex is not null then 'sex' end,
                    case when corrected_data.birth_year is not null then 'birth' end,
                    case when corrected_data.title is not null then 'title' end,
                    case when corrected_data.women_title is not null then 'women_title' end,
                    case when corrected_data.other_titles is not null then 'other_titles' end
                ] if one is not null] as data
            from since
            join correction on correction.correction_no = since.decided_no
            left join corrected_data on corrected_data.correction_no = since.decided_no
        ),
        without_effect as (
            select touched.decided_no
            from touched
            join correction_now as later on touched.action = 'change_result' and later.action = 'change_result'
                and later.event_id = touched.event_id and later.round = touched.round
                and later.white_id = touched.white_id and later.black_id = touched.black_id
                and later.correction_no > touched.decided_no
            union
            select corrected_game.correction_no
            from corrected_game
            join corrected_report on corrected_report.replaces_id = corrected_game.report_id
            join correction_now on correction_now.correction_no = corrected_report.correction_no
        )
        select * from touched anti join without_effect using (decided_no)
        union
        select touched.* replace (onward.new_id as new_id)
        from touched join onward on touched.action = 'merge' and onward.fide_id = touched.new_id
        """,
        shown=shown.last_correction,
    )
    return touched.select(pl.col(name).cast(dtype) for name, dtype in TOUCHED.items())


def state_shown(store: Store, shown: Calculation) -> pl.DataFrame:
    """Return the list of a calculation, with its state (``LIST_STATE``)."""
    folder = CalculationFolder.of(store.folders, shown)
    folder.check_unaltered()
    return folder.read_state()


def month_before(store: Store, period: Period) -> str:
    """Return the newest month calculated before ``period``; empty where there is none."""
    return max((month for month in store.log.history.newest_calculations() if month < str(period)), default="")


def calculated_from(store: Store, start: Period) -> set[str]:
    """Return the months from ``start`` on that were calculated here, and ``start``."""
    return {str(start), *(month for month in store.log.history.newest_calculations() if month >= str(start))}


def months_from(store: Store, start: Period) -> list[Period]:
    """Return the months calculated here from ``start`` on, oldest first."""
    return [Period.parse(month) for month in sorted(store.log.history.standing_calculations()) if month >= str(start)]


def tables_of(month: MonthResult, inputs: MonthInputs) -> dict[str, pl.DataFrame]:
    """Return the published tables of a calculated month by file stem."""
    system = system_of(inputs)
    published = PUBLISHED if system is None else SYSTEMS[system.system].published
    lists = lists_of(inputs.period, inputs.family, month.list_state, inputs.players, inputs.rules, month.system_state)
    playing = [month.games.select(pl.col("fide_id").unique()), month.entries, month.pool]
    unlisted = rating_list.unlisted_among(playing, [listed["fide_id"] for listed in lists.values()])
    tables = {name: getattr(month, name) for name in ("changes", "games", "events", "entries", "pool")}
    return {
        **{stem: published[stem].coded(table) for stem, table in tables.items()},
        "unrated": rating_list.unrated_players(unlisted, inputs.players),
        **lists,
    }


def own_state_of(month: MonthResult, inputs: MonthInputs) -> tuple[str, Table, pl.DataFrame] | None:
    """Return the state that the system of a family keeps of its own: file, table and rows; None: it keeps none."""
    rule_set = system_of(inputs)
    state = rule_set and SYSTEMS[rule_set.system].state
    return (f"{rule_set.system}.v{state.version}", state.table, month.own_state) if rule_set and state else None


def lists_of(
    period: Period,
    family: str,
    state: pl.DataFrame,
    players: pl.DataFrame,
    book: RuleBook,
    system_state: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """Return the published list of every time control that has a rule set, by file stem.

    In: ``state`` (``LIST_STATE``) of the month, ``players`` (``PLAYER``) as the list has them, ``system_state``
    (``SYSTEM_STATE``), which the list of a system other than FIDE's shows in columns of its own.
    """
    rule_sets = {
        control: book.on(family, control, period.first_day) for control in sorted(state["time_control"].unique())
    }
    return {
        control: rating_list.published_list(
            state.filter(pl.col("time_control") == control),
            players,
            period,
            rule_set,
            system_state if isinstance(rule_set, SystemRuleSet) else None,
        )
        for control, rule_set in rule_sets.items()
        if rule_set is not None
    }


def current_calculation(store: Store, period: Period) -> FiledCalculation:
    """Return the current calculation of a month.

    Raises :class:`NothingReadError` where the month was not calculated.
    """
    current = calculation(store, period)
    if current is None and is_imported(store, period):
        raise NothingReadError(
            f"The list of {period} was imported, not calculated here: no report was rated for it, and it is not "
            "published. The lists calculated here: ratinglist status"
        )
    if current is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    return current
