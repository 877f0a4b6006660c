"""Lists that were withdrawn: which figures may not be published again."""

from __future__ import annotations

from dataclasses import dataclass

from ratinglist.period import Period
from ratinglist.store.database import Store


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The rollback that withdrew a month. ``withdrawn_on``: the day, ``YYYY-MM-DD``."""

    month: str
    revision: int
    withdrawn_on: str
    reason: str

    def text(self) -> str:
        """Return what happened and what can be done, as sentences."""
        return (
            f"The list of {self.month} (r{self.revision}) was withdrawn on {self.withdrawn_on}: {self.reason}. Correct "
            f"what was wrong, then: ratinglist rate {self.month}; ratinglist publish {self.month}. If it was right "
            f'after all: ratinglist rollback {self.month} --to r{self.revision} --because "..."'
        )


def withdrawal(store: Store, period: Period) -> Withdrawal | None:
    """Return the withdrawal of a month whose newest calculation has the figures that were withdrawn; else None."""
    rows = store.rows(
        """
        select month, revision, rolled_back_on::varchar, reason
        from withdrawn_month semi join calculation using (month) anti join standing_calculation using (month)
        where month = $month
        """,
        month=str(period),
    )
    return Withdrawal(*rows[0]) if rows else None
