"""Print the table of the readers: `make test-readers` ends with it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.readers import lists, readers
from tests.readers.test_readers import CASES, EXPORTS, reading

HEAD = ("format", "reader", "rows expected", "rows read", "fields compared", "wrong")


def main() -> None:
    """Read every export with every program that is there, and print a row for each."""
    rows = lists.lists()
    table = [HEAD, ["---"] * len(HEAD)]
    with tempfile.TemporaryDirectory() as folder:
        office = lists.office_of(Path(folder), rows)
        for export, name in CASES:
            if absent := readers.missing(readers.READERS[name]):
                right = EXPORTS[export][2](rows)
                fields = len(right) * len(right[0])
                table.append([f"`{export}`", name, f"{len(right):,}", f"not read: {absent}", f"{fields:,}", ""])
                continue
            found = reading(office, rows, Path(folder), export, name)
            counts = (found.expected, found.rows, found.fields, len(found.wrong))
            table.append([f"`{export}`", name, *(f"{count:,}" for count in counts)])
    sys.stdout.write("".join(f"| {' | '.join(cells)} |\n" for cells in table))


if __name__ == "__main__":
    main()
