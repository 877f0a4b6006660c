"""Roll a published list back: make an earlier revision current again, or withdraw the month, and publish the reason.

Nothing is calculated and no revision is deleted. One entry of the log decides it; then ``rollbacks.csv`` and ``latest``
move to their places (:mod:`ratinglist.publication.change`). A command that was killed may be given again: a rollback
whose result is still current is not made twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import read_beginning
from ratinglist.home.history import LATEST, WITHDRAWN
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import REVISION_NAME, Period
from ratinglist.publication import change, drafts, manifest, questions, revisions, rollback_log
from ratinglist.publication.change import PublicChange, draft_path
from ratinglist.publication.revision_batch import NUMBERS, write_both_numbers
from ratinglist.publication.verify.folders import verify
from ratinglist.settings import PUBLISHED, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.tables import ROLLED_BACK
from ratinglist.workflows.opening import open_to_write

WITHDRAW = "none"
"""What is named in the place of a revision where the month is to have no current list."""


def rollback(settings: Settings, period: Period, because: str, by: str = "", to: str | None = None) -> RollbackSummary:
    """Make the revision before the current one current again, or the one named by ``to`` (``r1``).

    ``to`` is ``none`` where the month is to be withdrawn.

    Where there is none before it, the month is withdrawn: it has no current list until a list of it is published again,
    or a revision is made current by ``to``.

    ``because``: the reason, which is published. The revision before is the newest older one that was not rolled back
    itself. A rollback that was made before, with the same reason and person, and whose result is still current, is not
    made again. Raises :class:`NothingReadError` where the month has no current list and ``to`` names none,
    :class:`CommandLineError` where there is no such revision or no reason, :class:`CheckError` where the revision is
    not whole; then nothing is changed.
    """
    with open_to_write(settings, taken_back=period) as store:
        return roll_back(store, settings, period, because, by, to)


def roll_back(
    store: Store, settings: Settings, period: Period, because: str, by: str = "", to: str | None = None
) -> RollbackSummary:
    """Roll a list back in an open home; see :func:`rollback`."""
    questions.check_office_kept(store, settings)
    month = settings.published / str(period)
    current = revisions.latest(settings.published, period)
    withdrawn = store.read("select * from withdrawn_month where month = $month", month=str(period)).to_dicts()
    if current is None and not withdrawn:
        undo = " It was imported; `ratinglist status` shows how an import is undone."
        imported = undo if calculations.is_imported(store, period) else ""
        raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.{imported}")
    what = "the reason; the readers of the list will see it"
    reason = questions.checked(store, settings, period, because, "--because", what)
    person = questions.checked(store, settings, period, by, "--by")
    number = revisions.number_of(current) if current else WITHDRAWN
    if (made := _made_before(store, period, number, reason, person, to)) is not None:
        return _summary(store, settings, made, already=True)
    if current is None and to in (None, WITHDRAW):
        raise NothingReadError(
            "The list of {month} was withdrawn on {rolled_back_on} ({reason}): there is nothing to take back. To make "
            'a revision current again: ratinglist rollback {month} --to r{revision} --because "..."'.format_map(
                withdrawn[0]
            )
        )
    target = None if to == WITHDRAW else _target(store, month, number, to)
    row = {
        "month": str(period),
        "from_revision": number,
        "to_revision": revisions.number_of(target) if target else WITHDRAWN,
        "from_digest": store.log.history.revisions()[str(period), number] if current else "",
        "to_digest": _digest_of_whole(target) if target else "",
        "reason": reason,
        "who": person,
    }
    _decide(store, settings, period, row)
    return _summary(store, settings, row, already=False)


def _target(store: Store, month: Path, current: int, to: str | None) -> Path | None:
    """Return the revision that becomes current, None where the month is withdrawn.

    Raises :class:`CommandLineError` where there is no revision ``to``.
    """
    if to is None:
        return _revision_before(store, month, current)
    target = month / to
    if not REVISION_NAME.fullmatch(to) or not target.is_dir():
        raise CommandLineError(f"--to {to}: the list of {month.name} has no such revision. Name one such as r1.")
    if revisions.number_of(target) == current:
        raise CommandLineError(f"{to} is the current revision of {month.name} already: nothing was changed.")
    return target


def _decide(store: Store, settings: Settings, period: Period, row: dict[str, Any]) -> None:
    """Write the drafts of what readers see of a rollback, and decide it."""
    target, history = row["to_revision"], store.log.history
    steps = [one for one in history.rollbacks if one["month"] == str(period)]
    steps.append({"rollback_no": len(history.rollbacks) + 1, **row, "rolled_back_on": settings.today})
    tables, removed = [f"{period}/{rollback_log.NAME}"], []
    rollback_log.write(
        draft_path(settings.drafts, f"{PUBLISHED}/{tables[0]}"), ROLLED_BACK.conform(pl.DataFrame(steps))
    )
    has_numbers = f"{period}/{NUMBERS}" in history.placed
    if target == WITHDRAWN:
        removed = [f"{period}/{name}" for name in (LATEST, *([NUMBERS] if has_numbers else []))]
    elif has_numbers:
        shown = revisions.read_tables(settings.published / str(period) / f"r{target}")
        tables.append(write_both_numbers(store, settings, period, shown))
    # Which lists count changes with a withdrawal, and so does what became of the events.
    if WITHDRAWN in (row["from_revision"], target):
        with _as_rolled_back(store, row, settings.today):
            drafts.draft_event_statuses(store, settings)
        tables.append(drafts.EVENTS)
    current = {} if target == WITHDRAWN else {str(period): target}
    facts = {**row, "family": settings.family}
    change.decide(store, settings, PublicChange("rollback", facts, current=current, tables=tables, removed=removed))


@contextmanager
def _as_rolled_back(store: Store, row: dict[str, Any], day: date) -> Iterator[None]:
    """Show the store inside the block as it will be after a rollback."""
    with store.log.supposing("rollback", day, row):
        store.refresh()
        yield
    store.refresh()


def _made_before(
    store: Store, period: Period, current: int, reason: str, person: str, to: str | None
) -> dict[str, Any] | None:
    """Return the newest rollback of the month where it is this one and its result is current; else None."""
    steps = [one for one in store.log.history.rollbacks if one["month"] == str(period)]
    if not steps or (steps[-1]["reason"], steps[-1]["who"]) != (reason, person):
        return None
    result = steps[-1]["to_revision"]
    named = WITHDRAW if result == WITHDRAWN else f"r{result}"
    return steps[-1] if result == current and to in (None, named) else None


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
    current = calculations.calculation(store, period)
    return current is not None and _calculation_of(_facts(target)) == current.calculation_id


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
        return manifest.read(read_beginning(revision / manifest.MANIFEST, REVISION_MANIFEST_BYTES) or b"").facts
    except (OSError, manifest.NotAManifestError):
        return {}


def _calculation_of(facts: dict[str, Any]) -> str:
    """Return the id of the published calculation; empty where the manifest does not state it."""
    return str(facts["provenance"]["calculation"]) if "provenance" in facts else ""


def _revision_before(store: Store, month: Path, current: int) -> Path | None:
    """Return the newest revision before ``current`` that was not rolled back; None where there is none."""
    rolled_back = {one.revision for one in rollback_log.rolled_back(store, month.name)}
    older = [one for one in range(1, current) if one not in rolled_back and (month / f"r{one}").is_dir()]
    return month / f"r{older[-1]}" if older else None


def _digest_of_whole(revision: Path) -> str:
    """Return the digest of a revision; raises :class:`CheckError` where it is not whole."""
    found = verify(revision)
    if found.wrong:
        first = found.wrong[0]
        raise CheckError(
            f"{first.path}: {first.description}. Nothing was changed: put back a copy of that revision first."
        )
    return found.revisions[str(revision)].digest


@dataclass(frozen=True, slots=True)
class RollbackSummary(Summary):
    """A rollback.

    ``before``: the revision that was current, empty where the month had been withdrawn; ``revision``: the one that is
    now, empty where the month was withdrawn now. ``path``: the folder of that revision, or of the month.
    ``store_agrees``: whether the store has the figures of ``revision``. ``later``: the later published lists that were
    calculated on the figures of ``before``, as month and revision. ``already``: the same rollback was made before, and
    nothing was changed now.
    """

    month: str
    before: str
    revision: str
    path: str
    digest: str
    reason: str
    store_agrees: bool = False
    later: tuple[str, ...] = ()
    already: bool = False

    def text(self) -> str:
        """Return the summary: the current revision, and what the office has to do next."""
        return "\n".join(self._lines_of_withdrawal() if not self.revision else self._lines())

    def _lines(self) -> list[str]:
        instead = f" instead of {self.before}" if self.before else ", which was withdrawn"
        lines = [
            f"List of {self.month}: {self.revision} is current again{instead}: {self.path}",
            f"  digest {self.digest}",
        ]
        if self.already:
            lines.append(
                "Nothing was changed: exactly this rollback, with this reason, was made before. To take "
                f"{self.revision} back too, name the revision that becomes current (--to rN), or give another reason"
            )
        lines += self._later()
        again = f"ratinglist rerate --from {self.month}"
        if not self.store_agrees:
            lines.append(
                f"Nothing was calculated: the store has other figures than {self.revision}. Correct what was wrong, "
                f"then: {again}"
            )
        elif self.later:
            lines.append(
                f"Nothing was calculated: the store has the figures of {self.revision}. Correct the later lists "
                f"with: {again}"
            )
        else:
            lines.append(f"The store has the figures of {self.revision}: nothing else is to be done.")
        return lines

    def _lines_of_withdrawal(self) -> list[str]:
        lines = [
            f"List of {self.month}: withdrawn. Readers have no list of this month; {self.before} was current, and its "
            f"folder stays: {self.path}"
        ]
        if self.already:
            lines.append("Nothing was changed: exactly this rollback, with this reason, was made before.")
        lines += self._later()
        then = f"; then ratinglist rerate --from {Period.parse(self.month) + 1}" if self.later else ""
        return [
            *lines,
            "Nothing was calculated. Lists calculated from now on are made as if this month had no list. To publish it "
            f"again, correct what was wrong, then: ratinglist rate {self.month}; ratinglist publish {self.month}{then}",
            f'If it was right after all: ratinglist rollback {self.month} --to {self.before} --because "..."',
        ]

    def _later(self) -> list[str]:
        if not self.later:
            return []
        before = self.before or "the list that was withdrawn"
        return [f"Published later, on the figures of {before}, and still current: {', '.join(self.later)}"]
