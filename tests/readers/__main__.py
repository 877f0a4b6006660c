"""Print the table of the readers: `make test-readers` ends with it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.readers import lists, readers
from tests.readers.test_readers import EXPORTS, reading

HEAD = ("format", "rows", "fields compared", "read without a difference by")


def main() -> None:
    """Read every export with every program that is there; print a row for each export, then what was not read right."""
    rows = lists.lists()
    table, others = [HEAD, ["---"] * len(HEAD)], []
    with tempfile.TemporaryDirectory() as folder:
        office = lists.office_of(Path(folder), rows)
        for export, (_, names, rows_of, _) in EXPORTS.items():
            right, good = rows_of(rows), []
            for name in names:
                if absent := readers.missing(readers.READERS[name]):
                    others.append(f"{export}: not read by {name}: {absent}")
                    continue
                found = reading(office, rows, Path(folder), export, name)
                if found.wrong or found.rows != found.expected:
                    wrong = f"read {found.rows:,} rows, and {len(found.wrong):,} fields are wrong"
                    others.append(f"{export}: {name} {wrong}")
                else:
                    good.append(name)
            table.append([f"`{export}`", f"{len(right):,}", f"{len(right) * len(right[0]):,}", "; ".join(good)])
    sys.stdout.write("".join(f"| {' | '.join(cells)} |\n" for cells in table))
    sys.stdout.write("".join(f"{line}\n" for line in others))


if __name__ == "__main__":
    main()
