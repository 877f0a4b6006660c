"""Look up the dates of birth in the store, and check a text for publication against them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import polars as pl

from ratinglist.reports import (
    YOUNGEST,
    Circle,
    KnownBirths,
    birth_date_problem,
    dates_in,
    full_dates,
    was_born,
    years_before,
)
from ratinglist.store.database import Store

EVER_KNOWN = """
    select fide_id, birth_date from player where birth_date is not null
    union all
    select fide_id, birth_date from registered_person where birth_date is not null
    union all
    select fide_id, birth_date from report_player where birth_date is not null
"""
"""Every date of birth that the store has of a player, dates that were corrected since included."""

_DAY_AND_YEAR = 3
"""Fewest digits of a date whose month is a word."""
_SPACED = 5
"""Fewest numbers of a date with blanks between its digits."""


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
    that day were born at least :data:`~ratinglist.reports.YOUNGEST` years before: a later date is a day of play.
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


def reports_with(store: Store, texts: pl.DataFrame, players: pl.DataFrame | None = None) -> pl.Series:
    """Return the ``report_id`` of the reports of which a text has a date of birth that the office knows.

    In: ``texts``: ``report_id``, ``text`` and ``start_date``; ``players``: ``report_id``, ``fide_id`` and
    ``birth_date`` of the players of these reports; default: those in the store.
    """
    texts = texts.filter(_has_old_numbers())
    days = texts.join(dates_in(texts["text"]), on="text").filter(
        (pl.col("circle") <= Circle.EVENT) & was_born(pl.col("day"), pl.col("start_date"))
    )
    # Hardly a name has a date, and a lookup reads every player.
    if days.is_empty():
        return pl.Series("report_id", [], dtype=pl.String)
    days = days.select("report_id", "day", "circle")
    with store.seeing(days_of_texts=days):
        if players is None:
            players = store.read(
                "select report_id, fide_id, birth_date from report_player join report using (report_no) "
                "semi join days_of_texts using (report_id)"
            )
        else:
            players = players.select(pl.col("report_id").cast(pl.String), "fide_id", "birth_date")
        with store.seeing(players_of_texts=players):
            found = store.read(
                f"""
                with days as (select * from days_of_texts),
                known as ({EVER_KNOWN})
                select report_id from days where circle = $any and day in (select birth_date from known)
                union
                select report_id from days join players_of_texts as own using (report_id)
                where day = own.birth_date
                union
                select report_id from days join players_of_texts as own using (report_id)
                join known using (fide_id) where day = known.birth_date
                order by report_id
                """,  # noqa: S608 - our own text
                any=int(Circle.ANY),
            )
    return found["report_id"]


def without_dates(store: Store, reports: pl.DataFrame) -> pl.DataFrame:
    """Return ``reports`` with an empty ``name`` where it has a date of birth that the office knows.

    In: ``report_id``, ``name``, ``start_date``, and any other column.
    """
    has_date = reports_with(store, reports.select("report_id", "start_date", text="name"))
    is_free = ~pl.col("report_id").is_in(has_date.implode())
    return reports.with_columns(pl.when(is_free).then("name").otherwise(pl.lit("")).alias("name"))


def _has_old_numbers() -> pl.Expr:
    """Return whether a text has the digits of a date that is not of the years of its event: most names have none."""
    text, year, short = pl.col("text"), pl.col("start_date").dt.year(), r"\b[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{1,2}\b"
    numbers = text.str.extract_all("[0-9]+")
    years = pl.concat_list((year + after).cast(pl.String) for after in range(1 - YOUNGEST, 2))
    digits = numbers.list.set_difference(years).list.join("").str.len_chars()
    may_be = (digits >= _DAY_AND_YEAR) | (numbers.list.len() >= _SPACED) | text.str.contains(short)
    return may_be.fill_null(value=True)


def of_players(store: Store, fide_ids: pl.Series) -> pl.DataFrame:
    """Return ``fide_id`` and ``birth_date``: every date of birth ever known of these players."""
    return store.read(
        f"select distinct * from ({EVER_KNOWN}) where fide_id in (select unnest($ids)) order by all",  # noqa: S608 - our own text
        ids=fide_ids.to_list(),
    )


def _ever_known(store: Store, days: Collection[date], fide_ids: Collection[int]) -> set[date]:
    """Return the dates of birth that are one of ``days`` or of one of the players, those corrected since included."""
    rows = store.read(
        f"""
        select distinct birth_date from ({EVER_KNOWN})
        where birth_date in (select unnest($days::date[])) or fide_id in (select unnest($ids::bigint[]))
        """,  # noqa: S608 - our own text
        days=sorted(days),
        ids=sorted(fide_ids),
    )
    return set(rows["birth_date"])
