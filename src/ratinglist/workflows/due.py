"""Which lists a scheduled run makes."""

from __future__ import annotations

from datetime import date

from ratinglist.home.location import check_home
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read


def due(settings: Settings, until: Period) -> list[Period]:
    """Return the lists to make, in order: those after the newest published or imported one, and ``until``, the last.

    Months in which the family publishes no list are left out. ``until`` is among them where it is published already
    too: to make it again changes nothing. A list that was taken back is not made again: what becomes of it is for a
    person to decide. Raises what :func:`~ratinglist.workflows.opening.open_to_read` raises: a home that does not exist
    is an error.
    """
    with open_to_read(settings) as store:
        newest = store.read(
            """
            select max(month) from (
                select month from current_revision union all select month from imported_list
            ) where month < $until
            """,
            until=str(until),
        ).item()
        taken_back = store.read("select month from withdrawn_month")
    first = Period.parse(newest) + 1 if newest else until
    months = [Period(index) for index in range(first.index, until.index)]
    published = [month for month in months if rule_book().publishes_in(settings.family, month)]
    return [month for month in published if str(month) not in set(taken_back["month"])] + [until]


def check_office(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where no list can ever be due: no such home, no such family.

    Nothing is created: a mistyped name makes no home.
    """
    check_home(settings.home)
    rule_book().of(settings.family)


def last_closed_list(settings: Settings, day: date) -> Period:
    """Return the newest list of the family whose closing date is before ``day``, or before today if that is earlier."""
    book, day = rule_book(), min(day, settings.today)
    following = Period.of(day) + 1
    is_closed = day > book.closing_dates(settings.family, following)[0]
    return book.last_list(settings.family, following if is_closed else Period.of(day))
