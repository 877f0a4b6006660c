"""The pictures of terminals show what the program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import ratinglist
from tests.docs.session import ROOT, module_of

IMAGES = ROOT / "docs" / "images"


MAKE = module_of(IMAGES / "make.py")


@pytest.mark.parametrize("name", MAKE.PICTURES)
def test_a_picture_shows_what_the_command_prints(name: str, published: Path) -> None:
    command = MAKE.PICTURES[name]
    shown = ratinglist(*command.split()[1:], home=published.parent)
    assert (IMAGES / name).read_text(encoding="utf-8") == MAKE.picture(command, shown.stdout), "run docs/images/make.py"


def test_every_picture_of_a_terminal_is_made() -> None:
    assert {path.name for path in IMAGES.glob("*.svg")} == set(MAKE.PICTURES)
