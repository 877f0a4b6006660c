"""Let nobody but the officer's own browser in: the host, the cookie, the origin and the form of each request.

The token in the first address is taken once; it becomes a cookie that no script reads and no other site sends. A
request that changes something comes from a page of the desk, and has the secret of its forms.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What a page of the desk may load: its own style sheet, script and images; nothing that stands in the page."""
HOST = "127.0.0.1"
"""The host of the desk."""
_READ = ("GET", "HEAD")
_NOT_LET_IN = (
    "Open the desk by the address that `ratinglist desk` prints. It opens once: to open the desk in another browser, "
    "close it and give the command again.\n"
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
        """Answer a request, or refuse it. The server is told to take no other than those of HTTP."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(HTTPConnection(scope), scope["method"], scope["path"])
        await (self._app if refusal is None else refusal)(scope, receive, send_guarded)

    def _refusal(self, request: HTTPConnection, method: str, path: str) -> Response | None:
        """Return the answer to a request that is let no further; None where it is the officer's."""
        if request.headers.get("host") != f"{HOST}:{self._port}":
            return PlainTextResponse("This address is not the desk's.\n", 421)
        given = request.query_params.get("token", "")
        if method == "GET" and path == "/" and not self._is_opened and _same(given, self._known.token):
            self._is_opened = True
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._known.cookie, httponly=True, samesite="strict")
            return answer
        if not _same(request.cookies.get(self._cookie, ""), self._known.cookie):
            return PlainTextResponse(_NOT_LET_IN, 403)
        if method not in _READ and request.headers.get("origin") != f"http://{request.headers['host']}":
            return PlainTextResponse("A form of another site was refused. Nothing was changed.\n", 403)
        return None


def _same(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode(), expected.encode())


def _add_headers(headers: MutableHeaders) -> None:
    headers["Content-Security-Policy"] = POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    # Not no-referrer: then browsers send no origin with a form either.
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers.setdefault("Cache-Control", "no-store")
