"""The desk's door: who may come in, and what a browser gets before viser's page is there.

Viser serves its page and the connection behind it on one port and asks nobody who comes. The door is asked first.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import re
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from talo_physics.errors import TaloError
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.first import first_page, table_json

Answer = Callable[[Any, Request], Response | None]
"""What to answer a request with; None lets a connection be made."""
_LOG = logging.getLogger(__name__)
_LOG.addFilter(
    lambda record: "handshake failed" not in record.getMessage()
)  # whoever knocks with nonsense goes unheard
_HOST = re.compile(r"[A-Za-z0-9.\-\[\]:]{1,260}", re.ASCII)


def is_loopback(host: str) -> bool:
    """Whether only this computer can come in by this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(host: str, port: int) -> None:
    """See that nobody else listens there: viser would quietly take the next port.

    Raises:
        TaloError: the port is in use, or there is no such address here.
    """
    try:
        for family, kind, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:  # as the server will, which listens for either kind on its own
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        taken = getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
        advice = "--port chooses another port" if taken else "--host takes a name or an address of this computer"
        raise TaloError(f"cannot listen on {host}:{port}: {reason}; {advice}") from None


def is_own_page(headers: Any, host: str) -> bool:
    """Whether a request comes from the desk's own page, not from some other site in the same browser.

    On loopback it must have been called by one of loopback's names, so that no name that merely leads there passes.
    Only a page's scripts and connections send an origin; it must be the desk's.
    """
    try:
        called, origin = headers.get("Host", ""), headers.get("Origin")
    except LookupError:  # several of them
        return False
    if not _HOST.fullmatch(called) or (is_loopback(host) and not is_loopback(_name(f"//{called}"))):
        return False
    return origin is None or (bool(_name(origin)) and urlsplit(origin).netloc == called)


def _name(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class Door:
    """Turns pages of other sites away, and answers with the desk's own page."""

    def __init__(self, desk: Desk, host: str) -> None:
        self.desk, self.host = desk, host
        self.tries = 0
        """How often a server that asks it has tried to listen: once, unless somebody was faster."""

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Have the server asked for that is made meanwhile; viser offers no place for that."""
        module = websockets.asyncio.server
        usual = module.serve

        def serve(handler: Any, host: str, port: int, *, process_request: Answer, **rest: Any) -> Any:
            self.tries += 1
            if self.tries > 1:  # viser would go on with the next port, and where none is to be had wait for ever
                host, port = "127.0.0.1", 0

            def answer(connection: Any, request: Request) -> Response | None:
                return self(connection, request, process_request)

            return usual(handler, host, port, process_request=answer, logger=_LOG, **rest)

        module.serve = serve  # type: ignore[assignment,misc]  # a class; only called
        try:
            yield
        finally:
            module.serve = usual  # type: ignore[misc]

    def __call__(self, connection: Any, request: Request, viser: Answer) -> Response | None:
        """What to answer; viser is asked for whatever is not the desk's own."""
        if not is_own_page(request.headers, self.host):
            words = "this is not the desk's own page, or not by a name of this computer\n"
            return _response(403, "Forbidden", "text/plain", words)
        own = None if "Upgrade" in request.headers else self._own(request.path.partition("?")[0])
        try:
            answer = own or viser(connection, request)
        except (OSError, ValueError):  # no name for a file
            answer = _response(404, "Not Found", "text/plain", "there is no such thing here\n")
        if answer is not None:
            answer.headers.update(_headers(request.headers["Host"]))
        return answer

    def _own(self, path: str) -> Response | None:
        try:
            if path == "/":
                return _response(200, "OK", "text/html", first_page(self.desk))
            if path == "/alive":
                return _response(200, "OK", "text/plain", "yes\n")
            if path == "/table.json":
                return _response(200, "OK", "application/json", table_json(self.desk))
        except Exception:  # a fault of this program: viser's page does without the picture
            traceback.print_exc(file=sys.stderr)
        return None


def _response(status: int, reason: str, kind: str, text: str) -> Response:
    body = text.encode()
    headers = Headers({"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))})
    headers["Cache-Control"] = "no-store"  # the table changes
    return Response(status, reason, headers, body)


def _headers(host: str) -> dict[str, str]:
    """What a page may do: nothing that leads to another host, and not inside another site's page."""
    policy = (
        "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; "
        "worker-src blob: data:; img-src 'self' blob: data:; font-src data:; media-src blob: data:; frame-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host} blob: data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
