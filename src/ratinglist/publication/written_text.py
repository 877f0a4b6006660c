"""Check the texts that a person writes about a list before they are stored: they are published with it."""

from __future__ import annotations

from ratinglist.config.settings import Settings
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.publication.questions import checked_reason, checked_text
from ratinglist.store.birth_dates import text_problem
from ratinglist.store.database import Store


def checked(store: Store, settings: Settings, period: Period, text: str, option: str, what: str = "") -> str:
    """Return the text of ``option``, in plain blanks and without blanks around it, about the list of ``period``.

    ``what`` names what has to be written; without it, the text may be empty. Raises :class:`CommandLineError` where the
    text is empty, is too long, is a reason of one letter, has a character that is not plain text, or has a date of
    birth.
    """
    if not what and not text.strip():
        return ""
    text = (checked_reason if option == "--because" else checked_text)(text, option, what)
    check_birth_dates(store, settings, period, text, option)
    return text


def check_birth_dates(store: Store, settings: Settings, period: Period, text: str, option: str) -> None:
    """Raise :class:`CommandLineError` where ``text`` has a date of birth."""
    if problem := text_problem(store, text, settings.today, played=period.first_day):
        raise CommandLineError(f"{option} {problem}. The text was not stored, and nothing was published.")
