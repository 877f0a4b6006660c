"""Serve the desk to nobody but the officer's own browser: the pages by their addresses, and what is around each.

The host, the cookie, the origin and the form of each request are looked at. The token in the first address is taken
once; it becomes a cookie that no script reads and no other site sends. A request that changes something comes from a
page of the desk, and has the secret of its forms.
"""

from __future__ import annotations

import secrets
import signal
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ratinglist.errors import NothingReadError, RatinglistError, system_error_text
from ratinglist.files import resources
from ratinglist.findings import without_births
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import family_of_home
from ratinglist_desk import pages
from ratinglist_desk.orders import ORDERS
from ratinglist_desk.pages import Page, Visit
from ratinglist_desk.texts import day_text, form_of, language_of, month_text, said, texts_of, word
from ratinglist_desk.work import Bench, Order, read_form

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What a page of the desk may load: its own style sheet, script and images; nothing that stands in the page."""
HOST = "127.0.0.1"
"""The host of the desk."""
_READ = ("GET", "HEAD")
_NOT_LET_IN = (
    "The desk is open in another browser, or was: its address opens once. Close the window in which `ratinglist desk` "
    "runs, or press Ctrl-C there, and give the command again. Nothing is lost by that.\n"
)


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of one run of the desk. ``token``: in the first address."""

    token: str = field(default_factory=_secret, repr=False)
    cookie: str = field(default_factory=_secret, repr=False)
    form: str = field(default_factory=_secret, repr=False)


class Guard:
    """Refuses every request that is not the officer's, and adds the policies to every answer.

    ``port``: of the desk. The secret of a form is checked where the form is read: its body may be as large as a
    delivery.
    """

    def __init__(self, app: ASGIApp, known: Secrets, port: int) -> None:
        self._app, self._known, self._port = app, known, port
        self._is_opened = False
        self._cookie = f"ratinglist-desk-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it. The server is told to take only those of HTTP."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(HTTPConnection(scope), scope["method"], scope["path"])
        await (self._app if refusal is None else refusal)(scope, receive, send_guarded)

    def _refusal(self, request: HTTPConnection, method: str, path: str) -> Response | None:
        """Return the answer to a request that goes no further; None where it is the officer's."""
        if request.headers.get("host") != f"{HOST}:{self._port}":
            return PlainTextResponse("This address is not the desk's.\n", 421)
        token = request.query_params.get("token", "")
        if method == "GET" and path == "/" and not self._is_opened and _same(token, self._known.token):
            self._is_opened = True
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._known.cookie, httponly=True, samesite="strict")
            return answer
        if not _same(request.cookies.get(self._cookie, ""), self._known.cookie):
            return PlainTextResponse(_NOT_LET_IN, 403)
        if method not in _READ and request.headers.get("origin") != f"http://{request.headers['host']}":
            return PlainTextResponse("A form of another site was refused. Nothing was changed.\n", 403)
        return None


def _same(sent: str, expected: str) -> bool:
    return secrets.compare_digest(sent.encode(), expected.encode())


def _add_headers(headers: MutableHeaders) -> None:
    headers["Content-Security-Policy"] = POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    # Not no-referrer: then browsers send no origin with a form either.
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers.setdefault("Cache-Control", "no-store")


PAGES: Mapping[str, Callable[[Visit], Page]] = {
    "/": pages.home,
    "/log": pages.log,
    "/inbox": pages.inbox,
    "/inbox/{key}": pages.report,
    "/corrections": pages.corrections,
    "/month/{month}": pages.month,
    "/players": pages.players,
    "/players/{fide_id:int}": pages.player,
    "/publications": pages.publications,
    "/publications/{month}": pages.publication,
    "/work/{number:int}": pages.work,
}


@dataclass(frozen=True)
class Desk(Summary):
    """One run of the desk. ``settings``: of the command that opened it."""

    settings: Settings
    port: int
    known: Secrets = field(default_factory=Secrets, repr=False)

    @property
    def address(self) -> str:
        """The first address, with the token."""
        return f"http://{HOST}:{self.port}/?token={self.known.token}"

    def as_dict(self) -> dict[str, object]:
        """Return the address as JSON values."""
        return {"address": self.address}

    def text(self) -> str:
        """Return the address, and how the desk is closed."""
        home = self.settings.home
        return f"The desk of {home} is served to the browser of this computer, at:\n{self.address}\nCtrl-C closes it."

    @cached_property
    def bench(self) -> Bench:
        """Where its commands are given."""
        return Bench(self.settings)

    @cached_property
    def folder(self) -> TemporaryDirectory[str]:
        """Where the files of its forms are, until it is closed."""
        return TemporaryDirectory(prefix="ratinglist-desk-")

    def new_folder(self) -> Path:
        """Return a folder for the files of one form, which is not there yet."""
        return Path(mkdtemp(dir=self.folder.name)) / "delivery"

    def first_page(self) -> Path:
        """Return a file, for this account alone, that leads a browser to the first address.

        A browser is given it on its command line, which every account of the computer can read.
        """
        file = Path(self.folder.name) / "open.html"
        file.touch(0o600)
        file.write_text(f'<meta http-equiv="refresh" content="0; url={self.address}">\n', encoding="utf-8")
        return file


def serve(desk: Desk, listening: socket.socket) -> None:
    """Serve the desk on a socket until it is stopped."""
    server = uvicorn.Server(uvicorn.Config(application(desk), log_level="error", lifespan="off", ws="none"))
    # The server ends at an interrupt and raises it again: that is the end of the command, and no error. Nor is it one
    # where its terminal is closed, or it is told to end; what was uploaded is deleted.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: None)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    with desk.folder:
        server.run([listening])


def application(desk: Desk) -> Guard:
    """Return the desk as an application that a server calls."""
    routes = [Route(path, partial(_page, desk, make)) for path, make in PAGES.items()]
    static = resources.data("desk")
    routes += [Route(f"/{name}", partial(_static, static / name)) for name in ("desk.css", "mark.svg")]
    routes += [
        Route("/do/{name}", partial(_order, desk, ORDERS), methods=["POST"]),
        Route("/work/{number:int}/{name}", partial(_order, desk, pages.STEPS), methods=["POST"]),
        Route("/work/{number:int}/files/{path:path}", partial(_file, desk)),
    ]
    return Guard(Starlette(routes=routes), desk.known, desk.port)


def _visit(desk: Desk, request: Request) -> Visit:
    language = language_of(request.headers.get("accept-language", ""))
    return Visit(_settings(desk), desk.bench, language, dict(request.path_params), dict(request.query_params))


def _settings(desk: Desk) -> Settings:
    """Return the present settings: the day may have changed, and so may office.toml and the family of the lists."""
    started = desk.settings
    return Settings.read(started.home, today=None if started.is_clock else started.today, family_of=family_of_home)


async def _page(desk: Desk, make: Callable[[Visit], Page], request: Request) -> Response:
    visit = _visit(desk, request)
    return await run_in_threadpool(_made, desk, visit, request.url.path, make)


def _made(desk: Desk, visit: Visit, path: str, make: Callable[[Visit], Page]) -> Response:
    try:
        page = make(visit)
    except Exception as error:
        return _failed(desk, visit, path, error)
    return _shown(desk, visit, path, page)


def _shown(desk: Desk, visit: Visit, path: str, page: Page, status: int = 200) -> Response:
    if page.goes_to:
        return RedirectResponse(page.goes_to, 303)
    values = {
        "t": texts_of(visit.language),
        "language": visit.language,
        "section": path.split("/")[1],
        "form_secret": desk.known.form,
        "office": _office_name(visit.settings),
        "person": visit.settings.person,
        "under_way": [work for work in visit.bench.under_way() if f"/work/{work.number}" != path],
        **page.values,
    }
    html = _environment(visit.language).get_template(page.template).render(values)
    headers = {"Refresh": str(page.refresh)} if page.refresh else None
    return HTMLResponse(html, status, headers=headers)


def _office_name(settings: Settings) -> str:
    try:
        return settings.office.name or settings.home.resolve().name
    except RatinglistError:
        # The pages that need office.toml say what is wrong with it.
        return settings.home.resolve().name


def _failed(desk: Desk, visit: Visit, path: str, error: Exception) -> Response:
    """Say what is wrong on a page; an error that the program did not expect is a defect of it."""
    if isinstance(error, RatinglistError):
        status = 404 if isinstance(error, NothingReadError) else 409
        message = without_births(str(error), visit.settings.today.year)
    else:
        status = 500
        message = system_error_text(error) or f"This is a defect of the program: {type(error).__name__}: {error}"
    return _shown(desk, visit, path, Page("error.html", {"message": message}), status)


async def _order(desk: Desk, orders: Mapping[str, Callable[[Visit, Any], Order]], request: Request) -> Response:
    """Give the order of a form, or the next one of a work, and show its work."""
    visit = _visit(desk, request)
    try:
        form = await read_form(request, desk.known.form, desk.new_folder())
        if request.path_params["name"] not in orders:
            raise NothingReadError("There is no such form.")
        order = await run_in_threadpool(orders[request.path_params["name"]], visit, form)
    except (RatinglistError, OSError) as error:
        return _failed(desk, visit, request.url.path, error)
    return RedirectResponse(f"/work/{desk.bench.give(order).number}", 303)


async def _static(path: Path, _request: Request) -> Response:
    return FileResponse(path, headers={"Cache-Control": "no-cache"})


async def _file(desk: Desk, request: Request) -> Response:
    """Send a file that a command made in its folder, to be kept."""
    try:
        folder = desk.bench.get(request.path_params["number"]).order.folder
    except NothingReadError:
        raise HTTPException(404) from None
    path = None if folder is None else (folder / request.path_params["path"]).resolve()
    if folder is None or path is None or folder.resolve() not in path.parents or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, filename=path.name)


@cache
def _environment(language: str) -> Environment:
    texts = texts_of(language)
    environment = Environment(
        loader=FileSystemLoader(resources.data("desk") / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["month"] = partial(month_text, texts=texts)
    environment.filters["day"] = partial(day_text, texts=texts)
    environment.filters["word"] = partial(word, texts=texts)
    environment.filters["said"] = as_said = partial(said, language=language)
    environment.filters["form"] = partial(form_of, texts=texts)
    environment.filters["remedy"] = lambda reason, text: texts.get(f"remedy_{reason}") or as_said(text)
    return environment
