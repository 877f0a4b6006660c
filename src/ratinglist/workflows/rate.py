"""The command `ratinglist rate`: every time control of a month, from everything received by its closing date."""

from __future__ import annotations

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import MonthSummary
from ratinglist.workflows import month
from ratinglist.workflows.opening import open_to_write


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises what :func:`~ratinglist.workflows.month.judge` raises.
    """
    settings.check_month(period)
    with open_to_write(settings) as store:
        return month.rate(store, settings, month.judge(store, settings, period))
