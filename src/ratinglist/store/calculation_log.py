"""The history of calculations: which were made, which revision shows which, and the state of a list after each.

The state of a list is read from the folder of the calculation, so it does not depend on today's program.
"""

from __future__ import annotations

import json

import polars as pl

from ratinglist.period import Period
from ratinglist.store.database import Store
from ratinglist.tables import TOUCHED


def _calculation_shown(store: Store, period: Period, revision: int) -> int | None:
    """Return the number of the calculation that a revision shows; None where it was not published here."""
    return {(one.month, one.revision): one.calculation for one in store.log.history.publications}.get(
        (str(period), revision)
    )


def correction_shown(store: Store, period: Period, revision: int) -> int:
    """Return the number of the newest correction that a revision was calculated with; 0 where there was none."""
    shown = _calculation_shown(store, period, revision)
    return max((one.last_correction for one in store.log.history.calculations if one.number == shown), default=0)


def rule_files_since(store: Store, period: Period, revision: int) -> dict[str, str]:
    """Return the rule files changed since a revision was calculated: by name, a sentence with both digests."""
    shown = store.read(
        """
        select made.rule_sets as before, calculation.rule_sets as after
        from publication
        join calculation_made as made using (calculation_no)
        join calculation on calculation.month = publication.month
        where publication.month = $month and revision = $revision
        """,
        month=str(period),
        revision=revision,
    )
    before, after = (
        {one["name"]: one["sha256"] for text in shown[name] for one in json.loads(text)} for name in shown.columns
    )
    return {
        name: f"its values or articles are others (digest {before[name][:12]} then, {digest[:12]} now)"
        for name, digest in sorted(after.items())
        if before.get(name, digest) != digest
    }


def corrections_since(store: Store, period: Period, revision: int) -> pl.DataFrame:
    """Return what was corrected, or undone, since a revision was calculated (:data:`~ratinglist.tables.TOUCHED`).

    Left out is what changed nothing: a correction that was undone since too, with its undo; a result corrected once
    more since; a result in a report that was replaced since. Where a FIDE ID was merged several times, every FIDE ID
    that ever had its games is touched.
    """
    rows = store.read(
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
        shown=correction_shown(store, period, revision),
    )
    return rows.select(pl.col(name).cast(dtype) for name, dtype in TOUCHED.items())


def state_shown(store: Store, period: Period, revision: int) -> pl.DataFrame | None:
    """Return the list that a revision shows, with its state (``LIST_STATE``); None where it was not calculated here."""
    number = _calculation_shown(store, period, revision)
    return None if number is None else store.folder(period, number).read_state()


def month_before(store: Store, period: Period) -> str:
    """Return the newest month calculated before ``period``; empty where there is none."""
    found = store.read("select max(month) as month from calculation where month < $month", month=str(period)).item()
    return str(found or "")


def describe_corrections(store: Store) -> list[dict[str, object]]:
    """Return all corrections: ``correction_no``, ``action``, ``what`` (text), ``reason``, ``who``, ``reported_on``.

    ``fide_ids``: the players that the correction names, or that the one it undoes names.
    """
    return store.read(
        """
        select correction_no, action, what, reason, who, reported_on, fide_ids
        from correction_described order by correction_no
        """
    ).to_dicts()


def months_from(store: Store, start: Period) -> list[Period]:
    """Return the months calculated here from ``start`` on, oldest first."""
    return [Period.parse(month) for month in sorted(store.log.history.standing_calculations()) if month >= str(start)]
