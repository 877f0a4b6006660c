"""Compare ``office.toml`` with the one used before: the choices that guard publications are not lost in silence."""

from __future__ import annotations

import hashlib
import json

from ratinglist import office
from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.home import originals
from ratinglist.period import Period
from ratinglist.publication.questions import OFFICE_SETTINGS, RaisedQuestion, newest_reason
from ratinglist.store.database import Store


def raised_question(store: Store, settings: Settings, period: Period) -> list[RaisedQuestion]:
    """Return the question on choices that guard publications less than at the newest one; none where none do.

    ``office.toml`` is missing or empty, or asks for fewer approvals.
    """
    rows = _weakened(store, settings)
    if not rows:
        return []
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    text = "Were the choices in office.toml given up, which guarded the newest publication?"
    reason = newest_reason(store.log.history, str(period), OFFICE_SETTINGS, digest)
    return [RaisedQuestion(OFFICE_SETTINGS, text, rows, len(rows), digest, reason)]


def check(store: Store, settings: Settings) -> None:
    """Raise :class:`CheckError` where they are given up, for a command that asks no questions."""
    if rows := _weakened(store, settings):
        what = "; ".join(f"{row['setting']} was {row['before']} and is {row['now']}" for row in rows)
        kept = store.home / originals.FOLDER / store.log.history.published_by
        raise CheckError(
            f"Nothing was changed: {what}. Put the file back: {kept} is the one that was used before. If that was "
            f'decided, say so with the next publication: --because {OFFICE_SETTINGS}="..."'
        )


def _weakened(store: Store, settings: Settings) -> list[dict[str, object]]:
    """Return a row for each choice that guards less than at the newest publication."""
    before, now = store.log.history.published_by, store.log.office_now()
    if not before or before == now:
        return []
    kept = originals.checked(store.home, before, f"the {office.NAME} of the newest publication")
    text = kept.read_text(encoding="utf-8")
    rows: list[dict[str, object]] = []
    if text.strip() and not now:
        rows.append({"setting": office.NAME, "before": "there", "now": "missing"})
    elif text.strip() and now == hashlib.sha256(b"").hexdigest():
        rows.append({"setting": office.NAME, "before": "there", "now": "empty"})
    approvals = office.parse(text).publication.approvals
    if approvals > settings.office.publication.approvals:
        needed = settings.office.publication.approvals
        rows.append({"setting": "approvals", "before": approvals, "now": needed})
    return rows
