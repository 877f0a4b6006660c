"""The summary of `ratinglist rollback`: what readers see now, and what the office has to do next."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ratinglist.period import Period


@dataclass(frozen=True, slots=True)
class RollbackSummary:
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

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

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
