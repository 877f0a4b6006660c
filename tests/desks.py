"""An officer at the desk, without a browser: loads pages, and fills in the forms that they have."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from ratinglist_desk import work
from ratinglist_desk.server import Desk, application
from tests.command_line import entered
from tests.conftest import office

with warnings.catch_warnings():
    # It would rather have httpx2, which nothing else here needs.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

PORT = 8385
ADDRESS = f"http://127.0.0.1:{PORT}"


class Forms(HTMLParser):
    """The forms of a page: each its address and the fields that are filled in already."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self._select, self._option = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.forms.append((values["action"], {}))
            return
        if not self.forms:
            return
        fields = self.forms[-1][1]
        if tag == "input" and values.get("type") not in ("file", "radio"):
            fields[values["name"]] = values.get("value", "")
        elif tag == "textarea" and "name" in values:
            fields[values["name"]] = ""
        elif tag == "select":
            self._select = values["name"]
        elif tag == "option" and self._select and (self._select not in fields or "selected" in values):
            fields[self._select] = values.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""


class Officer:
    """An officer whose browser has opened the first address, unless it is not let in."""

    def __init__(self, desk: Desk, *, is_let_in: bool = True) -> None:
        self.desk = desk
        self.client = TestClient(application(desk), base_url=ADDRESS, follow_redirects=True)
        if is_let_in:
            self.client.get(desk.address)
        self.page = ""

    def opens(self, address: str, status: int = 200) -> str:
        """Load a page, and return its text."""
        answer = self.client.get(address)
        assert answer.status_code == status, answer.text
        self.page = answer.text
        return self.page

    def does(self, address: str, action: str, files: list[Path] | None = None, **fields: str) -> str:
        """Load a page and send a form of it."""
        self.opens(address)
        return self.sends(action, files, **fields)

    def sends(self, action: str, files: list[Path] | None = None, **fields: str) -> str:
        """Fill in the form with this address on the page, send it, and wait until its work is done."""
        forms = [form for form in Forms(self.page).forms if form[0].startswith(action)]
        assert forms, f"no form {action} on this page:\n{self.page}"
        address, filled = forms[0]
        unknown = set(fields) - set(filled) - {"right"}
        assert not unknown, f"the form {action} has no field {unknown}"
        sent = [("files", (path.name, path.read_bytes())) for path in files or []]
        answer = self.client.post(address, data={**filled, **fields}, files=sent or None, headers={"Origin": ADDRESS})
        deadline = time.monotonic() + 120
        while "refresh" in answer.headers:
            assert time.monotonic() < deadline, answer.text
            answer = self.client.get(str(answer.url))
        self.page = answer.text
        return self.page


class Here:
    """What the desk starts as a process, run in this one: to start a process takes longer than most commands."""

    def __init__(self, words: list[str], *, cwd: Path, env: Mapping[str, str], **_: Any) -> None:
        # Only the main thread of a process may say what an interrupt does.
        with chdir(cwd), patch.dict(os.environ, env), patch.object(signal, "signal"):
            shown = entered(*words[words.index("ratinglist") :])
        self.returncode, self.stdout, self.stderr = shown.returncode, StringIO(shown.stdout), StringIO(shown.stderr)

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        pass


HERE = SimpleNamespace(Popen=Here, DEVNULL=subprocess.DEVNULL, PIPE=subprocess.PIPE)


@contextmanager
def at_the_desk(home: Path, today: date, *, processes: bool = False, **settings: Any) -> Iterator[Officer]:
    """Open the desk of a home on a day, which its commands know too.

    ``processes``: each command is a process of its own, as at a desk that people use.
    """
    desk = Desk(replace(office(home), today=today, **settings), PORT)
    with desk.folder, patch.object(work, "subprocess", subprocess if processes else HERE):
        yield Officer(desk)
