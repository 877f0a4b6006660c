"""The command `ratinglist log`: what was done in this office, by whom, in the officer's words."""

from __future__ import annotations

from datetime import date

from ratinglist.errors import NothingReadError
from ratinglist.home.history import described
from ratinglist.home.log import Log
from ratinglist.settings import LOG, Settings
from ratinglist.text import text_table
from ratinglist.workflows.opening import FIRST


def changes(settings: Settings, since: date | None = None) -> list[dict[str, object]]:
    """Return a row for each change, oldest first: ``entry``, ``day``, ``by``, ``what``, ``retracted_by``.

    ``since``: only those of that day and later. ``retracted_by``: the number of the change that undid it; None where
    none did. Raises :class:`NothingReadError` where there is no home, :class:`~ratinglist.errors.HomeError` where the
    log is damaged.
    """
    log = Log.open(settings.home)
    if not log.entries:
        raise NothingReadError(f"{settings.home / LOG} has no entry: nothing was done in this home yet. {FIRST}")
    undone = {entry.facts["entry_retracted"]: entry.number for entry in log.entries if entry.kind == "retract"}
    return [
        {
            "entry": entry.number,
            "day": str(entry.day),
            "by": entry.by,
            "what": described(entry),
            "retracted_by": undone.get(entry.number),
        }
        for entry in log.entries
        if since is None or entry.day >= since
    ]


def text(rows: list[dict[str, object]]) -> str:
    """Return the rows as a table; a change that was undone says so."""
    if not rows:
        return "Nothing was done since that day."
    cells = [
        [
            str(row["entry"]),
            str(row["day"]),
            str(row["by"]),
            f"{row['what']}" + (f" (undone by {row['retracted_by']})" if row["retracted_by"] else ""),
        ]
        for row in rows
    ]
    return "\n".join(text_table(("entry", "day", "by", "what was done"), cells, (True, False, False, False)))
