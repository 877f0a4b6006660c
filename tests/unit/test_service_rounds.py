"""The rounds of the service: what it cannot do is named, and people are notified of it once."""

from __future__ import annotations

import json
from errno import ENOSPC, EROFS
from pathlib import Path

import pytest

from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.workflows import service_rounds
from ratinglist.workflows.service_rounds import ServiceRounds

NOTIFIED = '[notify]\nwebhooks = ["http://127.0.0.1:1/"]\n'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "office.toml").write_text(NOTIFIED, encoding="utf-8")
    (tmp_path / "notifications").mkdir()
    return Settings.read(home=tmp_path, environment={})


def notifications(home: Path) -> list[dict[str, str]]:
    return [json.loads(one.read_text(encoding="utf-8")) for one in sorted((home / "notifications").glob("*.json"))]


def nothing(_settings: Settings) -> list[str]:
    return []


def test_people_are_notified_once_that_the_office_cannot_write_and_again_when_it_cannot_once_more(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(ENOSPC, "No space left on device")
    noted = iter([full, full, None, OSError(EROFS, "Read-only file system")])

    def note_round(*_: object) -> None:
        if error := next(noted):
            raise error

    kept: list[tuple[str, str]] = []
    monkeypatch.setattr(service_rounds.service_trace, "note_round", note_round)
    monkeypatch.setattr(service_rounds, "notify", lambda _, about: kept.append((about.key, about.text)) or [])
    rounds = ServiceRounds(settings)
    for _ in range(4):
        rounds.go_round(nothing)
    assert kept[0] == kept[1], "the same trouble has the same key"
    assert "No space left on device. No list can be made until there is room." in kept[0][1]
    assert "Read-only file system" in kept[2][1]


def test_people_are_notified_once_of_choices_that_cannot_be_used_by_those_of_before(settings: Settings) -> None:
    rounds = ServiceRounds(settings)
    (settings.home / "office.toml").write_text(f"{NOTIFIED}webhoks = 1\n", encoding="utf-8")
    days: list[int] = []

    def look(seen: Settings) -> list[str]:
        days.append(seen.office.publication.wait_days)
        return []

    for _ in range(2):
        assert any("webhoks" in one for one in rounds.go_round(look))
    (about,) = notifications(settings.home)
    assert about["subject"] == "office.toml cannot be used: an officer has to act"
    assert about["text"].endswith("Until then the choices of before hold for the service, and no list can be made.")
    (settings.home / "office.toml").write_text(f"{NOTIFIED}[publication]\nwait_days = 3\n", encoding="utf-8")
    rounds.go_round(look)
    assert days == [7, 7, 3]


def test_trouble_with_the_runs_is_named_and_what_receivers_miss_is_sent_all_the_same(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Settings] = []
    monkeypatch.setattr(service_rounds, "send_all", lambda seen, _rests: sent.append(seen) or [])
    rounds = ServiceRounds(settings)
    for error, text in ((CheckError("The log is damaged."), "The log is damaged."), (KeyError("x"), "KeyError('x')")):

        def look(_settings: Settings, error: Exception = error) -> list[str]:
            raise error

        assert rounds.go_round(look) == [text]
    assert len(sent) == 2


def test_the_office_is_pinged_after_a_round_without_trouble_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings.home / "office.toml").write_text('[on_call]\nping_url = "https://ping.example.org/0"\n', encoding="utf-8")
    pinged: list[str] = []
    monkeypatch.setattr(service_rounds, "ping", lambda address: pinged.append(address) or "")
    rounds = ServiceRounds(settings)
    assert rounds.go_round(lambda _: ["The server could not be reached: refused"]) != []
    assert pinged == []
    assert rounds.go_round(nothing) == []
    assert pinged == ["https://ping.example.org/0"]
