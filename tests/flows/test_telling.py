"""The messages on a run: what to do, and nothing that makes or stops an office."""

from __future__ import annotations

import json
from pathlib import Path

from flows.telling import tell


def test_a_mistyped_home_is_not_made_for_a_notification(tmp_path: Path) -> None:
    tell({"home": str(tmp_path / "ofice")}, "failed", "run 4", "The list of 2025-11", "text")
    assert not (tmp_path / "ofice").exists()


def test_while_the_choices_of_the_office_cannot_be_read_a_failure_is_kept_once_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text("[notify]\nwebhoks = []\n", encoding="utf-8")
    for _ in range(2):
        tell({"home": str(tmp_path)}, "failed", "run 6", "The list of 2025-11", "a key is misspelt")
    (kept,) = (tmp_path / "notifications").glob("*.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["text"].splitlines()[:2] == [
        "a key is misspelt",
        "When it is put right, run the deployment again, or type: ratinglist run MONTH",
    ]
