"""Notifications: each event once to each receiver, and none lost while a receiver is down."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from email import message_from_string, policy
from errno import ENOSPC
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.workflows.notifications import Notification, Rests, is_unkept, notify, send_all
from ratinglist.workflows.receivers import check_receivers, ping


class Sink:
    """What arrived at a web server or a mail server of this machine."""

    def __init__(self) -> None:
        self.arrived: list[str] = []
        self.port = 0


NO_ROOM = OSError(ENOSPC, "No space left on device")


class FirstOfMay(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> FirstOfMay:
        return cls(2025, 5, 1, 20, tzinfo=tz)


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def web() -> Iterator[Sink]:
    sink = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sink.arrived.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    sink.port = server.server_port
    with serving(server):
        yield sink


@pytest.fixture
def mail() -> Iterator[Sink]:
    sink = Sink()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 sink\r\n")
            while line := self.rfile.readline():
                command = line[:4].upper()
                if command == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    lines = iter(self.rfile.readline, b".\r\n")
                    sink.arrived.append(b"".join(lines).decode())
                self.wfile.write(b"221 bye\r\n" if command == b"QUIT" else b"250 ok\r\n")
                if command == b"QUIT":
                    return

    server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
    sink.port = server.server_address[1]
    with serving(server):
        yield sink


def office(folder: Path, text: str) -> Settings:
    home = folder / "office"
    home.mkdir(exist_ok=True)
    (home / "office.toml").write_text(f"[notify]\n{text}\n", encoding="utf-8")
    return Settings.read(home=home, environment={})


def test_an_event_is_sent_once_to_each_receiver(tmp_path: Path, web: Sink, mail: Sink) -> None:
    settings = office(
        tmp_path,
        f'webhooks = ["http://127.0.0.1:{web.port}/hook"]\nemail = ["anna@example.org", "bo@example.org"]\n'
        f'smtp_host = "127.0.0.1"\nsmtp_port = {mail.port}',
    )
    for _ in range(2):
        notify(settings, Notification("waiting", "run 1", "The list of 2025-11 waits", "Étude: who decides?"))
    (posted,) = (json.loads(one) for one in web.arrived)
    assert datetime.now(UTC) - datetime.fromisoformat(posted.pop("at")) < timedelta(minutes=5)
    assert posted == {
        "event": "waiting",
        "run": "run 1",
        "digest": "",
        "subject": "[ratinglist office] The list of 2025-11 waits",
        "text": "Étude: who decides?",
    }
    assert len(mail.arrived) == 2
    assert "Subject: [ratinglist office] The list of 2025-11 waits" in mail.arrived[0]
    assert [f"To: {one}@example.org" in text for one, text in zip(("anna", "bo"), mail.arrived, strict=True)] == [
        True,
        True,
    ]
    assert send_all(settings) == []
    assert len(web.arrived) == 1


def test_what_a_receiver_missed_is_sent_when_it_is_there_again(tmp_path: Path, web: Sink, mail: Sink) -> None:
    gone = 'smtp_host = "127.0.0.1"\nsmtp_port = 1'
    receivers = f'webhooks = ["http://127.0.0.1:{web.port}/"]\nemail = ["anna@example.org"]'
    down = office(tmp_path, f"{receivers}\n{gone}")
    for number in (1, 2):
        problems = notify(down, Notification("failed", f"run {number}", "It failed", "why"))
        assert len(problems) == number
        assert problems[0].startswith("mailto:anna@example.org: ")
    assert len(web.arrived) == 2
    up = office(tmp_path, f'{receivers}\nsmtp_host = "127.0.0.1"\nsmtp_port = {mail.port}')
    for _ in range(2):
        assert send_all(up) == []
    assert ["failed" in text for text in mail.arrived] == [True, True]
    assert ["run-1" in mail.arrived[0], "run-2" in mail.arrived[1]] == [True, True]
    assert len(web.arrived) == 2


def test_a_mail_has_the_day_of_the_event_and_the_sender_of_the_office(
    tmp_path: Path, mail: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    receivers = 'email = ["anna@example.org"]\nsender = "ratings@example.org"\nsmtp_host = "127.0.0.1"'
    monkeypatch.setattr("ratinglist.workflows.notifications.datetime", FirstOfMay)
    notify(office(tmp_path, f"{receivers}\nsmtp_port = 1"), Notification("failed", "run 1", "It failed", "why"))
    monkeypatch.undo()
    send_all(office(tmp_path, f"{receivers}\nsmtp_port = {mail.port}"))
    (arrived,) = mail.arrived
    read = message_from_string(arrived, policy=policy.default)
    assert (read["Date"], read["From"]) == ("Thu, 01 May 2025 20:00:00 +0000", "ratings@example.org")


def test_a_webhook_gets_the_run_and_apart_from_it_the_digest_of_what_is_to_approve(tmp_path: Path, web: Sink) -> None:
    settings = office(tmp_path, f'webhooks = ["http://127.0.0.1:{web.port}/"]')
    run = "0a1b2c3d-0000-4000-8000-00000000000a"
    for digest, again in (("d1", ""), ("d2", ""), ("d2", "-1"), ("d2", "-1")):
        key = f"{run}-{digest}{again}"
        notify(settings, Notification("waiting", run, "It waits", "why", key, digest))
    notify(settings, Notification("crashed", run, "It was interrupted", "text", f"{run}-again"))
    notify(settings, Notification("published", run, "Published", "text"))
    posted = [json.loads(one) for one in web.arrived]
    assert {one["run"] for one in posted} == {run}
    assert [one["digest"] for one in posted] == ["d1", "d2", "d2", "", ""]


def test_a_receiver_that_was_removed_and_one_that_no_program_can_reach_stop_no_other(tmp_path: Path, web: Sink) -> None:
    here, wrong = f"http://127.0.0.1:{web.port}/", "http://[wrong"
    failed, late = (Notification(one, "run 5", "Of run 5", "why") for one in ("failed", "late"))
    notify(office(tmp_path, f'webhooks = ["{wrong}", "http://127.0.0.1:1/"]'), failed)
    problems = notify(office(tmp_path, f'webhooks = ["{wrong}", "{here}"]'), late)
    assert [one.startswith("an address that cannot be read: ") for one in problems] == [True, True], (
        "one for each event"
    )
    assert [json.loads(one)["event"] for one in web.arrived] == ["late"]


def test_an_office_without_receivers_keeps_nothing(tmp_path: Path) -> None:
    settings = office(tmp_path, "")
    notify(settings, Notification("published", "run 3", "Published", "text"))
    assert not (settings.home / "notifications").exists()


def test_what_happens_while_the_choices_of_the_office_cannot_be_read_is_sent_later(tmp_path: Path, web: Sink) -> None:
    with pytest.raises(CommandLineError):
        notify(office(tmp_path, "webhoks = []"), Notification("failed", "run 6", "It failed", "a key is misspelt"))
    assert send_all(office(tmp_path, f'webhooks = ["http://127.0.0.1:{web.port}/"]')) == []
    (posted,) = (json.loads(one) for one in web.arrived)
    assert (posted["event"], posted["text"]) == ("failed", "a key is misspelt")


def test_an_office_that_turns_out_to_have_no_receiver_sends_nothing_when_it_has_one(tmp_path: Path, web: Sink) -> None:
    with pytest.raises(CommandLineError):
        notify(office(tmp_path, "webhoks = []"), Notification("failed", "run 7", "It failed", "text"))
    assert send_all(office(tmp_path, "")) == []
    assert send_all(office(tmp_path, f'webhooks = ["http://127.0.0.1:{web.port}/"]')) == []
    assert web.arrived == []


def no_room(*_: object) -> None:
    raise NO_ROOM


def test_on_a_full_disk_a_notification_is_sent_at_once_and_not_again_when_there_is_room(
    tmp_path: Path, web: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = office(tmp_path, f'webhooks = ["http://127.0.0.1:{web.port}/", "http://127.0.0.1:1/"]')
    failed = Notification("failed", "run 8", "It failed", "why")
    with monkeypatch.context() as full:
        full.setattr("ratinglist.workflows.notifications.replace_file", no_room)
        for _ in range(2):
            (problem,) = notify(settings, failed)
            assert problem.startswith("http://127.0.0.1:1/…: ")
        assert is_unkept(settings, failed)
    assert len(web.arrived) == 1
    notify(settings, failed)
    assert not is_unkept(settings, failed)
    (kept,) = (settings.home / "notifications").glob("*.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["missing"] == ["http://127.0.0.1:1/"]
    assert len(web.arrived) == 1


def test_what_was_sent_while_the_disk_was_full_is_not_sent_again(
    tmp_path: Path, web: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{web.port}/"
    notify(office(tmp_path, 'webhooks = ["http://127.0.0.1:1/"]'), Notification("late", "run 9", "Late", "why"))
    (kept,) = (tmp_path / "office" / "notifications").glob("*.json")
    kept.write_text(json.dumps({**json.loads(kept.read_text(encoding="utf-8")), "missing": [address]}), "utf-8")
    settings = office(tmp_path, f'webhooks = ["{address}"]')
    with monkeypatch.context() as full:
        full.setattr("ratinglist.workflows.notifications.replace_file", no_room)
        (problem,) = send_all(settings)
        assert problem.endswith("No space left on device. What was sent is written down once there is room.")
        send_all(settings)
    assert send_all(settings) == []
    assert json.loads(kept.read_text(encoding="utf-8"))["missing"] == []
    assert len(web.arrived) == 1


def test_no_log_has_what_is_secret_in_an_address(tmp_path: Path, web: Sink) -> None:
    secrets = [
        f"http://officer:hunter2@127.0.0.1:{web.port}/T0KEN?key=S3CRET",
        "http://officer:hunter2@127.0.0.1:1/T0KEN?key=S3CRET",
        "ftp://officer:hunter2@example.org/T0KEN",
        "http://[hunter2/T0KEN",
        "hunter2 T0KEN",
    ]
    for address in secrets[1:]:
        problem = notify(office(tmp_path, f'webhooks = ["{address}"]'), Notification("late", address, "Late", "why"))[
            -1
        ]
        assert not any(one in problem for one in ("hunter2", "T0KEN", "S3CRET")), problem
        assert ping(address)
        assert not any(one in ping(address) for one in ("hunter2", "T0KEN", "S3CRET"))
    assert ping(secrets[0]).endswith("it answers 501 Unsupported method ('GET')")


def test_a_receiver_that_does_not_answer_is_left_alone_for_longer_each_time(
    tmp_path: Path, web: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = office(tmp_path, f'webhooks = ["http://127.0.0.1:1/", "http://127.0.0.1:{web.port}/"]')
    notify(settings, Notification("late", "run 10", "Late", "why"))
    now, rests, tried = [0], Rests(), []
    monkeypatch.setattr("ratinglist.workflows.notifications.time.monotonic_ns", lambda: now[0])
    for minute in range(12):
        now[0] = minute * 60_000_000_000
        if send_all(settings, rests):
            tried.append(minute)
    assert tried == [0, 1, 3, 7]
    assert notify(settings, Notification("late", "run 10", "Late", "why")) == [], "it is known: nothing is tried"
    # One that answers again is notified at once.
    rests.note("http://127.0.0.1:1/", "")
    assert send_all(settings, rests)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('webhooks = ["chat.example.org/hooks/T0KEN"]', "webhooks: an address without a server is no address"),
        ('webhooks = ["ftp://chat.example.org/T0KEN"]', "webhooks: ftp://chat.example.org/… is no address"),
        ('webhooks = ["https://chat.example.org/a T0KEN"]', "webhooks: https://chat.example.org/… is no address"),
        ('webhooks = ["https://chat.example.org:99999/T0KEN"]', "webhooks: an address that cannot be read is no"),
        ('email = ["anna"]', "email: 'anna' is no mail address"),
        ('email = ["Anna <anna@example.org>"]', "email: 'Anna <anna@example.org>' is no mail address"),
        ('email = ["a@example.org, b@example.org"]', "is no mail address"),
        ('email = ["a@example.org"]\nsender = "office"', "sender: 'office' is no mail address"),
        ('email = ["a@example.org"]\nsmtp_host = "smtp://mail.example.org"', "smtp_host: 'smtp://mail.example.org'"),
        ('email = ["a@example.org"]\nsmtp_login = "a"', "a password is not sent without one"),
        ('email = ["a@example.org"]\nsmtp_login = "a"\nsmtp_starttls = true', "RATINGLIST_SMTP_PASSWORD"),
        ('[on_call]\nping_url = "example"', "ping_url: an address without a server"),
    ],
)
def test_a_receiver_that_cannot_be_right_is_refused_when_the_service_starts(
    tmp_path: Path, text: str, wrong: str
) -> None:
    with pytest.raises(CommandLineError) as refused:
        check_receivers(office(tmp_path, text))
    assert wrong in str(refused.value)
    assert "T0KEN" not in str(refused.value)
    assert str(refused.value).endswith("Nothing was started.")


def test_receivers_that_may_be_right_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATINGLIST_SMTP_PASSWORD", "x")
    text = (
        'webhooks = ["https://chat.example.org/hooks/a?b=c", "http://127.0.0.1:8080/"]\nemail = ["a@example.org"]\n'
        'smtp_login = "a"\nsmtp_port = 465\n[on_call]\nping_url = "https://ping.example.org/uuid"'
    )
    check_receivers(office(tmp_path, text))
    check_receivers(office(tmp_path, ""))
