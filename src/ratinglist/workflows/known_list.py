"""The newest calculation of a list: its rows, as `ratinglist list` prints them, and what it changes."""

from __future__ import annotations

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.rating import rating_list
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.inputs import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.export import members_of_club
from ratinglist.workflows.opening import open_to_read


def known_list(settings: Settings, period: Period, time_control: str, club: str | None = None) -> pl.DataFrame:
    """Return the newest calculation of a month's list.

    ``club``: the players alone who are members of this club on the first day of the list, by today's register.
    Out: :data:`~ratinglist.tables.LISTED`, without the columns that the office leaves out. Raises
    :class:`NothingReadError` where no list of that month and time control was calculated, where it was withdrawn, and
    where the club has no member.
    """
    with open_to_read(settings) as store:
        known = [one for one in store.log.history.calculations if one.month == str(period)]
        if not known and calculations.is_imported(store, period):
            raise NothingReadError(
                f"The list of {period} was imported, not calculated here: see the file it came from."
            )
        if not known:
            raise NothingReadError(f"The list of {period} was not calculated: ratinglist rate {period}")
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        state = store.folder(period, known[-1].number).read_state().filter(pl.col("time_control") == time_control)
        players = players_of(store, period)
        rule_set = rule_book().on(known[-1].facts["family"], time_control, period.first_day)
        if state.is_empty() or rule_set is None:
            raise NothingReadError(f"There is no {time_control} list of {period}.")
        rows = rating_list.published_list(state, players, period, rule_set)
        rows = rows.drop(settings.office.fields.left_out(time_control), strict=False)
        if club is None:
            return rows
        members = members_of_club(store, club, period.first_day)
        return rows.filter(pl.col("fide_id").is_in(members["any_id"].implode()))


def month_changes(settings: Settings, period: Period) -> pl.DataFrame | None:
    """Return the players whom the calculation of a month rates, enters or delists, with their names.

    Out: the columns of the published table ``changes``, ``name`` and ``federation``, the largest changes first. None
    where the month is not calculated.
    """
    with open_to_read(settings) as store:
        calculation = calculations.calculation(store, period)
        if calculation is None:
            return None
        players = players_of(store, period).select("fide_id", "name", "federation")
        changes = calculation.folder.read_table("changes")
    return changes.join(players, on="fide_id", how="left").sort(
        pl.col("change").abs(), "time_control", "fide_id", descending=[True, False, False], nulls_last=True
    )
