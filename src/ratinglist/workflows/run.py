"""Load reports, rate the month and publish its list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication.drafts import publish_calculation
from ratinglist.publication.home import open_to_write
from ratinglist.summaries import RunSummary
from ratinglist.workflows.load import load_reports
from ratinglist.workflows.rate import calculate, check_can_be_calculated


def run(
    settings: Settings,
    period: Period,
    paths: Sequence[Path] = (),
    received_on: date | None = None,
    because: Mapping[str, str] | None = None,
) -> RunSummary:
    """Load what is delivered, rate the month and publish its list.

    Raises what the steps raise. Where people have to look at the list first, its preview is made, and the error states
    what was loaded and rated before it.
    """
    settings.check_month(period)
    # The store stays open from the first report to the last file, so that no other writer comes between.
    with open_to_write(settings) as store:
        # A mistyped month or family is found before its reports are received.
        check_can_be_calculated(store, settings, period)
        loaded = load_reports(store, settings, paths, received_on) if paths else None
        rated = calculate(store, settings, period)
        try:
            published = publish_calculation(
                store, settings, rated.calculation, because or {}, players=rated.players, hold=True
            )
        except CheckError as stopped:
            done = [one.text() for one in (loaded, rated.summary) if one is not None]
            raise type(stopped)("\n".join([*done, str(stopped)])) from None
        return RunSummary(loaded, rated.summary, published)
