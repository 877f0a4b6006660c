"""The site in Firefox, from a folder: every page is filled, fits the window, and finds a player.

Firefox is driven by its own protocol, Marionette: a length, a colon and JSON. It is skipped where there is no Firefox.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ratinglist.workflows.site import site
from tests.browser.in_chromium import HINT
from tests.browser.test_site_in_browser import PAGES
from tests.conftest import office

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
pytestmark = pytest.mark.skipif(FIREFOX is None, reason=f"Firefox {HINT}")
SECONDS = 120
FILLED = """return (!document.querySelector("script") || document.querySelector("main.ready") !== null)
    && !document.querySelector("[aria-busy]")"""


class Firefox:
    """A Firefox without a window on the screen, and a folder whose pages it opens."""

    def __init__(self, profile: Path, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n', encoding="utf-8")
        command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._connection = _connected(port)
        self._number = 0
        self._received()
        self.do("WebDriver:NewSession")

    def do(self, command: str, **arguments: object) -> Any:
        """Give a command, and return its result."""
        self._number += 1
        message = json.dumps([0, self._number, command, arguments]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._received()
        assert error is None, error
        return result

    def run(self, script: str) -> Any:
        """Run a script in the page, and return its value."""
        return self.do("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def open(self, page: str) -> None:
        """Open a page, and wait until the script has filled it."""
        for address in ("about:blank", f"{self.folder.as_uri()}/{page}"):
            self.do("WebDriver:Navigate", url=address)
        self.wait_for(FILLED)

    def wait_for(self, script: str) -> None:
        """Wait until ``script`` returns true."""
        give_up = time.monotonic() + SECONDS
        while not self.run(script):
            assert time.monotonic() < give_up, script
            time.sleep(0.05)

    def _received(self) -> Any:
        length = b""
        while (one := self._connection.recv(1)) != b":":
            length += one
        content = b""
        while len(content) < int(length):
            content += self._connection.recv(int(length) - len(content))
        return json.loads(content)


def _connected(port: int) -> socket.socket:
    give_up = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        except OSError:
            assert time.monotonic() < give_up
            time.sleep(0.2)


@pytest.fixture(scope="module")
def firefox(corrected_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    folder = tmp_path_factory.mktemp("firefox")
    site(office(corrected_home), folder / "site")
    (folder / "profile").mkdir()
    opened = Firefox(folder / "profile", folder / "site")
    yield opened
    opened.process.terminate()
    opened.process.wait(SECONDS)


@pytest.mark.parametrize("width", [500, 820, 1280])
def test_pages_are_filled_and_fit_in_firefox(firefox, width):
    """500 pixels are the narrowest window that Firefox opens."""
    firefox.do("WebDriver:SetWindowRect", width=width, height=900)
    for page in PAGES:
        firefox.open(page)
        firefox.wait_for("return document.querySelector('main').innerText.length > 100")
        assert firefox.run("return document.querySelectorAll('[role=alert]').length") == 0, page
        assert firefox.run("return document.documentElement.scrollWidth <= innerWidth"), page
        wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)"
        assert firefox.run(f"return {wide}.map((one) => one.getAttribute('aria-label'))") == [], page


def test_firefox_finds_a_player_and_explains_the_rating(firefox):
    firefox.open("search.html#conrad")
    firefox.wait_for("return document.querySelector('.found table') !== null")
    assert "Çelård, Conrad" in firefox.run("return document.querySelector('.found').innerText")
    firefox.open("player.html#900000113")
    firefox.wait_for("return document.querySelector('#account').innerText.includes('1802 → 1948 (+146)')")
