"""The pictures of terminals show what the program prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.command_line import ratinglist
from tests.docs.session import ROOT

IMAGES = ROOT / "docs" / "images"


def _make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("images_make", IMAGES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE = _make()


@pytest.mark.parametrize("name", MAKE.PICTURES)
def test_a_picture_shows_what_the_command_prints(name: str, published: Path) -> None:
    command = MAKE.PICTURES[name]
    shown = ratinglist(*command.split()[1:], home=published.parent)
    assert (IMAGES / name).read_text(encoding="utf-8") == MAKE.picture(command, shown.stdout), "run docs/images/make.py"


def test_every_picture_of_a_terminal_is_made() -> None:
    assert {path.name for path in IMAGES.glob("*.svg")} == set(MAKE.PICTURES)
