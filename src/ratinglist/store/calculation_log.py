"""The history of calculations: which were made, which revision shows which, and the state of a list after each.

The state of a list is read from the folder of the calculation, so it does not depend on today's program.
"""

from __future__ import annotations

import json
from datetime import date

import polars as pl

from ratinglist.period import Period
from ratinglist.schemas import TOUCHED
from ratinglist.store.database import Store


def newest_calculation(store: Store, period: Period, made_by: date | None = None) -> int | None:
    """Return the number of a month's newest calculation, or of the newest one up to a day; None where there is none."""
    found = store.read(
        "select max(calculation_no) as n from calculation_made "
        "where month = $month and ($day is null or made_on <= $day)",
        month=str(period),
        day=made_by,
    ).item()
    return None if found is None else int(found)


def family_of(store: Store, calculation_no: int) -> str:
    """Return the rule family of a calculation."""
    return str(store.read("select family from calculation_made where calculation_no = $n", n=calculation_no).item())


def state_after(store: Store, period: Period, calculation_no: int) -> pl.DataFrame:
    """Return a month's list after one of its calculations (``LIST_STATE``)."""
    return store.folder(period, calculation_no).read_state()


def last_facts(store: Store) -> tuple[int, int]:
    """Return the numbers of the newest import and of the newest correction; 0 where there is none."""
    source = store.read("select coalesce(max(source_no), 0) as n from source_file").item()
    return int(source), last_correction(store)


def last_correction(store: Store) -> int:
    """Return the number of the newest correction; 0 where there is none."""
    return int(store.read("select coalesce(max(correction_no), 0) as n from correction").item())


def correction_shown(store: Store, period: Period, revision: int) -> int:
    """Return the number of the newest correction that a revision was calculated with; 0 where there was none."""
    found = store.read(
        """
        select last_correction from publication join calculation_made using (calculation_no)
        where publication.month = $month and revision = $revision
        """,
        month=str(period),
        revision=revision,
    )
    return int(found.item()) if len(found) else 0


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
    """Return what was corrected, or undone, since a revision was calculated (:data:`~ratinglist.schemas.TOUCHED`).

    Where a FIDE ID was merged several times, every FIDE ID that ever had its games is touched.
    """
    rows = store.read(
        """
        with recursive onward as (
            select fide_id, new_id from correction where action = 'merge'
            union
            select onward.fide_id, further.new_id
            from onward join correction as further on further.action = 'merge' and further.fide_id = onward.new_id
        ),
        touched as (
            select made.correction_no,
                coalesce(undone.event_id, made.event_id) as event_id,
                coalesce(undone.fide_id, made.fide_id) as fide_id,
                coalesce(undone.new_id, made.new_id) as new_id
            from correction as made left join correction as undone on undone.correction_no = made.undoes
            where made.correction_no > $shown
        )
        select * from touched
        union
        select touched.* replace (onward.new_id as new_id) from touched join onward on onward.fide_id = touched.new_id
        """,
        shown=correction_shown(store, period, revision),
    )
    touched = rows.select(pl.col(name).cast(dtype) for name, dtype in TOUCHED.items())
    # A correction of one player in one event touches that event, not the player's other events.
    return touched.with_columns(
        pl.when(pl.col("event_id").is_null()).then(name).alias(name) for name in ("fide_id", "new_id")
    )


def describe_corrections(store: Store) -> list[dict[str, object]]:
    """Return all corrections: ``correction_no``, ``action``, ``what`` (text), ``reason``, ``who``, ``reported_on``."""
    return store.read(
        """
        select correction_no, action, reason, who, reported_on,
            concat_ws(' ',
                action,
                event_id,
                'round ' || round,
                white_id || ' - ' || black_id,
                result,
                fide_id,
                'to ' || new_id,
                'correction ' || undoes
            ) as what
        from correction order by correction_no
        """
    ).to_dicts()


def months_from(store: Store, start: Period) -> list[Period]:
    """Return the months calculated here from ``start`` on, oldest first."""
    months = store.read("select month from standing_calculation where month >= $start order by month", start=str(start))
    return [Period.parse(month) for month in months["month"]]
