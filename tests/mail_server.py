"""A mail server of this machine that keeps what arrives."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class MailServer:
    """What arrived: mails in ``arrived``, every command in ``said``; ``refused``: addresses that it refuses.

    ``tls``: the context of a server that offers STARTTLS. ``login_answer``: its answer to a login. ``most``: after so
    many mails it hangs up.
    """

    arrived: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    tls: ssl.SSLContext | None = None
    login_answer: str = "235 welcome"
    most: int = 1000
    port: int = 0


@contextmanager
def serving(server: MailServer) -> Iterator[MailServer]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline():
                command = line.decode().strip()
                server.said.append(command)
                if not self._answer(command):
                    break
            if isinstance(self.connection, ssl.SSLSocket):
                self.connection.close()

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

        def _answer(self, command: str) -> bool:
            verb = command[:4].upper()
            if verb == "EHLO":
                self._say("250-here\r\n250-AUTH PLAIN" + ("\r\n250 STARTTLS" if server.tls else "\r\n250 HELP"))
            elif command.upper() == "STARTTLS" and server.tls:
                self._say("220 go on")
                try:
                    self.connection = server.tls.wrap_socket(self.connection, server_side=True)
                except OSError:
                    return False
                self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            elif verb == "AUTH":
                self._say(server.login_answer.format(said=command))
            elif verb == "RCPT" and any(f"<{one}>" in command for one in server.refused):
                self._say("550 nobody here has this address")
            elif verb == "DATA":
                if len(server.arrived) >= server.most:
                    return False
                self._say("354 go on")
                server.arrived.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                self._say("250 kept")
            else:
                self._say("221 bye" if verb == "QUIT" else "250 ok")
            return verb != "QUIT"

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as listening:
        server.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
