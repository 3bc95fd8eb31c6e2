"""The explorer's server: this machine alone, only with the token of its address, only what the page needs."""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

from kces.errors import InvalidParameterError, KCESError, OutputError
from kces.report.explorer import Explorer
from kces.report.numbers import Json
from kces.report.page import as_script_text, render

__all__ = ["LARGEST_BODY", "ExploreServer"]

LARGEST_BODY = 64 * 1024
_ADDRESS = "127.0.0.1"
_TOKEN_HEADER = "X-KCES-Token"
_SECONDS_TO_SPEAK = 30
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""The page itself carries the policy that names its scripts; these add what only a header can say."""

Answer: TypeAlias = Callable[[Explorer, Json], Json]


class _RefusedError(Exception):
    """A request that gets no answer but a status and a line."""

    def __init__(self, status: HTTPStatus, line: str) -> None:
        self.status, self.line = status, line
        super().__init__(line)


def _put_mark(explorer: Explorer, body: Json) -> Json:
    if "mark" not in body:
        raise InvalidParameterError("a mark is fine, harmful or null")
    return {"ok": True, "marks": explorer.mark(body.get("source"), body.get("target"), body["mark"])}


def _save(explorer: Explorer, body: Json) -> Json:
    path, removed = explorer.save(body.get("name"), body.get("alpha"))
    return {"ok": True, "path": str(path), "removed": removed}


_ANSWERS: dict[str, dict[str, Answer]] = {
    "/api/marks": {"GET": lambda explorer, _: {"marks": explorer.listed_marks()}, "POST": _put_mark},
    "/api/rescore": {"POST": lambda explorer, _: explorer.rescore()},
    "/api/save": {"POST": _save},
}


class ExploreServer(ThreadingHTTPServer):
    """Serves one explorer; ``address`` is what to open.

    Parameters
    ----------
    explorer : what is served.
    port : 0 takes a free one.
    """

    daemon_threads = True

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        if not 0 <= port <= 65_535:
            raise InvalidParameterError(f"a port is a number from 0 to 65535, got {port}")
        self.explorer = explorer
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((_ADDRESS, port), _Handler)
        except OSError as error:
            raise OutputError(f"cannot listen on port {port}: {error.strerror}; take another, or 0 for any") from error
        self.hosts = {f"{_ADDRESS}:{self.server_port}", f"localhost:{self.server_port}"}

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away in the middle is no news; anything else is."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        return f"http://{_ADDRESS}:{self.server_port}/?token={self.token}"


class _Handler(BaseHTTPRequestHandler):
    server: ExploreServer
    timeout = _SECONDS_TO_SPEAK

    def _answer(self) -> None:
        try:
            self._check_origin()
            path = urlsplit(self.path).path
            self._check_token(path)
            if path == "/":
                self._check_method({"GET"})
                self._send(HTTPStatus.OK, render(self.server.explorer.payload()), "text/html")
                return
            if path not in _ANSWERS:
                raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
            self._check_method(set(_ANSWERS[path]))
            body = self._body() if self.command == "POST" else {}
            self._send_json(HTTPStatus.OK, _ANSWERS[path][self.command](self.server.explorer, body))
        except _RefusedError as refused:
            self.close_connection = True  # a body that was not read would be taken for the next request
            self._send_json(refused.status, {"error": refused.line})
        except KCESError as error:
            self._send_json(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except (ConnectionError, TimeoutError):
            raise  # nobody is there to be told
        except Exception:
            self.close_connection = True
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "this failed; the terminal says why"})
            raise

    do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer  # noqa: N815

    def _check_origin(self) -> None:
        """A name that another site lets point here, or a page of another site, is refused."""
        hosts = self.server.hosts
        if self.headers.get("Host") not in hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "this address is not served")
        if self.headers.get("Origin", f"http://{self.headers['Host']}") not in {f"http://{host}" for host in hosts}:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "other sites may not ask")

    def _check_token(self, path: str) -> None:
        query = parse_qs(urlsplit(self.path).query).get("token", [""])[-1]
        given = query if path == "/" else self.headers.get(_TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.server.token.encode()):
            raise _RefusedError(HTTPStatus.FORBIDDEN, "open the address that kces explore printed, with its token")

    def _check_method(self, allowed: set[str]) -> None:
        if self.command not in allowed:
            raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"use {' or '.join(sorted(allowed))}")

    def _body(self) -> Json:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "say how long the body is")
        if len(length) > 9 or int(length) > LARGEST_BODY:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {LARGEST_BODY} bytes")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the body is not JSON") from None
        if not isinstance(body, dict):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the body is not a JSON object")
        return body

    def _send_json(self, status: HTTPStatus, content: Json) -> None:
        self._send(status, as_script_text(content), "application/json")

    def _send(self, status: HTTPStatus, text: str, kind: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        return "kces"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is the user's, and addresses hold the token."""
