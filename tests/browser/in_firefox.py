"""A reader in Firefox, which takes orders by WebDriver BiDi: it speaks that by itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
with_firefox = pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed")
_SECONDS = 120


class FirefoxPage:
    """A page in Firefox."""

    def __init__(self, wire: ClientConnection, address: str) -> None:
        self._wire, self._numbers = wire, count(1)
        self._asks("session.new", capabilities={})
        self._page = self._asks("browsingContext.getTree")["contexts"][0]["context"]
        self.opens(address)

    def opens(self, address: str) -> None:
        """Open a page by its address."""
        self._asks("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def resizes(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        self._asks("browsingContext.setViewport", context=self._page, viewport={"width": width, "height": height})

    def value(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript in the page."""
        answer = self._asks(
            "script.callFunction",
            functionDeclaration=f"() => JSON.stringify({expression})",
            target={"context": self._page},
            awaitPromise=False,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def waits_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + _SECONDS
        while not self.value(condition):
            assert time.monotonic() < until, self.value("document.body.innerText")
            time.sleep(0.1)

    def _asks(self, method: str, **values: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._wire.send(json.dumps({"id": number, "method": method, "params": values}))
        while True:
            answer = json.loads(self._wire.recv(timeout=_SECONDS))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return dict(answer["result"])


@contextmanager
def at_firefox(address: str, profile: Path) -> Iterator[FirefoxPage]:
    """Open a page in Firefox with a profile of its own."""
    profile.mkdir()
    (profile / "user.js").write_text('user_pref("intl.accept_languages", "en");\n', encoding="utf-8")
    assert FIREFOX is not None
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    said = profile / "said.txt"
    # A file takes whatever Firefox says; a pipe that nobody reads any more would stop it when it is full.
    with said.open("w", encoding="utf-8") as file, subprocess.Popen(command, stderr=file) as process:
        try:
            with connect(f"{_listens(said)}/session", max_size=None) as wire:
                yield FirefoxPage(wire, address)
        finally:
            process.terminate()
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _listens(said: Path) -> str:
    """Wait for the address at which Firefox says that it takes orders."""
    until = time.monotonic() + _SECONDS
    while (address := re.search(r"ws://[\d.:]+(?=\s)", said.read_text(encoding="utf-8"))) is None:
        assert time.monotonic() < until, said.read_text(encoding="utf-8")
        time.sleep(0.1)
    return address[0]
