"""Send letters to the arbiters whose addresses the office has, each letter once.

The addresses are in ``arbiters.csv`` of the home. What was sent is an entry of the log, by the digest of each text: a
letter whose text is the same is not sent again.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.config.office import spelling
from ratinglist.errors import CommandLineError
from ratinglist.limits import TOML_BYTES
from ratinglist.safe_text import on_one_line
from ratinglist.store.database import Store
from ratinglist.workflows import mail
from ratinglist.workflows.mail import Mail, MailError

ADDRESSES = "arbiters.csv"
_HEAD = ["name", "email"]
_ADDRESS = re.compile(r"[^\s@<>,;:\"]+@[^\s@<>,;:\"]+\.[^\s@<>,;:\"]+")
KIND = "letters"


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter: the arbiter as the report names him, the subject and the text."""

    arbiter: str
    subject: str
    text: str

    @property
    def digest(self) -> str:
        """Return the digest of the text, by which the log knows it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(slots=True)
class Sending:
    """What became of the letters: ``sent`` and ``already``: how many; ``unknown``: arbiters without an address.

    ``refused``: what the mail server says of the addresses it refuses. ``stopped``: why the others were not sent.
    """

    sent: int = 0
    already: int = 0
    unknown: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    stopped: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a letter with an address was not sent."""
        return bool(self.refused or self.stopped)

    def lines(self) -> list[str]:
        """Return what became of the letters, in lines."""
        lines = [f"  sent: {self.sent:,}; sent before, and not again: {self.already:,}"]
        if self.unknown:
            lines.append(f"  not sent, because {ADDRESSES} has no address: {'; '.join(self.unknown)}")
        lines += [f"  not sent: {one}" for one in self.refused]
        if self.stopped:
            lines.append(
                f"  the others were not sent: {self.stopped}. Give the command again: it sends what is missing."
            )
        return lines


def addresses(home: Path) -> dict[str, str]:
    """Return the address of each arbiter, by the spelling of the name.

    Raises :class:`CommandLineError` where the file is missing, or has a line that is no name and address.
    """
    path = home / ADDRESSES
    how = "Write a line name,email, and below it a line for each arbiter, as record 102 of the reports names him."
    if not path.is_file():
        raise CommandLineError(f"{path} is not there, so no address is known. {how} Nothing was sent.")
    if path.stat().st_size > TOML_BYTES:
        raise CommandLineError(f"{path} has more than {TOML_BYTES:,} bytes. {how} Nothing was sent.")
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise CommandLineError(f"{path} is not a CSV file in UTF-8. Save it as one. Nothing was sent.") from None
    known: dict[str, str] = {}
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        wrong = ""
        if line == 1:
            wrong = "" if cells == _HEAD else f"the first line is not {','.join(_HEAD)}"
        elif any(cells):
            if len(cells) != len(_HEAD) or not cells[0]:
                wrong = "it is not a name and an address"
            elif not _ADDRESS.fullmatch(cells[1]):
                wrong = f"'{cells[1]}' is not an address of mail"
            elif known.setdefault(spelling(cells[0]), cells[1]) != cells[1]:
                wrong = f"'{cells[0]}' has another address above"
        if wrong:
            raise CommandLineError(f"{path}, line {line}: {wrong}. {how} Nothing was sent.")
    return known


def send_letters(store: Store, settings: Settings, month: str, letters: Mapping[str, Letter]) -> Sending:
    """Send the letters, by the name of their files, that were not sent before, and record them.

    A letter whose address the server refuses stops no other.
    """
    known, done, office = addresses(settings.home), Sending(), settings.office.notify
    due: list[tuple[str, Letter, str]] = []
    for name, letter in letters.items():
        if letter.digest in store.log.history.letters:
            done.already += 1
        elif address := known.get(spelling(letter.arbiter)) if letter.arbiter else None:
            due.append((name, letter, address))
        else:
            done.unknown.append(f"{on_one_line(letter.arbiter) or 'no arbiter is named'} ({name})")
    sent: list[dict[str, str]] = []
    try:
        if due:
            with mail.connected(office) as server:
                for name, letter, address in due:
                    one = Mail(address, letter.subject, letter.text, letter.digest, datetime.now(UTC))
                    try:
                        mail.send(server, office, one)
                    except MailError as error:
                        done.refused.append(f"{name}: {error}")
                        continue
                    sent.append({"file": name, "sha256": letter.digest})
                    settings.progress("letters sent", len(sent), len(due))
    except MailError as error:
        done.stopped = str(error)
    finally:
        # Also where the command is interrupted: what was sent was sent.
        if sent:
            store.record(KIND, settings.today, month=month, sent=sent)
    done.sent = len(sent)
    return done
