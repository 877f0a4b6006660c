"""The slips of ``slips.csv``: what is typed or delivered by mistake, and what the program says.

A slip with an exit code is a command that stops. One without is played by ``workflow/test_slips.py`` too; the command
goes on, and prints the message as a note.
"""

from __future__ import annotations

import csv
from pathlib import Path


def slips() -> list[tuple[str, str, str]]:
    """Every slip, its exit code or nothing, and a part of its message."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return [(row["slip"], row["exit_code"], row["message"]) for row in csv.DictReader(file)]
