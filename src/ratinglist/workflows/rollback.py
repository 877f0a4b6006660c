"""Roll a published list back: make an earlier revision current again, or withdraw the month, and publish the reason.

Nothing is calculated and no revision is deleted. One commit decides it; then ``rollbacks.csv`` and ``latest`` move to
their places (:mod:`ratinglist.publication.intentions`). A command that was killed may be given again: a rollback whose
result is still current is not made twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import Period
from ratinglist.publication import (
    intentions,
    manifest,
    placement,
    published_tables,
    release,
    revisions,
    rollback_log,
    written_text,
)
from ratinglist.publication.home import open_to_write
from ratinglist.publication.intentions import Intention
from ratinglist.publication.placement import Placement, draft_path, month_path
from ratinglist.publication.regular_file import read_beginning
from ratinglist.publication.revision_batch import write_both_numbers
from ratinglist.publication.rollback_log import WITHDRAWN
from ratinglist.publication.verify import verify
from ratinglist.schemas import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.store import journal, published_revisions
from ratinglist.store.database import Store
from ratinglist.store.published_revisions import REVISION_NAME
from ratinglist.workflows.rollback_summary import RollbackSummary

_NUMBERS = f"{BOTH_NUMBERS.name}.parquet"


def rollback(settings: Settings, period: Period, because: str, by: str = "", to: str | None = None) -> RollbackSummary:
    """Make the revision before the current one current again, or the one named by ``to`` (``r1``).

    Where there is none before it, the month is withdrawn: it has no current list until a list of it is published again,
    or a revision is made current by ``to``.

    ``because``: the reason, which is published. The revision before is the newest older one that was not rolled back
    itself. A rollback that was made before, with the same reason and person, and whose result is still current, is not
    made again. Raises :class:`NothingReadError` where the month has no current list and ``to`` is not given,
    :class:`CommandLineError` where there is no such revision or no reason, :class:`CheckError` where the revision is
    not whole; then nothing is changed.
    """
    with open_to_write(settings, taken_back=period) as store:
        month = settings.published / str(period)
        current = revisions.latest(settings.published, period)
        withdrawn = rollback_log.withdrawal(month) if current is None else None
        if current is None and withdrawn is None:
            raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.")
        what = "the reason; the readers of the list will see it"
        reason = written_text.checked(store, settings, period, because, "--because", what)
        person = written_text.checked(store, settings, period, by, "--by")
        number = revisions.number_of(current) if current else WITHDRAWN
        if (made := _made_before(store, period, number, reason, person, to)) is not None:
            return _summary(store, settings, made, already=True)
        if current is None and withdrawn is not None and to is None:
            raise NothingReadError(
                f"The list of {period} was withdrawn on {withdrawn.since} ({withdrawn.reason}): there is nothing to "
                f"take back. To make a revision current again: ratinglist rollback {period} --to r{withdrawn.revision}"
            )
        target = _target(month, number, to)
        row = {
            "month": str(period),
            "from_revision": number,
            "to_revision": revisions.number_of(target) if target else WITHDRAWN,
            "from_digest": _digest_in_manifest(current) if current else "",
            "to_digest": _digest_of_whole(target) if target else "",
            "reason": reason,
            "who": person,
            "rolled_back_on": settings.today,
        }
        _decide(store, settings, period, row)
        return _summary(store, settings, row, already=False)


def _target(month: Path, current: int, to: str | None) -> Path | None:
    """Return the revision that becomes current, None where the month is withdrawn.

    Raises :class:`CommandLineError` where there is no revision ``to``.
    """
    if to is None:
        return _revision_before(month, current)
    target = month / to
    if not REVISION_NAME.fullmatch(to) or not target.is_dir():
        raise CommandLineError(f"--to {to}: the list of {month.name} has no such revision. Name one such as r1.")
    if revisions.number_of(target) == current:
        raise CommandLineError(f"{to} is the current revision of {month.name} already: nothing was changed.")
    return target


def _decide(store: Store, settings: Settings, period: Period, row: dict[str, Any]) -> None:
    """Write the drafts of what readers see of a rollback, commit it and put them in their places."""
    drafts, target = settings.drafts, row["to_revision"]
    number = int(store.read("select coalesce(max(rollback_no), 0) + 1 as n from rolled_back").item())
    before = ROLLED_BACK.conform(store.read("select * from rolled_back where month = $month", month=str(period)))
    new = ROLLED_BACK.conform(pl.DataFrame([{"rollback_no": number, **row}]))
    content = [month_path(period, rollback_log.NAME)]
    rollback_log.write(draft_path(drafts, content[0]), pl.concat([before, new]))
    has_numbers = (settings.published / str(period) / _NUMBERS).exists()
    if has_numbers and target != WITHDRAWN:
        shown = revisions.read_tables(settings.published / str(period) / f"r{target}")
        content.append(write_both_numbers(settings, period, shown))
    tables = published_tables.draft_digests(drafts, content)
    current: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    if target != WITHDRAWN:
        what = f"The rollback of {period} from r{row['from_revision']} to r{target}"
        current = (placement.write_latest(drafts, period, target),)
    else:
        what = f"The withdrawal of {period} (r{row['from_revision']})"
        withdrawn = (month_path(period, revisions.LATEST),)
        if has_numbers:
            withdrawn = (*withdrawn, month_path(period, _NUMBERS))
            tables[f"{period}/{_NUMBERS}"] = ""
    # Which lists count changes with a withdrawal, and so does what became of the events.
    changes_events = WITHDRAWN in (row["from_revision"], target)
    placed = Placement(
        (*content, *([release.EVENT_STATUSES] if changes_events else [])), current=current, withdrawn=withdrawn
    )
    with intentions.decided(store, settings, Intention(what, placed), tables):
        store.append("rolled_back", new)
        facts = {key: cell for key, cell in row.items() if key != "rolled_back_on"}
        if target == WITHDRAWN:
            published_revisions.clear_current(store, period)
        else:
            published_revisions.make_current(store, period, target)
        if changes_events:
            store.show_calculations()
            release.draft_event_statuses(store, settings)
            tables |= published_tables.draft_digests(drafts, [release.EVENT_STATUSES])
            facts["family"] = settings.family
        journal.note(store, "rollback", settings.today, **facts, tables=tables)


def _made_before(
    store: Store, period: Period, current: int, reason: str, person: str, to: str | None
) -> dict[str, Any] | None:
    """Return the newest rollback of the month where it is this one and its result is current; else None."""
    rows = store.read(
        "select * from rolled_back where month = $month order by rollback_no desc limit 1", month=str(period)
    ).to_dicts()
    if not rows or (rows[0]["reason"], rows[0]["who"]) != (reason, person):
        return None
    result = rows[0]["to_revision"]
    return rows[0] if result == current and to in (None, f"r{result}") else None


def _summary(store: Store, settings: Settings, row: dict[str, Any], *, already: bool) -> RollbackSummary:
    period = Period.parse(row["month"])
    month = settings.published / str(period)
    before, target = (f"r{number}" if (number := row[f"{end}_revision"]) else "" for end in ("from", "to"))
    return RollbackSummary(
        month=str(period),
        before=before,
        revision=target,
        path=str(month / target if target else month),
        digest=row["to_digest"],
        reason=row["reason"],
        store_agrees=bool(target) and _store_agrees(store, period, month / target),
        later=tuple(_lists_calculated_on(month / before, settings.published)) if before else (),
        already=already,
    )


def _store_agrees(store: Store, period: Period, target: Path) -> bool:
    """Return whether the month's calculation is the one that ``target`` was published from."""
    current = store.read("select calculation_id from calculation where month = $month", month=str(period))
    return _calculation_of(_facts(target)) in current["calculation_id"].to_list()


def _lists_calculated_on(revision: Path, published: Path) -> list[str]:
    """Return the later current lists that were calculated on a revision, or that may have been: not all state it."""
    month, calculation = revision.parent.name, _calculation_of(_facts(revision))
    found = []
    for period in revisions.months(published):
        if str(period) <= month:
            continue
        try:
            current = revisions.latest(published, period)
        except NothingReadError:
            found.append(f"{period} (which revision is current cannot be read)")
            continue
        if current is not None and _depends_on(_facts(current), month, calculation):
            found.append(f"{period} ({current.name})")
    return found


def _depends_on(facts: dict[str, Any], month: str, calculation: str) -> bool:
    """Return whether the facts name a calculation of ``month``; an unknown calculation may be any."""
    if "provenance" not in facts:
        return True
    lines = [line.split(" ") for line in facts["provenance"]["stands_on"]]
    return any(one[0] == month and calculation in ("", one[1]) for one in lines)


def _facts(revision: Path) -> dict[str, Any]:
    """Return the facts in the manifest of a revision; none where it is damaged."""
    try:
        return manifest.read(_manifest_bytes(revision)).facts
    except (OSError, manifest.NotAManifestError):
        return {}


def _calculation_of(facts: dict[str, Any]) -> str:
    """Return the id of the published calculation; empty where the manifest does not state it."""
    return str(facts["provenance"]["calculation"]) if "provenance" in facts else ""


def _revision_before(month: Path, current: int) -> Path | None:
    """Return the newest revision before ``current`` that was not rolled back; None where there is none."""
    rolled_back = {one.revision for one in rollback_log.rolled_back(month)}
    older = [one for one in range(1, current) if one not in rolled_back and (month / f"r{one}").is_dir()]
    return month / f"r{older[-1]}" if older else None


def _digest_in_manifest(revision: Path) -> str:
    """Return the digest in the manifest of a revision; empty where it is damaged."""
    try:
        return manifest.read(_manifest_bytes(revision)).digest
    except (OSError, manifest.NotAManifestError):
        return ""


def _manifest_bytes(revision: Path) -> bytes:
    """Return the bytes of the manifest of a revision, which may be damaged; none where it is no file."""
    return read_beginning(revision / manifest.MANIFEST, REVISION_MANIFEST_BYTES) or b""


def _digest_of_whole(revision: Path) -> str:
    """Return the digest of a revision; raises :class:`CheckError` where it is not whole."""
    found = verify(revision)
    if found.wrong:
        first = found.wrong[0]
        raise CheckError(
            f"{first.file}: {first.description}. Nothing was changed: put back a copy of that revision first."
        )
    return found.revisions[str(revision)][0]
