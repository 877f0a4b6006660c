"""`explain --html` and `open`: the words of the command, as a page that is one file."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from ratinglist.workflows import explain
from tests.command_line import ratinglist

PLAYER = "900000113"


def test_the_page_has_every_word_of_the_command(homes):
    text = ratinglist("explain", PLAYER, home=homes / "2025-12").stdout
    page = ratinglist("explain", PLAYER, "--html", home=homes / "2025-12").stdout
    words = unescape(re.sub(r"<[^>]*>", " ", page)).split()
    assert set(text.split()) <= set(words)
    assert "<svg " in page
    assert re.findall(r"<script|<link|<img|\ssrc=|\shref=", page) == []


def test_html_and_json_are_not_printed_together(homes):
    shown = ratinglist("explain", PLAYER, "--html", "--json", home=homes / "2025-12")
    assert shown.returncode == 2
    assert "leave one of them out" in shown.stderr


@pytest.mark.parametrize("opens", [True, False])
def test_open_writes_a_private_page_and_gives_it_to_the_browser(homes, monkeypatch, tmp_path, opens):
    given = []
    monkeypatch.setattr(explain.webbrowser, "open", lambda address: given.append(address) or opens)
    monkeypatch.setattr(explain, "mkdtemp", lambda prefix: str(tmp_path))
    shown = ratinglist("open", "Conrad", "2025-12", home=homes / "2025-12")
    assert shown.returncode == 0
    file = Path(url2pathname(urlparse(given[0]).path))
    assert file.name == f"{PLAYER}-2025-12.html"
    assert "1802 + 146 = 1948" in file.read_text(encoding="utf-8")
    assert given[0] in shown.stdout
    assert ("No browser could be opened here" in shown.stdout) is not opens
