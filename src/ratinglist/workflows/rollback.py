"""A published list taken back: ``latest`` names another revision again, at once, and why is kept for ever.

Nothing is calculated and no revision goes. The reason is in the store before a reader sees anything, then beside the
revisions, and ``latest`` moves last, by one rename: a run killed between is simply run again.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import manifest, revisions, rollback_log
from ratinglist.publication.revision_batch import both_numbers
from ratinglist.publication.verify import verify
from ratinglist.schemas import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.store.database import Store, open_store
from ratinglist.store.table_files import write_beside


@dataclass(frozen=True, slots=True)
class RollbackSummary:
    """What is current now, and what was."""

    month: str
    before: str
    revision: str
    path: str
    digest: str
    reason: str
    store_agrees: bool = False
    """Whether the store has the figures of ``revision``."""
    later: tuple[str, ...] = ()
    """Later published lists that were calculated on the figures of ``before``: month and revision."""

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """What readers see now, and what the office has to do next."""
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
                f"Nothing was calculated: the store has the figures of {self.revision}. Mend those by: {again}"
            )
        else:
            lines.append(f"The store has the figures of {self.revision}: nothing else is to be done.")
        return "\n".join(lines)


def rollback(settings: Settings, period: Period, because: str, by: str = "", to: str | None = None) -> RollbackSummary:
    """Make the revision before the current one current again, or the one named by ``to`` (``r1``), for a reason.

    The revision before is the newest older one that was not taken back itself. Raises :class:`NothingReadError` where
    the month is not published, :class:`CommandLineError` where there is no such revision or no reason,
    :class:`CheckError` where the revision is not whole any more; then nothing is changed.
    """
    if not because.strip():
        raise CommandLineError("--because is empty: say why, for whoever reads the list later.")
    current = revisions.latest(settings.published, period)
    if current is None:
        raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.")
    named = to or _revision_before(current)
    target = current.parent / named
    if not re.fullmatch(r"r[1-9][0-9]*", named) or not target.is_dir():
        raise CommandLineError(f"--to {to}: the list of {period} has no such revision. Name one such as r1.")
    if target == current:
        raise CommandLineError(f"{to} is the current revision of {period} already: nothing was changed.")
    digest = _whole(target)
    with open_store(settings.store, settings.threads) as store:
        row = {
            "month": str(period),
            "from_revision": revisions.number_of(current),
            "to_revision": revisions.number_of(target),
            "from_digest": _digest_said(current),
            "to_digest": digest,
            "reason": because.strip(),
            "who": by.strip(),
            "rolled_back_on": settings.today,
        }
        if not _was_left_unfinished(store, row):
            columns, values = ", ".join(row), ", ".join(f"${name}" for name in row)
            store.execute(
                f"insert into rolled_back (rollback_no, {columns}) "  # noqa: S608 - names of our own
                f"select coalesce(max(rollback_no), 0) + 1, {values} from rolled_back",
                **row,
            )
        of_month = store.read("select * from rolled_back where month = $month", month=str(period))
        rollback_log.tell(current.parent, of_month)
        _tell_both_numbers(settings, period, target)
        agrees = _store_agrees(store, period, target)
        revisions.point_to(target)
    later = _on_the_figures_of(current, settings.published)
    return RollbackSummary(
        str(period), current.name, target.name, str(target), digest, because.strip(), agrees, tuple(later)
    )


def _store_agrees(store: Store, period: Period, target: Path) -> bool:
    """Whether the newest calculation of the month is the one that ``target`` was published from."""
    now = store.read("select calculation_id from calculation where month = $month", month=str(period))
    return _calculation_of(_facts(target)) in now["calculation_id"].to_list()


def _on_the_figures_of(withdrawn: Path, published: Path) -> list[str]:
    """Later current lists that stand on a revision; also those that do not say on what, where it could be this one."""
    month, figures = withdrawn.parent.name, _calculation_of(_facts(withdrawn))
    found = []
    for period in revisions.months(published):
        if str(period) <= month:
            continue
        try:
            current = revisions.latest(published, period)
        except NothingReadError:
            found.append(f"{period} (which revision is current cannot be read)")
            continue
        if current is not None and _stands_on(_facts(current), month, figures):
            found.append(f"{period} ({current.name})")
    return found


def _stands_on(facts: dict[str, Any], month: str, figures: str) -> bool:
    if "provenance" not in facts:
        return True
    lines = [line.split(" ") for line in facts["provenance"]["stands_on"]]
    return any(one[0] == month and figures in ("", one[1]) for one in lines)


def _facts(revision: Path) -> dict[str, Any]:
    """What the manifest of a revision says besides its files; nothing where it is damaged."""
    try:
        return manifest.read((revision / manifest.MANIFEST).read_bytes()).facts
    except (OSError, manifest.NotAManifestError):
        return {}


def _calculation_of(facts: dict[str, Any]) -> str:
    """The id of the calculation that was published; empty where the manifest does not say it."""
    return str(facts["provenance"]["calculation"]) if "provenance" in facts else ""


def _tell_both_numbers(settings: Settings, period: Period, target: Path) -> None:
    """Where both numbers of a month are told, the one as now known becomes that of the revision made current."""
    file = target.parent / f"{BOTH_NUMBERS.name}.parquet"
    if file.exists():
        was = revisions.read_tables(revisions.first(settings.published, period))
        rows = both_numbers(was, revisions.read_tables(target), period)
        carried = settings.office.fields.table(BOTH_NUMBERS.name)
        write_beside(file, carried, rows)


def _was_left_unfinished(store: Store, row: dict[str, object]) -> bool:
    """Whether the last thing noted of this month is this very step, which a killed run did not get to finish."""
    last = ROLLED_BACK.conform(
        store.read("select * from rolled_back where month = $m order by rollback_no desc limit 1", m=row["month"])
    )
    return last.drop("rollback_no", "rolled_back_on").to_dicts() == [
        {name: cell for name, cell in row.items() if name != "rolled_back_on"}
    ]


def _revision_before(current: Path) -> str:
    taken_back = {one.revision for one in rollback_log.taken_back(current.parent)}
    number = revisions.number_of(current)
    older = [one for one in range(1, number) if one not in taken_back and (current.parent / f"r{one}").is_dir()]
    if not older:
        raise CommandLineError(
            f"{current.name} is the first revision of {current.parent.name} that was not taken back: there is none "
            "before it. Name another with --to, or correct the list: ratinglist correct, then rerate."
        )
    return f"r{older[-1]}"


def _digest_said(revision: Path) -> str:
    """The digest of the revision that goes, which may be damaged: then it is empty."""
    try:
        return manifest.read((revision / manifest.MANIFEST).read_bytes()).digest
    except (OSError, manifest.NotAManifestError):
        return ""


def _whole(revision: Path) -> str:
    """The digest of a revision that is whole; raises :class:`CheckError` where it is not."""
    found = verify(revision)
    if found.wrong:
        first = found.wrong[0]
        raise CheckError(f"{first.file}: {first.says}. Nothing was changed: put back a copy of that revision first.")
    return found.revisions[str(revision)][0]
