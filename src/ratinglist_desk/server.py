"""Serve the desk: which page has which address, and what every page has around it."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from ratinglist.births import without_births
from ratinglist.errors import NothingReadError, RatinglistError
from ratinglist.files import resources
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.system_errors import system_error_text
from ratinglist.workflows.opening import family_of_home
from ratinglist_desk import pages
from ratinglist_desk.forms import read_form
from ratinglist_desk.guard import DESK, SITE, SITE_POLICY, Guard, Secrets
from ratinglist_desk.orders import ORDERS
from ratinglist_desk.page import Page, Visit
from ratinglist_desk.texts import (
    ENGLISH,
    day_text,
    form_of,
    language_of,
    languages,
    month_text,
    said,
    signed,
    texts_of,
    word,
)
from ratinglist_desk.work import Bench, newest_entry

_LANGUAGE = "ratinglist-language"
_LOOK_AGAIN = 1
"""Seconds after which the desk looks again whether another command has changed the office."""

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
        return f"http://{DESK}:{self.port}/?token={self.known.token}"

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
        return Bench(self.settings, partial(_prepare, self))

    @cached_property
    def folder(self) -> TemporaryDirectory[str]:
        """Where the files of its forms are, until it is closed."""
        return TemporaryDirectory(prefix="ratinglist-desk-")

    @cached_property
    def numbers(self) -> count[int]:
        """The numbers of its forms."""
        return count(1)

    def new_folder(self) -> Path:
        """Return a folder for the files of one form, which is not there yet."""
        return Path(self.folder.name) / str(next(self.numbers)) / "delivery"

    def first_page(self) -> Path:
        """Return a file, for this account alone, that leads a browser to the first address.

        A browser is given it on its command line, which every account of the computer can read.
        """
        file = Path(self.folder.name) / "open.html"
        file.touch(0o600)
        file.write_text(f'<meta http-equiv="refresh" content="0; url={self.address}">\n', encoding="utf-8")
        return file

    @property
    def site_address(self) -> str:
        """The first page of the site that is looked at."""
        return f"http://{SITE}:{self.port}/site/{self.known.site}/index.html"

    @property
    def site(self) -> Path:
        """Where the site that is looked at is made."""
        return Path(self.folder.name) / "site"


def serve(desk: Desk, listening: socket.socket) -> None:
    """Serve the desk on a socket until it is stopped."""
    server = uvicorn.Server(uvicorn.Config(application(desk), log_level="error", lifespan="off", ws="none"))
    # The server ends at an interrupt and raises it again: that is the end of the command, and no error.
    signal.signal(signal.SIGINT, lambda *_: None)
    with desk.folder:
        Thread(target=_watch, args=(desk,), daemon=True, name="watch").start()
        server.run([listening])


def _watch(desk: Desk) -> None:
    """Prepare the pages at the start, and when another command has changed the office."""
    seen = None
    while True:
        if seen != (seen := newest_entry(desk.settings.home)):
            _prepare(desk)
        time.sleep(_LOOK_AGAIN)


def _prepare(desk: Desk) -> None:
    """Draw the first page, so that nobody waits for what it reads."""
    # Whatever is wrong, the page that needs it says so; the work that has ended must be called done.
    with suppress(Exception):
        visit = Visit(_settings(desk), desk.bench, ENGLISH)
        _shown(desk, visit, "/", lambda: pages.home(visit))


def application(desk: Desk) -> Guard:
    """Return the desk as an application that a server calls."""
    routes = [Route(path, partial(_page, desk, make)) for path, make in PAGES.items()]
    static = resources.data("desk")
    routes += [Route(f"/{name}", partial(_static, static / name)) for name in ("desk.css", "mark.svg")]
    routes += [
        Route("/do/{action}", partial(_order, desk), methods=["POST"]),
        Route("/work/{number:int}/{step}", partial(_go_on, desk), methods=["POST"]),
        Route("/work/{number:int}/files/{path:path}", partial(_file, desk)),
        Route("/site/{secret}/{path:path}", partial(_site, desk)),
        Route("/language", partial(_language, desk), methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={404: partial(_missing, desk)})
    return Guard(app, desk.known, desk.port)


def _visit(desk: Desk, request: Request) -> Visit:
    chosen = request.cookies.get(_LANGUAGE, "")
    language = chosen if chosen in languages() else language_of(request.headers.get("accept-language", ""))
    path, query = dict(request.path_params), dict(request.query_params)
    return Visit(_settings(desk), desk.bench, language, path, query, desk.site_address)


def _settings(desk: Desk) -> Settings:
    """Return the settings of now: the day may have changed, and so may office.toml and the family of the lists."""
    started = desk.settings
    return Settings.read(started.home, today=None if started.is_clock else started.today, family_of=family_of_home)


async def _page(desk: Desk, make: Callable[[Visit], Page], request: Request) -> Response:
    visit = _visit(desk, request)
    return await run_in_threadpool(_shown, desk, visit, request.url.path, lambda: make(visit))


def _shown(desk: Desk, visit: Visit, path: str, make: Callable[[], Page]) -> Response:
    status = 200
    try:
        page = make()
    except Exception as error:
        status, page = _failed(error, visit.settings.today.year)
    if page.goes_to:
        return RedirectResponse(page.goes_to, 303)
    values = {
        "t": texts_of(visit.language),
        "language": visit.language,
        "other_languages": [one for one in languages() if one != visit.language],
        "here": path,
        "section": path.split("/")[1],
        "form_secret": desk.known.form,
        "office": _office_name(visit.settings),
        "person": visit.settings.person,
        "under_way": [one for one in visit.bench.under_way() if f"/work/{one.number}" != path],
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


def _failed(error: Exception, year: int) -> tuple[int, Page]:
    if isinstance(error, RatinglistError):
        return (404 if isinstance(error, NothingReadError) else 409), Page(
            "error.html", {"message": without_births(str(error), year)}
        )
    message = system_error_text(error) or f"This is a defect of the program: {type(error).__name__}: {error}"
    return 500, Page("error.html", {"message": message})


async def _missing(desk: Desk, request: Request, _error: Exception) -> Response:
    visit = _visit(desk, request)
    page = Page("error.html", {"message": ""})
    response = _shown(desk, visit, request.url.path, lambda: page)
    response.status_code = 404
    return response


async def _order(desk: Desk, request: Request) -> Response:
    """Give the order of a form, and show its work."""
    return await _with_form(desk, request, lambda visit, form: ORDERS[request.path_params["action"]](visit, form))


async def _go_on(desk: Desk, request: Request) -> Response:
    """Give an order again, with what is missing, or in earnest after it was shown what it would do."""
    return await _with_form(desk, request, lambda visit, form: pages.STEPS[request.path_params["step"]](visit, form))


async def _with_form(desk: Desk, request: Request, order_of: Callable[[Visit, Any], Any]) -> Response:
    visit = _visit(desk, request)
    try:
        form = await read_form(request, desk.known.form, desk.new_folder())
        order = await run_in_threadpool(order_of, visit, form)
    except KeyError:
        return _shown(desk, visit, request.url.path, partial(_raise, NothingReadError("There is no such form.")))
    except (RatinglistError, OSError) as error:
        return _shown(desk, visit, request.url.path, partial(_raise, error))
    return RedirectResponse(f"/work/{desk.bench.give(order).number}", 303)


def _raise(error: Exception) -> Page:
    raise error


async def _language(desk: Desk, request: Request) -> Response:
    try:
        form = await read_form(request, desk.known.form, desk.new_folder())
    except RatinglistError as error:
        return _shown(desk, _visit(desk, request), request.url.path, partial(_raise, error))
    back = form.text("back")
    # A path of this desk, and no other address.
    answer = RedirectResponse(back if re.fullmatch(r"/[\w/-]*", back) and not back.startswith("//") else "/", 303)
    answer.set_cookie(_LANGUAGE, form.text("language")[:2], httponly=True, samesite="strict", max_age=31_536_000)
    return answer


async def _static(path: Path, _request: Request) -> Response:
    return FileResponse(path, headers={"Cache-Control": "no-cache"})


async def _file(desk: Desk, request: Request) -> Response:
    """Send a file that a command made in its folder, to be kept."""
    folder = desk.bench.get(request.path_params["number"]).order.folder
    path = None if folder is None else (folder / request.path_params["path"]).resolve()
    if folder is None or path is None or folder.resolve() not in path.parents or not path.is_file():
        return await _missing(desk, request, NothingReadError())
    return FileResponse(path, filename=path.name)


async def _site(desk: Desk, request: Request) -> Response:
    """Send a file of the site that was made to be looked at."""
    files = StaticFiles(directory=desk.site, html=True, check_dir=False)
    answer = await files.get_response(request.path_params["path"] or "index.html", request.scope)
    answer.headers["Content-Security-Policy"] = SITE_POLICY
    return answer


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
    environment.filters["signed"] = signed
    environment.filters["word"] = partial(word, texts=texts)
    environment.filters["said"] = as_said = partial(said, language=language)
    environment.filters["form"] = partial(form_of, texts=texts)
    environment.filters["remedy"] = lambda reason, text: texts.get(f"remedy_{reason}") or as_said(text)
    return environment
