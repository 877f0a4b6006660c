"""The command `ratinglist event`: the status of the reports of an event."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.errors import NothingReadError
from ratinglist.reasons import GAME_REASONS, finding_line
from ratinglist.settings import Settings
from ratinglist.store import quarantine
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import named
from ratinglist.workflows.load import rivals
from ratinglist.workflows.opening import open_to_read

_FINDINGS_SHOWN = 5


def notes(settings: Settings, event_id: str) -> list[str]:
    """Return what an officer must know of an event besides its status, as sentences.

    These are the first findings that keep its reports out of every list, how two reports of its newest version differ,
    the lists that rated it and count none of its results, the reports that were set aside, and the corrections that no
    list was calculated with yet, each with the command.
    """
    with open_to_read(settings) as store:
        reports = store.read("select report_id, version from report where event_id = $code", code=event_id)
        newest = reports.filter(pl.col("version") == pl.col("version").max())
        return [
            *map(finding_line, quarantine.of_reports(store, reports["report_id"])[:_FINDINGS_SHOWN]),
            *rivals(store, newest["report_id"]),
            *_without_results(store, event_id),
            *quarantine.dismissals_of_event(store, event_id),
            *event_status.pending_corrections_of_event(store, event_id),
        ]


def _without_results(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each list that rated the event and counts none of its results, with the main reason."""
    rows = store.read(
        """
        with rated as (
            select event.month, event.event_id
            from event join report using (report_id)
            where report.event_id = $code and event.status = 'rated'
        ),
        counted as (
            select month, event_id, reason, count(*) as results
            from game semi join rated using (month, event_id)
            group by all
        )
        select month, sum(results)::bigint as results, arg_max(reason, results) as reason
        from counted
        group by month, event_id
        having count(*) filter (reason in ('', 'counts_for_entry', 'counts_for_promotion')) = 0
        order by all
        """,
        code=event_id,
    )
    return [
        f"the list of {month} counts none of its {results:,} results; the reason of most: "
        f"{GAME_REASONS[reason].sentence}"
        for month, results, reason in rows.iter_rows()
    ]


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
