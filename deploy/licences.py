"""``python deploy/licences.py BILL``: the licence of every package that a bill of materials (CycloneDX) names, as CSV.

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
    rows = sorted((one["name"], one["version"], _licence(one)) for one in packages)
    csv.writer(sys.stdout, lineterminator="\n").writerows([("package", "version", "licence"), *rows])


def _licence(package: dict[str, Any]) -> str:
    """Return what the package states, each once: an expression, or all of its licences."""
    stated = [
        one.get("expression") or one["license"].get("id") or one["license"]["name"] for one in package["licenses"]
    ]
    return "; ".join(dict.fromkeys(words.rpartition(" :: ")[2] for words in stated))


if __name__ == "__main__":
    main(*sys.argv[1:])
