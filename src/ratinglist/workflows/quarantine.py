"""Show what is refused, and what to do about it."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.store import calculations, quarantine
from ratinglist.store.database import open_store


def quarantined(settings: Settings, period: Period | None = None) -> list[dict[str, object]]:
    """What is refused and what to do about it: in the store as it is, or by the calculation of a month."""
    with open_store(settings.store, settings.threads) as store:
        if period is None:
            return quarantine.in_store(store)
        if calculations.calculation(store, period) is None:
            raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
        return quarantine.of_month(store, period)
