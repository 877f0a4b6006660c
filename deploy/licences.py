"""``python deploy/licences.py BILL``: the licences of every package that a bill of materials (CycloneDX) names, as CSV.

A row is a licence or an SPDX expression. A package that states several licences has a row for each: whether all of
them hold, or any, it does not state.

It fails where a package states none, so that a release cannot be made with a package that nobody has looked at.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any


def main(bill: str) -> None:
    """Print the packages with their versions and licences."""
    packages = json.loads(Path(bill).read_text(encoding="utf-8"))["components"]
    if without := [one["name"] for one in packages if not one.get("licenses")]:
        raise SystemExit(f"{bill}: no licence is stated by {', '.join(without)}")
    rows = sorted((one["name"], one["version"], licence) for one in packages for licence in _licences(one))
    csv.writer(sys.stdout, lineterminator="\n").writerows([("package", "version", "licence"), *rows])


def _licences(package: dict[str, Any]) -> set[str]:
    """Return what the package states, each once: an expression, or all of its licences."""
    stated = [
        one.get("expression") or one["license"].get("id") or one["license"]["name"] for one in package["licenses"]
    ]
    return {words.rpartition(" :: ")[2] for words in stated}


if __name__ == "__main__":
    main(*sys.argv[1:])
