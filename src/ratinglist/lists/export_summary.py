"""What an export did, for people and for programs, with everything a format could not keep."""

from __future__ import annotations

from dataclasses import asdict, dataclass

_SAYS = {
    "names_changed": "{:,} {players} written in plain ASCII",
    "letters_replaced": "{:,} {letters} written with others",
    "letters_dropped": "{:,} {letters} left out: ASCII has nothing for them",
    "texts_cut": "{:,} {texts} cut to the width of the column",
    "cells_guarded": "{:,} {cells} marked with an apostrophe, or a spreadsheet would calculate them",
    "added": "{:,} added",
    "removed": "{:,} removed",
    "changed": "{:,} changed",
}
_MANY = {"players": "players", "letters": "letters", "texts": "texts", "cells": "cells"}
_ONE = {"players": "player", "letters": "letter", "texts": "text", "cells": "cell"}


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """One file that was written. ``rows``: players, or in a table of several lists players and time controls.

    ``counts``: what the format could not keep, or what changed; a count that the format has no use for is missing.
    """

    file: str
    format: str
    month: str
    revision: str
    rows: int
    bytes: int
    sha256: str
    counts: dict[str, int]

    def as_dict(self) -> dict[str, object]:
        """The summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """The summary in a few lines."""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        lines = [f"List of {self.month} ({self.revision}) as {self.format}: {self.file}, {rows}, {self.bytes:,} bytes"]
        lines += [
            f"  {_SAYS[kind].format(count, **(_ONE if count == 1 else _MANY))}"
            for kind, count in self.counts.items()
            if count
        ]
        return "\n".join(lines)
