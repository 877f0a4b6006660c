"""The players' data as the office knew them while a list was the newest one."""

from __future__ import annotations

import polars as pl

from ratinglist import tables
from ratinglist.period import Period
from ratinglist.store.database import Store

_PLAYERS_OF = """
    with later as (
        select min(calculation_no) as first_no
        from calculation_made where month > $month
    ),
    seen as (
        select last_source from calculation_made, later where month = $month and calculation_no < first_no
        union all
        select last_source from publication, later where month = $month and calculations < first_no
    ),
    newest as (
        select max(last_source) as last_source from seen
    ),
    reached as (
        select new_id as fide_id from counting_correction where new_id is not null
        union
        select fide_id from report_player join report using (report_no) semi join (
            select report_id from corrected_report semi join counting_correction using (correction_no)
            where replaces_id is not null
        ) as brought using (report_id)
    ),
    allowed as not materialized (
        select player.*, newest.last_source is null or source_no <= newest.last_source as in_time
        from player_version as player, newest
        where newest.last_source is null or source_no <= newest.last_source or fide_id in (from reached)
    )
    -- Nearly all players have one version: only the rows of the others are sorted.
    select * from allowed anti join player_changed using (fide_id)
    union all
    select * from allowed semi join player_changed using (fide_id)
    qualify row_number() over (
        partition by fide_id order by in_time desc, case when in_time then source_no else -source_no end desc
    ) = 1
"""


def players_of(store: Store, period: Period) -> pl.DataFrame:
    """Return all players as the list of a month knows them (``PLAYER``): the data known while it was the newest list.

    From the first calculation of a later list on, only corrections change the players of this one: a title of May is
    not on the list of March, and an event that waited for a registration stays with the list that rated it. A player
    named by a correction, or by a report that came with one, is known to every list, with the data of their first
    registration. Merged FIDE IDs are included.
    """
    rows = store.read(_PLAYERS_OF, month=str(period))
    return tables.PLAYER.conform(rows)
