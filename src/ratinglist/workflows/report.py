"""The charts of a calculated month, for the page of a flow."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.pages.markdown import as_markdown, embedded
from ratinglist.period import Period
from ratinglist.publication import checks
from ratinglist.publication.checked_month import current_calculation
from ratinglist.publication.report_document import charts_document
from ratinglist.store import player_history
from ratinglist.workflows.opening import open_to_read


def charts_as_markdown(settings: Settings, period: Period) -> str:
    """Return the charts of a calculated month as Markdown with the pictures in it.

    Raises :class:`~ratinglist.errors.NothingReadError` where the month was not calculated.
    """
    with open_to_read(settings) as store:
        calculation = current_calculation(store, period)
        before = checks.lists_before(store, period, player_history.players_of(store, period))
        return as_markdown(charts_document(period, calculation.folder.read_tables(), before), embedded)
