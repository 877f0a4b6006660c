"""Messages that a home has for its office once, after an earlier version of the program wrote it."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.store.database import Store

_FILES_NAMED = 20


def give(store: Store, settings: Settings) -> None:
    """Warn of what the table ``notice`` holds, and delete its rows."""
    if not store.finds_rows("select 1 from notice"):
        return
    settings.warn(_taken_as_standard(store))
    with store.transaction():
        store.execute("delete from notice")


def _taken_as_standard(store: Store) -> str:
    """Return the message on reports that an earlier version took as standard."""
    files = store.read(
        """
        select distinct file_name from report
        semi join (select report_id from finding where rule = 'default_time_control') as assumed using (report_id)
        order by file_name
        """
    )["file_name"].to_list()
    more = f" and {len(files) - _FILES_NAMED:,} more" if len(files) > _FILES_NAMED else ""
    reports = "1 report states" if len(files) == 1 else f"{len(files):,} reports state"
    return (
        f"{reports} no time control that is understood, and an earlier version took each as standard: "
        f"{', '.join(files[:_FILES_NAMED])}{more}. Published lists stay as they are; no later list takes such a report "
        "until manifest.csv or office.toml states its time control and it is loaded again. If a published list rated a "
        "rapid or blitz event as standard, withdraw the event (ratinglist correct withdraw) and load it again."
    )
