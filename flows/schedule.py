"""When the flow of the month runs, and which lists it makes."""

from __future__ import annotations

from prefect.runtime import flow_run

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import scheduled
from ratinglist.workflows.opening import family_of_home

SCHEDULE = "0 20 L * *"
"""20:00 UTC on the last day of every month: after the closing date (three days before the list takes effect) and on the
last day an official event may finish (7.1.3), before the list takes effect. ``L`` is the last day of any month."""


def settings_of(home: str | None, rules: str | None) -> Settings:
    """Return the settings of an office. ``rules``: its family; None: that of its newest list."""
    return Settings.read(home=home, family=rules, family_of=family_of_home)


def lists_due(settings: Settings, month: str | None) -> list[Period]:
    """Return the lists to make, in order: those that were missed, and that of ``month``, by default the one due.

    Raises :class:`CommandLineError` for a list that cannot be made yet.
    """
    period = Period.parse(month) if month else list_due(settings)
    # Before the lists that were missed: no answer lifts it.
    settings.check_month(period)
    return scheduled.due(settings, period)


def list_due(settings: Settings) -> Period:
    """Return the list that this run makes where no month is given: that of the day on which the run was due.

    A run delayed past midnight still calculates the list it was scheduled for, not the one a month later; one that is
    started by hand early in a month makes that month's list, if it is missing, and no list early.
    """
    return scheduled.last_closed_list(settings, flow_run.scheduled_start_time.date())


def run_name() -> str:
    """Return the name of a run on the dashboard: the flow and the month of its list."""
    parameters = flow_run.parameters
    try:
        period = parameters.get("month") or list_due(settings_of(parameters.get("home"), parameters.get("rules")))
    except CommandLineError:
        # The run itself ends with this error.
        period = "unknown month"
    return f"monthly {period}"
