"""`letters --send`: each letter once, no login without encryption, and no password in a message."""

from __future__ import annotations

import datetime as dt
import ipaddress
import shutil
import ssl
from collections.abc import Iterator
from email import message_from_string, policy
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ratinglist.workflows import mail
from tests.command_line import did, ratinglist
from tests.mail_server import MailServer, serving

MONTH, PASSWORD = "2025-10", "open sesame"
ARBITERS = "name,email\nOriol Fenwick-Sand,oriol@example.org\n marit  LINDEGAARD ,marit@example.org\n"


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    shutil.copytree(homes / MONTH, tmp_path / "home")
    (tmp_path / "home" / "arbiters.csv").write_text(ARBITERS, encoding="utf-8")
    return tmp_path / "home"


@pytest.fixture
def server() -> Iterator[MailServer]:
    with serving(MailServer()) as one:
        yield one


def notify(home: Path, server: MailServer, *lines: str) -> None:
    text = [
        "[notify]",
        'sender = "office@example.org"',
        'smtp_host = "127.0.0.1"',
        f"smtp_port = {server.port}",
        *lines,
    ]
    (home / "office.toml").write_text("\n".join([*text, ""]), encoding="utf-8")


def send(home: Path, *words: str):
    return ratinglist("letters", MONTH, "--out", home.parent / "out", "--send", *words, home=home)


def test_each_letter_is_sent_once_to_the_arbiter_whose_address_is_known(home, server):
    notify(home, server)
    shown = send(home)
    assert shown.returncode == 0, shown.stderr
    assert "  sent: 3; sent before, and not again: 0" in shown.stdout
    assert "not sent, because arbiters.csv has no address: " in shown.stdout
    assert "Paolo Tern (ORV25095-" in shown.stdout
    mails = [message_from_string(one, policy=policy.default) for one in server.arrived]
    assert sorted(one["To"] for one in mails) == ["marit@example.org", "marit@example.org", "oriol@example.org"]
    (refused,) = (one for one in mails if one["To"] == "oriol@example.org")
    assert (refused["From"], refused["Subject"]) == (
        "office@example.org",
        "Vale Weekend (ORV25093): the list of 2025-10",
    )
    written = next((home.parent / "out").glob("ORV25093-*.txt")).read_text(encoding="utf-8")
    assert refused.get_content().replace("\r\n", "\n") == written
    again = send(home)
    assert "  sent: 0; sent before, and not again: 3" in again.stdout
    assert len(server.arrived) == 3
    assert "3 letters were sent on the list of 2025-10" in ratinglist("log", home=home).stdout


def test_without_send_nothing_is_sent(home, server):
    notify(home, server)
    assert ratinglist("letters", MONTH, "--out", home.parent / "out", home=home).returncode == 0
    assert server.said == []


def test_what_was_not_sent_is_sent_by_the_next_command(home, server):
    notify(home, server)
    server.most = 1
    shown = send(home)
    assert shown.returncode == 3
    assert "sent: 1;" in shown.stdout
    assert "the others were not sent: 127.0.0.1, port" in shown.stdout
    server.most = 1000
    assert "sent: 2; sent before, and not again: 1" in send(home).stdout
    assert len(server.arrived) == 3


def test_an_address_that_is_refused_stops_no_other(home, server):
    notify(home, server)
    server.refused = {"oriol@example.org"}
    shown = send(home)
    assert shown.returncode == 3
    assert "sent: 2;" in shown.stdout
    assert "oriol@example.org is refused: nobody here has this address" in shown.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not there, so no address is known"),
        ("naem,email\n", "line 1: the first line is not name,email"),
        ("name;email\nPaolo Tern;paolo@example.org\n", "save the file with commas between the cells"),
        ("name,email\nPaolo Tern\n", "line 2: it is not a name and an address"),
        ("name,email\nPaolo Tern,paolo\n", "line 2: 'paolo' is not an address of mail"),
        ('name,email\nA,"a@example.org, b@example.org"\n', "is not an address of mail"),
        ("name,email\nA,a@example.org\na,b@example.org\n", "line 3: 'a' has another address above"),
    ],
)
def test_a_wrong_file_of_addresses_is_refused_and_nothing_is_sent(home, server, text, message):
    notify(home, server)
    (home / "arbiters.csv").unlink()
    if text is not None:
        (home / "arbiters.csv").write_text(text, encoding="utf-8")
    shown = send(home)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert server.said == []
    assert not (home.parent / "out").exists()


@pytest.mark.long
def test_a_rebuild_knows_what_was_sent(home, server):
    notify(home, server)
    send(home)
    assert ratinglist("doctor", "--rebuild", home=home).returncode == 0
    assert "sent: 0; sent before, and not again: 3" in send(home).stdout


# ----------------------------------------------------------------------------------------------------- encryption


def certificate(folder: Path) -> tuple[Path, Path]:
    """Return the file of a certificate for 127.0.0.1 that no authority has signed, and that of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, key_pem = folder / "cert.pem", folder / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return pem, key_pem


@pytest.fixture
def trusted(server: MailServer, tmp_path: Path) -> Path:
    pem, key = certificate(tmp_path)
    server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.tls.load_cert_chain(pem, key)
    return pem


def test_a_password_is_not_sent_without_encryption(home, server, monkeypatch):
    monkeypatch.setenv(mail.PASSWORD, PASSWORD)
    notify(home, server, 'smtp_login = "office"')
    shown = send(home)
    assert shown.returncode == 3
    assert "smtp_login of [notify] in office.toml needs an encrypted connection" in shown.stdout
    assert server.said == []


def test_a_certificate_that_nobody_signed_stops_the_mail_before_the_login(home, server, trusted, monkeypatch):
    monkeypatch.setenv(mail.PASSWORD, PASSWORD)
    notify(home, server, 'smtp_login = "office"', "smtp_starttls = true")
    shown = send(home)
    assert shown.returncode == 3
    assert "its certificate is not valid" in shown.stdout
    assert [one for one in server.said if one.startswith("AUTH")] == server.arrived == []


def test_a_valid_certificate_lets_the_login_and_the_mail_through(home, server, trusted, monkeypatch):
    monkeypatch.setenv(mail.PASSWORD, PASSWORD)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    notify(home, server, 'smtp_login = "office"', "smtp_starttls = true")
    assert "sent: 3;" in send(home).stdout
    assert server.said.index("STARTTLS") < next(at for at, one in enumerate(server.said) if one.startswith("AUTH"))


def test_an_answer_that_repeats_the_password_is_printed_without_it(home, server, trusted, monkeypatch):
    monkeypatch.setenv(mail.PASSWORD, PASSWORD)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    server.login_answer = f"535 wrong: {{said}} {PASSWORD}"
    notify(home, server, 'smtp_login = "office"', "smtp_starttls = true")
    shown = send(home)
    assert shown.returncode == 3
    assert "it answers 535 wrong: AUTH PLAIN [password] [password]" in shown.stdout


def test_a_login_without_its_password_is_named(home, server, monkeypatch):
    monkeypatch.delenv(mail.PASSWORD, raising=False)
    notify(home, server, 'smtp_login = "office"', "smtp_starttls = true")
    assert f"the environment variable {mail.PASSWORD} with its password is not" in send(home).stdout


# --------------------------------------------------------------------------------------------- a letter to a player


def test_a_player_gets_what_the_office_holds_and_no_day_of_birth(home, moves_nothing):
    assert (
        ratinglist(
            *("correct", "player", "99900027", "federation=KEL", "--by", "office", "--because", "moved to Kelland"),
            home=home,
        ).returncode
        == 0
    )
    out = home.parent / "player"
    did(home, "letters", "--player", "99900027", "--out", out)
    text = (out / "player-99900027.txt").read_text(encoding="utf-8")
    assert text.startswith("To: Castellane, Émile\n")
    assert "- FIDE ID: 99900027\n- name: Castellane, Émile\n- federation: KEL\n" in text
    assert "- year of birth: 1983\n- The office also holds the day of your birth." in text
    assert "moved to Kelland" in text
    assert "- 2025-10 standard: 25" in text
    assert not {"1983-11-02", "11-02", "1983/11/02"} & {word.strip(".,") for word in text.split()}
    did(home, "letters", "--player", "99900027", "--out", out, "--language", "it")
    assert (out / "player-99900027.txt").read_text(encoding="utf-8").startswith("A: Castellane")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Name the month of the list, such as 2025-10, or a player with --player."),
        ((MONTH, "--player", "99900027"), "leave out the month and --send"),
        (("--send", "--player", "99900027"), "leave out the month and --send"),
        (("--player", "12345"), "No player with the FIDE ID 12345 is registered"),
    ],
)
def test_letters_that_are_neither_of_a_month_nor_of_a_player(home, words, message):
    shown = ratinglist("letters", *words, home=home)
    assert shown.returncode in (2, 3)
    assert message in shown.stderr
