"""The command `ratinglist event`: the status of the reports of an event."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.analysis.pending import pending_corrections_of_event
from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.store import dismissals
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import named
from ratinglist.workflows.opening import open_to_read


def pending_corrections(settings: Settings, event_id: str) -> list[str]:
    """Return what an officer must know of an event besides its status, as sentences.

    These are the reports that were set aside, and the corrections that no list was calculated with yet, each with the
    command.
    """
    with open_to_read(settings) as store:
        return [*dismissals.notes_of_event(store, event_id), *pending_corrections_of_event(store, event_id)]


def event_code(settings: Settings, text: str) -> str:
    """Return the code of the event named (:func:`~ratinglist.workflows.named.event_named`)."""
    with open_to_read(settings) as store:
        return named.event_named(store, text)


def report_statuses(settings: Settings, event_id: str) -> pl.DataFrame:
    """Return the status of the reports of an event (see :func:`~ratinglist.analysis.event_status.statuses`).

    Raises :class:`NothingReadError` where no report was received.
    """
    with open_to_read(settings) as store:
        rows = event_status.statuses(store, rule_book(), settings.family, event_id)
    if rows.is_empty():
        raise NothingReadError(f"No report of an event '{event_id}' was received: check the code, or load its report.")
    return rows.drop("report_id")
