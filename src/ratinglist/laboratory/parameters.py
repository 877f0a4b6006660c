"""The parameters of a system of the laboratory, after colons of its name: ``general-elo:expected=normal:k=30``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ratinglist.errors import CommandLineError

_AT_LEAST_ONE = ("k", "n0", "first_k", "deviation")


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a system may be given: ``choices`` by key, and ``numbers``; a key may be both."""

    choices: Mapping[str, Sequence[str]]
    numbers: Sequence[str]

    def read(self, text: str) -> tuple[dict[str, str | float], str]:
        """Return the values by key, whole numbers where they are, and the name that states them.

        Raises :class:`CommandLineError` where a key or a value is none.
        """
        system, *parts = text.split(":")
        values: dict[str, str | float] = {}
        named = [system]
        for part in parts:
            key, _, value = part.partition("=")
            if key not in self.choices and key not in self.numbers:
                known = ", ".join(dict.fromkeys((*self.choices, *self.numbers)))
                raise CommandLineError(f"{text}: '{key}' is no parameter; the parameters are {known}.")
            if key in values:
                raise CommandLineError(f"{text}: '{key}' is there twice.")
            if value in self.choices.get(key, ()):
                values[key] = value
                named.append(value)
                continue
            is_number = re.fullmatch(r"\d{1,4}(\.\d{1,3})?", value) and (key not in _AT_LEAST_ONE or float(value) >= 1)
            if key not in self.numbers or not is_number:
                forms = [*self.choices.get(key, ()), *(["a number such as 20"] if key in self.numbers else [])]
                raise CommandLineError(f"{text}: '{key}' is {_one_of(forms)}, and not '{value}'.")
            values[key] = int(value) if value.isdigit() else float(value)
            named.append(f"{key.replace('_', '-')}{value}")
        return values, "-".join(named)


def _one_of(forms: Sequence[str]) -> str:
    return forms[0] if len(forms) == 1 else f"one of {', '.join(forms)}"
