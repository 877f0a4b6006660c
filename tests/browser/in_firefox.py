"""A reader, or an officer with a mouse, in Firefox: it takes orders by WebDriver BiDi, which it speaks by itself."""

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
_ANSWERS = 10
"""Seconds in which a page that is there answers a call."""
_FIND = """(selector, name) => [...document.querySelectorAll(selector)].find(
    (one) => !name || one.innerText.trim() === name || (name.endsWith(" ") && one.innerText.startsWith(name)))"""


class FirefoxClicks:
    """A page in Firefox, and an officer at the desk; see ``Clicks``, which does the same in Chromium."""

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
        return json.loads(self._calls(f"() => JSON.stringify({expression})")["value"])

    def waits_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        self._waits(lambda: self.value(condition))

    def goes(self, name: str) -> None:
        """Click a link of the head of the page."""
        self._leaves("nav a", name)

    def follows(self, name: str) -> None:
        """Click a link of the page itself."""
        self._leaves("main a", name)

    def clicks(self, name: str, within: str = "main") -> None:
        self._leaves(f"{within} button", name)

    def reads(self, text: str) -> None:
        """Wait until the page has a text."""
        self._waits(
            lambda: self._calls("(text) => document.querySelector('main').innerText.includes(text)", text)["value"]
        )

    def chooses(self, field: str, *files: Path) -> None:
        self._asks("input.setFiles", context=self._page, element=self._found(field), files=[str(one) for one in files])

    def fills(self, field: str, text: str) -> None:
        """Type a text into a field, key by key."""
        self._click(field)
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._acts({"type": "key", "id": "keys", "actions": keys})

    def _leaves(self, selector: str, name: str) -> None:
        """Click what leads to another page, and wait for that page."""
        self._calls("() => { window.isLeft = true }")
        self._click(selector, name)
        self._waits(
            lambda: self._calls("() => window.isLeft === undefined && document.readyState === 'complete'")["value"]
        )

    def _click(self, selector: str, name: str = "") -> None:
        self._waits(lambda: self._has_moved_to(selector, name))
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._acts({"type": "pointer", "id": "mouse", "actions": press})

    def _has_moved_to(self, selector: str, name: str) -> bool:
        """Move the mouse to an element; while a page is laid out, it may be scrolled away again before the move."""
        element = self._found(selector, name)
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": {"type": "element", "element": element}}
        self._acts({"type": "pointer", "id": "mouse", "actions": [move]})
        return True

    def _acts(self, actions: dict[str, Any]) -> None:
        self._asks("input.performActions", context=self._page, actions=[actions])

    def _found(self, selector: str, name: str = "") -> dict[str, str]:
        """Wait for an element with this text, scroll to it and return it."""
        self._waits(lambda: self._calls("() => document.readyState === 'complete'")["value"])
        self._waits(lambda: self._calls(_FIND, selector, name)["type"] == "node")
        found = self._calls(
            f"(...given) => {{ const one = ({_FIND})(...given); one.scrollIntoView({{block: 'center'}}); return one }}",
            selector,
            name,
        )
        return {"sharedId": found["sharedId"]}

    def _waits(self, is_so: Any) -> None:
        until = time.monotonic() + _SECONDS
        while True:
            try:
                if is_so():
                    return
            except (AssertionError, TimeoutError):
                # The page is being left, and Firefox may drop a call then: call again.
                pass
            assert time.monotonic() < until, self._calls("() => document.body.innerText")["value"]
            time.sleep(0.1)

    def _calls(self, function: str, *given: str) -> dict[str, Any]:
        values = [{"type": "string", "value": one} for one in given]
        answer = self._asks(
            "script.callFunction",
            _ANSWERS,
            functionDeclaration=function,
            arguments=values,
            target={"context": self._page},
            awaitPromise=False,
        )
        assert answer["type"] == "success", answer
        return dict(answer["result"])

    def _asks(self, method: str, seconds: float = _SECONDS, **values: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._wire.send(json.dumps({"id": number, "method": method, "params": values}))
        while True:
            answer = json.loads(self._wire.recv(timeout=seconds))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return dict(answer["result"])


@contextmanager
def at_firefox(address: str, profile: Path) -> Iterator[FirefoxClicks]:
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
                yield FirefoxClicks(wire, address)
        finally:
            process.terminate()
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _listens(said: Path) -> str:
    """Wait for the address at which Firefox says that it takes orders."""
    until = time.monotonic() + _SECONDS
    while (found := re.search(r"ws://[\d.:]+(?=\s)", said.read_text(encoding="utf-8"))) is None:
        assert time.monotonic() < until, said.read_text(encoding="utf-8")
        time.sleep(0.1)
    return found[0]
