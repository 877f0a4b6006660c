"""Roll a published list back: make an earlier revision the current one again, and publish the reason.

Nothing is calculated and no revision is deleted. The reason is inserted into the store first, then written to
``rollbacks.csv``, and ``latest`` moves last, by one rename: a run that was killed is run again.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import manifest, published_tables, revisions, rollback_log, written_text
from ratinglist.publication.revision_batch import both_numbers
from ratinglist.publication.verify import verify
from ratinglist.schemas import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.store import journal
from ratinglist.store.database import Store
from ratinglist.store.opening import open_store
from ratinglist.store.table_files import replace_parquet


@dataclass(frozen=True, slots=True)
class RollbackSummary:
    """A rollback.

    ``before``: the revision that was current; ``revision``: the one that is now. ``store_agrees``: whether the store
    has the figures of ``revision``. ``later``: the later published lists that were calculated on the figures of
    ``before``, as month and revision.
    """

    month: str
    before: str
    revision: str
    path: str
    digest: str
    reason: str
    store_agrees: bool = False
    later: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary: the current revision, and what the office has to do next."""
        lines = [
            f"List of {self.month}: {self.revision} is current again instead of {self.before}: {self.path}",
            f"  digest {self.digest}",
        ]
        if self.later:
            lines.append(
                f"Published later, on the figures of {self.before}, and still current: {', '.join(self.later)}"
            )
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
        return "\n".join(lines)


def rollback(settings: Settings, period: Period, because: str, by: str = "", to: str | None = None) -> RollbackSummary:
    """Make the revision before the current one current again, or the one named by ``to`` (``r1``).

    ``because``: the reason, which is published. The revision before is the newest older one that was not rolled back
    itself. Raises :class:`NothingReadError` where the month is not published, :class:`CommandLineError` where there is
    no such revision or no reason, :class:`CheckError` where the revision is not whole; then nothing is changed.
    """
    current = revisions.latest(settings.published, period)
    if current is None:
        raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.")
    named = to or _revision_before(current)
    target = current.parent / named
    if not re.fullmatch(r"r[1-9][0-9]*", named) or not target.is_dir():
        raise CommandLineError(f"--to {to}: the list of {period} has no such revision. Name one such as r1.")
    if target == current:
        raise CommandLineError(f"{to} is the current revision of {period} already: nothing was changed.")
    digest = _digest_of_whole(target)
    with open_store(settings.store, settings.threads) as store:
        because = written_text.checked(
            store, settings, period, because, "--because", "the reason; the readers of the list will see it"
        )
        by = written_text.checked(store, settings, period, by, "--by")
        row = {
            "month": str(period),
            "from_revision": revisions.number_of(current),
            "to_revision": revisions.number_of(target),
            "from_digest": _digest_in_manifest(current),
            "to_digest": digest,
            "reason": because,
            "who": by,
            "rolled_back_on": settings.today,
        }
        if not _was_interrupted(store, row):
            columns, values = ", ".join(row), ", ".join(f"${name}" for name in row)
            with store.transaction():
                store.execute(
                    f"insert into rolled_back (rollback_no, {columns}) "  # noqa: S608 - names of our own
                    f"select coalesce(max(rollback_no), 0) + 1, {values} from rolled_back",
                    **row,
                )
                of_month = store.read("select * from rolled_back where month = $month", month=str(period))
                tables = {
                    **_write_both_numbers(settings, period, target),
                    f"{period}/{rollback_log.NAME}": rollback_log.digest(of_month),
                }
                facts = {key: cell for key, cell in row.items() if key != "rolled_back_on"}
                journal.note(store, "rollback", settings.today, **facts, tables=tables)
        of_month = store.read("select * from rolled_back where month = $month", month=str(period))
        rollback_log.write(current.parent, of_month)
        agrees = _store_agrees(store, period, target)
        revisions.point_to(target)
    later = _lists_calculated_on(current, settings.published)
    return RollbackSummary(str(period), current.name, target.name, str(target), digest, because, agrees, tuple(later))


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
        return manifest.read((revision / manifest.MANIFEST).read_bytes()).facts
    except (OSError, manifest.NotAManifestError):
        return {}


def _calculation_of(facts: dict[str, Any]) -> str:
    """Return the id of the published calculation; empty where the manifest does not state it."""
    return str(facts["provenance"]["calculation"]) if "provenance" in facts else ""


def _write_both_numbers(settings: Settings, period: Period, target: Path) -> dict[str, str]:
    """Write ``both_numbers.parquet``, where the month has one, with the ratings of the revision made current.

    Return its digest by its path.
    """
    file = target.parent / f"{BOTH_NUMBERS.name}.parquet"
    if not file.exists():
        return {}
    first = revisions.read_tables(revisions.first(settings.published, period))
    rows = both_numbers(first, revisions.read_tables(target), period)
    replace_parquet(file, settings.office.fields.table(BOTH_NUMBERS.name), rows)
    return published_tables.digests(settings.published, [file])


def _was_interrupted(store: Store, row: dict[str, object]) -> bool:
    """Return whether the newest rollback of this month is this one, inserted by a run that was killed."""
    last = ROLLED_BACK.conform(
        store.read("select * from rolled_back where month = $m order by rollback_no desc limit 1", m=row["month"])
    )
    return last.drop("rollback_no", "rolled_back_on").to_dicts() == [
        {name: cell for name, cell in row.items() if name != "rolled_back_on"}
    ]


def _revision_before(current: Path) -> str:
    rolled_back = {one.revision for one in rollback_log.rolled_back(current.parent)}
    number = revisions.number_of(current)
    older = [one for one in range(1, number) if one not in rolled_back and (current.parent / f"r{one}").is_dir()]
    if not older:
        raise CommandLineError(
            f"{current.name} is the first revision of {current.parent.name} that was not rolled back: there is none "
            "before it. Name another with --to, or correct the list: ratinglist correct, then rerate."
        )
    return f"r{older[-1]}"


def _digest_in_manifest(revision: Path) -> str:
    """Return the digest in the manifest of a revision; empty where it is damaged."""
    try:
        return manifest.read((revision / manifest.MANIFEST).read_bytes()).digest
    except (OSError, manifest.NotAManifestError):
        return ""


def _digest_of_whole(revision: Path) -> str:
    """Return the digest of a revision; raises :class:`CheckError` where it is not whole."""
    found = verify(revision)
    if found.wrong:
        first = found.wrong[0]
        raise CheckError(
            f"{first.file}: {first.description}. Nothing was changed: put back a copy of that revision first."
        )
    return found.revisions[str(revision)][0]
