"""Send mail by the mail server that ``[notify]`` of ``office.toml`` names: letters.

The connection is encrypted where the office says so, and then the server's certificate must be valid. The password is
never sent without encryption, and no message has it.
"""

from __future__ import annotations

import base64
import os
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import format_datetime

from ratinglist.config.office import NotificationPolicy

PASSWORD = "RATINGLIST_SMTP_PASSWORD"  # noqa: S105 - the name of the variable, not its value
TIMEOUT = timedelta(seconds=20).total_seconds()
"""How long the server may take to accept a mail."""
_TLS_PORT = 465
"""The port at which a connection is encrypted from its beginning."""
_MASK = "[password]"


class MailError(Exception):
    """A mail was not sent; the text says why, and has no password."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail. ``key``: the same for the same mail, so that a receiver that gets it twice can tell."""

    to: str
    subject: str
    text: str
    key: str
    written: datetime


@contextmanager
def connected(office: NotificationPolicy) -> Iterator[smtplib.SMTP]:
    """Give a connection to the mail server of the office, with its login.

    Raises :class:`MailError` where there is none, also for what happens in the block.
    """
    password = os.environ.get(PASSWORD, "")
    at_once = office.smtp_port == _TLS_PORT
    if trouble := login_trouble(office, password):
        raise MailError(trouble)
    where, tls = (office.smtp_host, office.smtp_port), ssl.create_default_context()
    try:
        with (
            smtplib.SMTP_SSL(*where, timeout=TIMEOUT, context=tls)
            if at_once
            else smtplib.SMTP(*where, timeout=TIMEOUT) as server
        ):
            if office.smtp_starttls and not at_once:
                server.starttls(context=tls)
            if office.smtp_login:
                server.login(office.smtp_login, password)
            yield server
    except (OSError, smtplib.SMTPException, MessageError, ValueError) as error:
        raise MailError(f"{office.smtp_host}, port {office.smtp_port}: {_why(error, office, password)}") from None


def login_trouble(office: NotificationPolicy, password: str) -> str:
    """Return why no login at the mail server is possible, as a sentence; empty where one is, or none is needed."""
    if office.smtp_login and not (office.smtp_starttls or office.smtp_port == _TLS_PORT):
        return (
            "smtp_login of [notify] in office.toml needs an encrypted connection: a password is not sent without one. "
            f"Set smtp_starttls = true, or smtp_port = {_TLS_PORT}"
        )
    if office.smtp_login and not password:
        return f"smtp_login is set, and the environment variable {PASSWORD} with its password is not"
    return ""


def send(server: smtplib.SMTP, office: NotificationPolicy, mail: Mail) -> None:
    """Send a mail by a connection of :func:`connected`.

    Raises :class:`MailError` where the server refuses the address; the next mail may be sent all the same.
    """
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = mail.subject, office.sender, mail.to
    message["Date"] = format_datetime(mail.written)
    message["Message-ID"] = f"<{mail.key}@ratinglist>"
    message.set_content(mail.text)
    try:
        server.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        answers = (f"{to} is refused: {_decoded(answer)}" for to, (_, answer) in error.recipients.items())
        raise MailError("; ".join(answers)) from None


def _why(error: Exception, office: NotificationPolicy, password: str) -> str:
    """Return what an error says, in words and without the password."""
    if isinstance(error, ssl.SSLCertVerificationError):
        text = f"its certificate is not valid ({error.verify_message}), so nothing was sent"
    elif isinstance(error, smtplib.SMTPResponseException):
        text = f"it answers {error.smtp_code} {_decoded(error.smtp_error)}"
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error)
    login = office.smtp_login
    secrets = (password, *(base64.b64encode(one.encode()).decode() for one in (password, f"\0{login}\0{password}")))
    for one in secrets if password else ():
        text = text.replace(one, _MASK)
    return " ".join(text.split())


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
