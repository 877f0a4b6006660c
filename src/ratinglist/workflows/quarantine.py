"""The command `ratinglist quarantine`: what was refused, and what to do about it."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication.home import open_to_read
from ratinglist.store import calculations, quarantine


def quarantined(settings: Settings, period: Period | None = None) -> list[dict[str, object]]:
    """Return what was refused and the remedies: of the whole store, or of the calculation of a month.

    Raises :class:`NothingReadError` where the month was not calculated.
    """
    with open_to_read(settings) as store:
        if period is None:
            return quarantine.in_store(store)
        if calculations.calculation(store, period) is None:
            raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
        return quarantine.of_month(store, period)
