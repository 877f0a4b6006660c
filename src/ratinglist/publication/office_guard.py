"""Choices of the office that guard publications are not lost in silence: ``office.toml`` against those used before."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist import office
from ratinglist.errors import CheckError
from ratinglist.home import originals
from ratinglist.home.log import Log
from ratinglist.settings import Settings
from ratinglist.store.database import Store

OFFICE_SETTINGS = "office_settings"
"""The question that they raise."""


def weakened_frame(log: Log, settings: Settings) -> pl.DataFrame:
    """Return :func:`weakened` as texts: ``setting``, ``before``, ``now``."""
    rows = [{name: str(value) for name, value in row.items()} for row in weakened(log, settings)]
    return pl.DataFrame(rows, schema=dict.fromkeys(("setting", "before", "now"), pl.String))


def check_office_kept(store: Store, settings: Settings) -> None:
    """Raise :class:`CheckError` where they are given up, for a command that asks no questions."""
    if rows := weakened(store.log, settings):
        raise CheckError(
            f"Nothing was changed: {weakened_text(rows)}. Put the file back: {office_kept(store.log)} is the one that "
            f'was used before. If that was decided, say so with the next publication: --because {OFFICE_SETTINGS}="..."'
        )


def weakened_text(rows: list[dict[str, object]]) -> str:
    """Return what :func:`weakened` found, as a sentence without its full stop."""
    return "; ".join(f"{row['setting']} was {row['before']} and is {row['now']}" for row in rows)


def office_kept(log: Log) -> Path:
    """Return where the newest version of ``office.toml`` is that was used and is not the one that is there."""
    digest = next((one for one in reversed(log.history.offices) if one != log.office_now()), log.history.office)
    return log.home / originals.FOLDER / digest


def weakened(log: Log, settings: Settings) -> list[dict[str, object]]:
    """Return a row for each choice that guards less than at the newest publication, or in a command since.

    ``office.toml`` is missing or empty, asks for fewer approvals, does not name who may approve or the signing key any
    more, names another approver or another key of one, has another name of the office, or publishes a column that was
    left out. Raises
    :class:`~ratinglist.errors.AlteredError` where a version that was used is not among the originals.
    """
    now = log.office_now()
    texts = [
        originals.checked(log.home, one, f"an {office.NAME} that was used").read_text(encoding="utf-8")
        for one in log.history.offices
        if one != now
    ]
    used = [office.parse(text) for text in texts if text.strip()]
    if not used:
        return []
    rows: list[dict[str, object]] = []
    file = log.home / originals.FOLDER / now if log.is_replaying else settings.home / office.NAME
    text = file.read_text(encoding="utf-8") if now else ""
    if not text.strip():
        rows.append({"setting": office.NAME, "before": "there", "now": "empty" if now else "missing"})
    approvals, needed = max(one.publication.approvals for one in used), settings.office.publication.approvals
    if approvals > needed:
        rows.append({"setting": "approvals", "before": approvals, "now": needed})
    if any(one.approvers for one in used) and not settings.office.approvers:
        rows.append({"setting": "approvers", "before": "named", "now": "anybody"})
    # Of the text: in a rebuild the settings have no keys.
    rows += _of_approvers(used, office.parse(text).approvers)
    if any(one.publication.signing_key for one in used) and not settings.office.publication.signing_key:
        rows.append({"setting": "signing_key", "before": "named", "now": "none: nothing is signed"})
    shown = settings.office.name
    names = sorted({one.name for one in used} - {"", shown})
    rows += [{"setting": "name", "before": name, "now": shown} for name in names]
    left_out = {(table, column) for one in used for table, columns in one.fields.without.items() for column in columns}
    still = {(table, column) for table, columns in settings.office.fields.without.items() for column in columns}
    rows += [
        {"setting": f"fields.without {table}", "before": f"without {column}", "now": "published"}
        for table, column in sorted(left_out - still)
    ]
    return rows


def _of_approvers(used: list[office.Office], now: tuple[office.Approver, ...]) -> list[dict[str, object]]:
    """Return a row for each person who may approve now and could not before, or without the key of before."""
    named = [who for one in used for who in one.approvers]
    rows: list[dict[str, object]] = []
    for who in now if named else ():
        keys = {one.key for one in named if office.spelling(one.name) == office.spelling(who.name)}
        if not keys:
            rows.append({"setting": f"approver {who.name}", "before": "not named", "now": "named"})
        elif any(keys) and who.key not in keys:
            rows.append({"setting": f"key of {who.name}", "before": "named", "now": "another" if who.key else "none"})
    return rows
