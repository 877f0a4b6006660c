"""Find the first list that a correction can change."""

from __future__ import annotations

from collections.abc import Mapping

from ratinglist.store.database import Store


def first_month_of(store: Store, row: Mapping[str, object]) -> str:
    """Return the first calculated list that a correction can change; empty where there is none.

    A correction of an event can change lists from the one that first judged the event; a correction of a player, lists
    from the first with a game or a row of the player. A merge moves what was received under the first FIDE ID alone.
    """
    if row["undoes"] is not None:
        row = store.read("select * from correction where correction_no = $no", no=row["undoes"]).to_dicts()[0]
        if row["first_month"]:
            # Not searched again: a list calculated since has no row of a FIDE ID that was merged into another.
            return str(row["first_month"])
    if row["event_id"] is not None:
        query = """
            select min(event.month) as month from event join report using (report_id)
            where report.event_id = $code and (event.status <> 'deferred' or $moves)
        """
        # With other dates, or another time control, the event may count on the list that left it to the next.
        found = store.read(query, code=row["event_id"], moves=row["action"] == "change_report").item()
    else:
        query = """
            select min(month) as month from (
                select game.month from game where fide_id = $id or opponent_id = $id
                union all
                select calculation.month from standing_calculation as calculation semi join (
                    select month from list_state where fide_id = $id
                ) as listed using (month)
            )
        """
        found = store.read(query, id=row["fide_id"]).item()
    return str(found or "")
