"""People are told of each published list at least once, whatever fails or is killed between publishing and telling."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows import telling
from flows.telling import check_addresses, send_news
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import undo
from ratinglist.workflows.scheduled import note_told, untold
from tests.conftest import office
from tests.flows.served_office import Receiver

pytestmark = pytest.mark.asks_only()


@pytest.fixture
def untold_october(homes: Path, receiver: Receiver, tmp_path: Path) -> Settings:
    """An office that has published October, and told people of the lists until September."""
    settings = office(Path(shutil.copytree(homes / "2025-10", tmp_path / "office")))
    (settings.home / "office.toml").write_text(receiver.section(), encoding="utf-8")
    note_told(settings, Log.open(homes / "2025-09").next_number - 1)
    return settings


def test_a_list_that_any_command_published_is_told_once(untold_october: Settings, receiver: Receiver) -> None:
    (published,) = untold(untold_october)
    for _ in range(2):
        send_news(untold_october)
    (message,) = receiver.arrived
    assert message["title"] == "[ratinglist office] Published: 2025-10"
    first, changes = message["message"].splitlines()[:2]
    revision = untold_october.published / "2025-10" / "r1"
    assert first == f"The list of 2025-10 is published as r1 (digest {published.digest}): {revision}"
    assert changes.startswith("Largest changes, ")


def test_what_one_address_does_not_take_is_sent_again_to_all(untold_october: Settings, receiver: Receiver) -> None:
    (untold_october.home / "office.toml").write_text(
        f'[notify]\nto = ["json://127.0.0.1:1/secret", "json://127.0.0.1:{receiver.port}/"]\n', encoding="utf-8"
    )
    both = office(untold_october.home)
    with pytest.raises(NothingReadError) as failed:
        send_news(both)
    assert str(failed.value) == ("address 1 of [notify] took no message on 2025-10. The next run sends it again.")
    (untold_october.home / "office.toml").write_text(receiver.section(), encoding="utf-8")
    send_news(office(untold_october.home))
    assert [message["title"].endswith(": 2025-10") for message in receiver.arrived] == [True, True]


def test_a_run_that_is_killed_before_it_notes_what_it_told_tells_it_again(
    untold_october: Settings, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    undo.rollback(untold_october, Period.parse("2025-10"), "too early")
    with monkeypatch.context() as interrupted:
        interrupted.setattr(telling, "note_told", killed)
        with pytest.raises(KeyboardInterrupt):
            send_news(untold_october)
    for _ in range(2):
        send_news(untold_october)
    assert [message["message"].splitlines()[1] for message in receiver.arrived] == ["It was taken back since."] * 2


def test_lists_of_before_and_those_published_while_no_address_is_named_are_no_news(
    untold_october: Settings, homes: Path, receiver: Receiver, tmp_path: Path
) -> None:
    shutil.copytree(homes / "2025-09", tmp_path / "new")
    (tmp_path / "new" / "office.toml").write_text(receiver.section(), encoding="utf-8")
    assert send_news(office(tmp_path / "new")) == []
    choices = untold_october.home / "office.toml"
    choices.write_text("", encoding="utf-8")
    assert send_news(office(untold_october.home)) == []
    choices.write_text(receiver.section(), encoding="utf-8")
    assert send_news(office(untold_october.home)) == []
    assert receiver.arrived == []


def test_an_address_that_apprise_cannot_read_is_refused_without_its_secret(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text('[notify]\nto = ["mailto//user:secret@example.org"]\n', encoding="utf-8")
    with pytest.raises(CommandLineError, match=r"address 1 of \[notify\]") as refused:
        check_addresses(office(tmp_path))
    assert "secret" not in str(refused.value)
