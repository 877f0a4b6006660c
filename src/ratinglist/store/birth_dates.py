"""Look up the dates of birth in the store, and check a text for publication against them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from ratinglist.reports import YOUNGEST, KnownBirths, birth_date_problem, full_dates, years_before
from ratinglist.store.database import Store


def text_problem(
    store: Store,
    text: str,
    today: date,
    *,
    played: date | None = None,
    named: Collection[int] = (),
    also: Collection[date] = (),
) -> str:
    """Return why ``text`` may not be published because of a date of birth; empty where it may be.

    ``played``: the day of the list or the event that the text is about; ``today`` where it is about neither. Players of
    that day were born at least :data:`~ratinglist.reports.YOUNGEST` years before, so a later date is a day of play.
    ``named``: FIDE IDs of the players that the text is about; ``also``: dates of birth that come with it.
    """
    # Most texts have no date, and a lookup reads every player.
    if not full_dates(text):
        return ""
    births = KnownBirths(
        of_players=lambda days: _ever_known(store, days, ()),
        is_player=lambda number: store.finds_rows("select 1 from player where fide_id = $n limit 1", n=number),
        last=years_before(min(today, played or today), YOUNGEST),
        named={*(_ever_known(store, (), named) if named else ()), *also},
    )
    return birth_date_problem(text, births, today)


def _ever_known(store: Store, days: Collection[date], fide_ids: Collection[int]) -> set[date]:
    """Return the dates of birth that are one of ``days`` or of one of the players, those corrected since included."""
    rows = store.read(
        """
        select distinct birth_date from (
            select fide_id, birth_date from player
            union all
            select fide_id, birth_date from registered_person
            union all
            select fide_id, birth_date from report_player
        )
        where birth_date in (select unnest($days::date[]))
            or (birth_date is not null and fide_id in (select unnest($ids::bigint[])))
        """,
        days=sorted(days),
        ids=sorted(fide_ids),
    )
    return set(rows["birth_date"])
