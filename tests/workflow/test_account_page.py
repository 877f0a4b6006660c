"""`explain --html`: the words of the command, as a page that is one file."""

from __future__ import annotations

import re
from html import unescape

from tests.command_line import ratinglist

PLAYER = "900000113"


def test_the_page_has_every_word_of_the_command(homes):
    text = ratinglist("explain", PLAYER, home=homes / "2025-12").stdout
    page = ratinglist("explain", PLAYER, "--html", home=homes / "2025-12").stdout
    words = unescape(re.sub(r"<[^>]*>", " ", page)).split()
    assert set(text.split()) <= set(words)
    assert re.findall(r"<script|<link|<img|\ssrc=|\shref=", page) == []


def test_html_and_json_are_not_printed_together(homes):
    shown = ratinglist("explain", PLAYER, "--html", "--json", home=homes / "2025-12")
    assert shown.returncode == 2
    assert "leave one of them out" in shown.stderr
