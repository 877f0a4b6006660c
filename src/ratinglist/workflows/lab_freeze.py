"""The command `ratinglist lab freeze`: copy the inputs of a range of months, so that a study needs no store."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.private_files import make_private_folder
from ratinglist.store.frozen_months import FOLDER
from ratinglist.store.laboratory_lock import held_laboratory
from ratinglist.store.month_freezing import freeze as freeze_months
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read


@dataclass(frozen=True, slots=True)
class FreezeSummary:
    """The months that were frozen: ``digest`` names them in the other commands."""

    digest: str
    folder: str
    first: str
    last: str
    family: str
    reports: int
    official_lists: int

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary on a few lines."""
        return "\n".join(
            [
                f"Frozen {self.first} to {self.last} as {self.digest}: {self.reports:,} reports, family {self.family}",
                f"  {self.folder}",
                f"  lists of the office to compare with: {self.official_lists}",
                f"  next: ratinglist lab replay --systems {','.join(dict.fromkeys([self.family, 'club', 'glicko']))}",
            ]
        )


def freeze(settings: Settings, first: Period, last: Period) -> FreezeSummary:
    """Freeze the inputs of the lists from ``first`` to ``last``; nothing in the store is changed.

    Raises :class:`CommandLineError` where the months are in the wrong order, :class:`NothingReadError` where there is
    no list before the first, or no report for these months, and :class:`~ratinglist.errors.StoreInUseError` while
    another laboratory command runs.
    """
    if first > last:
        raise CommandLineError(f"--from {first} is after --to {last}.")
    settings.check_month(last)
    book = rule_book()
    book.of(settings.family)
    with ExitStack() as stack:
        store = stack.enter_context(open_to_read(settings))
        make_private_folder(settings.home / FOLDER)
        stack.enter_context(held_laboratory(settings.home, writes=True))
        frozen = freeze_months(
            store,
            settings.home,
            (first, last),
            settings.family,
            book,
            settings.office.corrections.continue_from,
            settings.progress,
        )
    reports = frozen.table("reports").height
    if not reports:
        raise NothingReadError(f"No report is there for the lists of {first} to {last}: there is nothing to replay.")
    there = [month for month in frozen.months if frozen.official(month, "standard") is not None]
    return FreezeSummary(frozen.digest, str(frozen.folder), str(first), str(last), frozen.family, reports, len(there))
