"""The written reasons of people, and remarks: what may be one, and what says nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.publication.doubts import Doubt
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.table_files import formula_problem
from ratinglist.text import first_forbidden_in_written_text, is_too_short, with_plain_blanks

TEXT_LENGTH = 1000
"""Most characters of a reason or a remark: a paragraph. All readers of the manifest read it."""
_LETTERS_OF_A_WORD = 6
_SAYS_NOTHING = frozenset({"checked", "correct", "confirmed", "verified", "approved"})
"""Words that say that somebody looked, and not what was seen."""


def check_reasons(months: Mapping[str, Sequence[Doubt]], reasons: Mapping[str, str]) -> None:
    """Raise :class:`CommandLineError` for a reason given to a question that none of these months raises."""
    raised = {doubt.code for raised in months.values() for doubt in raised if doubt.kind == "ask"}
    for question in reasons:
        if question not in raised:
            what = f"it raises {', '.join(sorted(raised))}" if raised else "it raises none"
            raise CommandLineError(
                f"--because {question}: the list of {', '.join(months)} does not raise that question; {what}. Leave "
                "the reason out."
            )


def parse_reasons(given: Iterable[str], questions: Collection[str]) -> dict[str, str]:
    """Parse reasons as the command line gives them, ``QUESTION=written reason``, into reasons by question.

    ``questions``: the names of all questions. Raises :class:`CommandLineError` for an unknown question, for one given
    twice, and for a reason that is empty, too long or no plain text.
    """
    reasons: dict[str, str] = {}
    for option in given:
        question, equals, reason = (part.strip() for part in option.partition("="))
        if question not in questions or not equals:
            raise CommandLineError(
                f"--because '{option}': write QUESTION=\"your reason\", the question being one of "
                f"{', '.join(sorted(questions))}."
            )
        if question in reasons:
            raise CommandLineError(f"--because {question}: given twice; one reason is enough.")
        what = "why the list is right all the same"
        reasons[question] = checked_reason(reason, f"--because {question}", what)
    return reasons


def checked_reason(text: str, option: str, what: str) -> str:
    """Return :func:`checked_text` of a reason; raises :class:`CommandLineError` for one that says nothing too."""
    reason = checked_text(text, option, what)
    if is_too_short(reason) or _says_nothing(reason):
        raise CommandLineError(f"{option}: '{reason}' is no reason that a reader understands: write {what}.")
    return reason


def _says_nothing(reason: str) -> bool:
    """Return whether a reason is a single short word, as ``ok``, or says no more than that somebody looked.

    A word of a script without capitals may be a sentence, and is not counted by its letters.
    """
    word = reason.strip(" .!").casefold()
    is_short = len(word) < _LETTERS_OF_A_WORD and (word.isascii() or word != word.upper())
    return word in _SAYS_NOTHING or (is_short and " " not in word)


def checked_text(text: str, option: str, what: str) -> str:
    """Return the text of an option in plain blanks, without those around it; ``what`` names what has to be written.

    Raises :class:`CommandLineError` where it is empty, is too long, has a character that is not plain text, or is
    calculated by a spreadsheet, in which published files are opened.
    """
    text = with_plain_blanks(text).strip()
    if not text:
        raise CommandLineError(f"{option} is empty: write {what}.")
    if len(text) > TEXT_LENGTH:
        raise CommandLineError(f"{option} has {len(text):,} characters: write at most {TEXT_LENGTH:,}.")
    if strange := first_forbidden_in_written_text(text):
        raise CommandLineError(
            f"{option} has the character {strange}, which is not seen or controls a terminal: write one line of plain "
            "text."
        )
    if problem := formula_problem(text):
        raise CommandLineError(f"{option} '{text}' {problem}: write it in words.")
    return text


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
