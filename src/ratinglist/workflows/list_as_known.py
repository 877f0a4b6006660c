"""The command `ratinglist list`: a list as it is known now, or as it was known on an earlier day."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.rating import rating_list
from ratinglist.store import calculations, player_history
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.export import members_of_club
from ratinglist.workflows.opening import open_to_read


def known_list(
    settings: Settings, period: Period, time_control: str, as_known_on: date | None, club: str | None = None
) -> pl.DataFrame:
    """Return a month's list as it was known at the end of a day, or as it is known now.

    ``club``: the players alone who are members of this club on the first day of the list, by today's register.
    Out: :data:`~ratinglist.schemas.LISTED`. Raises :class:`NothingReadError` where no list of that month and time
    control had been calculated by then, where it was withdrawn by then, and where the club has no member;
    :class:`CommandLineError` for a day to come.
    """
    if as_known_on is not None and as_known_on > settings.today:
        raise CommandLineError(
            f"--as-known-on {as_known_on} is after today ({settings.today}): nobody knows the list of that day. Leave "
            "the option out for the list as it is known now."
        )
    with open_to_read(settings) as store:
        made = [one for one in store.log.history.calculations if one.month == str(period)]
        known = [one for one in made if as_known_on is None or one.made_on <= as_known_on]
        if not known and calculations.is_imported(store, period):
            raise NothingReadError(
                f"The list of {period} was imported, not calculated here: see the file it came from."
            )
        if not known and as_known_on is not None:
            first = min((one.made_on for one in made), default=None)
            since = f"it was first calculated on {first}" if first else "it was not calculated yet"
            raise NothingReadError(f"The list of {period} was not calculated by {as_known_on}: {since}.")
        if not known:
            raise NothingReadError(f"The list of {period} was not calculated: ratinglist rate {period}")
        withdrawn = calculations.withdrawal(store, period)
        if withdrawn is not None and (as_known_on is None or str(as_known_on) >= withdrawn.withdrawn_on):
            raise NothingReadError(f"{withdrawn.text()} The list as it was before that: --as-known-on YYYY-MM-DD")
        state = store.folder(period, known[-1].number).read_state().filter(pl.col("time_control") == time_control)
        players = player_history.players_of(store, period, as_known_on)
        rule_set = rule_book().on(known[-1].facts["family"], time_control, period.first_day)
        if state.is_empty() or rule_set is None:
            raise NothingReadError(f"There is no {time_control} list of {period}.")
        rows = rating_list.published_list(state, players, period, rule_set)
        if club is None:
            return rows
        members = members_of_club(store, club, period.first_day)
        return rows.filter(pl.col("fide_id").is_in(members["any_id"].implode()))
