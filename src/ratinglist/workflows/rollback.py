"""Roll a published list back: make an earlier revision the current one again, and publish the reason.

Nothing is calculated and no revision is deleted. One commit decides it; then ``rollbacks.csv`` and ``latest`` move to
their places (:mod:`ratinglist.publication.intentions`). A command that was killed may be given again: a rollback whose
result is still current is not made twice.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import (
    intentions,
    manifest,
    placement,
    published_tables,
    revisions,
    rollback_log,
    written_text,
)
from ratinglist.publication.home import open_to_write
from ratinglist.publication.intentions import Intention
from ratinglist.publication.placement import Placement, draft_path, month_path
from ratinglist.publication.revision_batch import write_both_numbers
from ratinglist.publication.verify import verify
from ratinglist.schemas import BOTH_NUMBERS, ROLLED_BACK
from ratinglist.store import journal, published_revisions
from ratinglist.store.database import Store
from ratinglist.store.published_revisions import REVISION_NAME


@dataclass(frozen=True, slots=True)
class RollbackSummary:
    """A rollback.

    ``before``: the revision that was current; ``revision``: the one that is now. ``store_agrees``: whether the store
    has the figures of ``revision``. ``later``: the later published lists that were calculated on the figures of
    ``before``, as month and revision. ``already``: the same rollback was made before, and nothing was changed now.
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

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary: the current revision, and what the office has to do next."""
        lines = [
            f"List of {self.month}: {self.revision} is current again instead of {self.before}: {self.path}",
            f"  digest {self.digest}",
        ]
        if self.already:
            lines.append(
                "Nothing was changed: exactly this rollback, with this reason, was made before. To take "
                f"{self.revision} back too, name the revision that becomes current: --to rN"
            )
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
    itself. A rollback that was made before, with the same reason and person, and whose result is still current, is not
    made again. Raises :class:`NothingReadError` where the month is not published, :class:`CommandLineError` where there
    is no such revision or no reason, :class:`CheckError` where the revision is not whole; then nothing is changed.
    """
    with open_to_write(settings, taken_back=period) as store:
        current = revisions.latest(settings.published, period)
        if current is None:
            raise NothingReadError(f"The list of {period} is not published: there is nothing to take back.")
        what = "the reason; the readers of the list will see it"
        reason = written_text.checked(store, settings, period, because, "--because", what)
        person = written_text.checked(store, settings, period, by, "--by")
        if (made := _made_before(store, current, reason, person, to)) is not None:
            return _summary(store, settings, made, already=True)
        target = _target(current, to)
        row = {
            "month": str(period),
            "from_revision": revisions.number_of(current),
            "to_revision": revisions.number_of(target),
            "from_digest": _digest_in_manifest(current),
            "to_digest": _digest_of_whole(target),
            "reason": reason,
            "who": person,
            "rolled_back_on": settings.today,
        }
        _decide(store, settings, period, row)
        return _summary(store, settings, row, already=False)


def _target(current: Path, to: str | None) -> Path:
    """Return the revision that becomes current; raise :class:`CommandLineError` where there is no such one."""
    named, month = to or _revision_before(current), current.parent.name
    target = current.parent / named
    if not REVISION_NAME.fullmatch(named) or not target.is_dir():
        raise CommandLineError(f"--to {to}: the list of {month} has no such revision. Name one such as r1.")
    if target == current:
        raise CommandLineError(f"{to} is the current revision of {month} already: nothing was changed.")
    return target


def _decide(store: Store, settings: Settings, period: Period, row: dict[str, Any]) -> None:
    """Write the drafts of what readers see of a rollback, commit it and put them in their places."""
    drafts, target = settings.drafts, row["to_revision"]
    number = int(store.read("select coalesce(max(rollback_no), 0) + 1 as n from rolled_back").item())
    before = ROLLED_BACK.conform(store.read("select * from rolled_back where month = $month", month=str(period)))
    new = ROLLED_BACK.conform(pl.DataFrame([{"rollback_no": number, **row}]))
    content = [month_path(period, rollback_log.NAME)]
    rollback_log.write(draft_path(drafts, content[0]), pl.concat([before, new]))
    if (settings.published / str(period) / f"{BOTH_NUMBERS.name}.parquet").exists():
        shown = revisions.read_tables(settings.published / str(period) / f"r{target}")
        content.append(write_both_numbers(settings, period, shown))
    latest = placement.write_latest(drafts, period, target)
    what = f"The rollback of {period} from r{row['from_revision']} to r{target}"
    tables = published_tables.draft_digests(drafts, content)
    with intentions.decided(store, settings, Intention(what, Placement(tuple(content), (latest,))), tables):
        store.append("rolled_back", new)
        published_revisions.make_current(store, period, target)
        facts = {key: cell for key, cell in row.items() if key != "rolled_back_on"}
        journal.note(store, "rollback", settings.today, **facts, tables=tables)


def _made_before(store: Store, current: Path, reason: str, person: str, to: str | None) -> dict[str, Any] | None:
    """Return the newest rollback of the month where it is this one and its result is current; else None."""
    rows = store.read(
        "select * from rolled_back where month = $month order by rollback_no desc limit 1", month=current.parent.name
    ).to_dicts()
    if not rows or (rows[0]["reason"], rows[0]["who"]) != (reason, person):
        return None
    result = f"r{rows[0]['to_revision']}"
    return rows[0] if result == current.name and to in (None, result) else None


def _summary(store: Store, settings: Settings, row: dict[str, Any], *, already: bool) -> RollbackSummary:
    period = Period.parse(row["month"])
    before, target = (settings.published / str(period) / f"r{row[f'{end}_revision']}" for end in ("from", "to"))
    return RollbackSummary(
        month=str(period),
        before=before.name,
        revision=target.name,
        path=str(target),
        digest=row["to_digest"],
        reason=row["reason"],
        store_agrees=_store_agrees(store, period, target),
        later=tuple(_lists_calculated_on(before, settings.published)),
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
        return manifest.read((revision / manifest.MANIFEST).read_bytes()).facts
    except (OSError, manifest.NotAManifestError):
        return {}


def _calculation_of(facts: dict[str, Any]) -> str:
    """Return the id of the published calculation; empty where the manifest does not state it."""
    return str(facts["provenance"]["calculation"]) if "provenance" in facts else ""


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
