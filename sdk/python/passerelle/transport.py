"""One HTTP request, and its answer or the fact that there is none."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
import ssl
import time
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Union
from urllib.parse import urlsplit

from .errors import ApiError, api_error, seconds_of

VERSION = "0.1.0"


class Request(NamedTuple):
    method: str
    path: str
    #: JSON, as json_of writes it.
    body: Optional[bytes] = None
    headers: Mapping[str, str] = {}


def json_of(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError):
        raise ValueError("it cannot be written as JSON") from None


class Answer(NamedTuple):
    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    body: Dict[str, Any]


class Lost(Exception):
    """No readable answer: the request may have arrived. Holds nothing secret."""

    def __init__(self, reason: str, retry_after_s: Optional[int] = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s
        #: What the gateway said with a status of 5xx, if it was the gateway.
        self.said: Optional[ApiError] = None


class Transport:
    """Sends requests, each over a connection of its own, so that threads share nothing.

    Redirects are not followed: the key would go to another address.
    """

    def __init__(self, base_url: str, key: str, language: Optional[str]) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("base_url must begin with https:// or http://")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("the API key is empty or has characters that no key has")
        if not base_url.isprintable():
            raise ValueError("base_url has characters that no address has")
        if not re.fullmatch(r"[\w-]*", language or "", re.ASCII):
            raise ValueError("language must be a code such as fr")
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._headers = {
            "Authorization": f"Bearer {key}",
            "User-Agent": f"passerelle-python/{VERSION}",
            "Connection": "close",
        }
        if language is not None:
            self._headers["Accept-Language"] = language

    def send(self, request: Request, timeout: float) -> Answer:
        """The answer, if it is a word of the gateway's; raises Lost otherwise."""
        deadline = time.monotonic() + timeout
        connection = self._open(timeout)
        try:
            self._write(connection, request)
            hurried = _Hurried(connection.sock, deadline)
            response = http.client.HTTPResponse(hurried, method=request.method)  # type: ignore
            response.begin()
            raw = response.read()
        except (OSError, http.client.HTTPException) as problem:
            # Without its text and its cause: those of an HTTP exception can hold what was sent.
            raise Lost(_describe(problem)) from None
        finally:
            connection.close()
        return _read(response.status, _lower(response), raw)

    def lines(self, request: Request, idle_seconds: float) -> Iterator[str]:
        """The lines of a stream of events; raises Lost when it breaks off, or is none."""
        connection = self._open(idle_seconds)
        try:
            self._write(connection, request)
            response = connection.getresponse()
            if response.status != 200:
                answer = _read(response.status, _lower(response), response.read())
                raise api_error(*answer)
            if not response.getheader("Content-Type", "").startswith("text/event-stream"):
                raise Lost("the answer is no stream")
            for line in response:
                yield line.decode("utf-8", "replace").rstrip("\r\n")
        except (OSError, http.client.HTTPException) as problem:
            raise Lost(_describe(problem)) from None
        finally:
            connection.close()
        raise Lost("the stream ended")

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )

    def _write(self, connection: http.client.HTTPConnection, request: Request) -> None:
        headers = {**self._headers, **request.headers}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(request.method, self._path + request.path, request.body, headers)


class _Hurried(io.RawIOBase):
    """What a socket receives until a deadline.

    The timeout of a socket is for each read: a server that sends a byte now and then could hold a
    call for ever.
    """

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Union[bytearray, memoryview]) -> int:  # type: ignore[override]
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._sock.recv_into(buffer)


def _lower(response: http.client.HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


def _describe(problem: Exception) -> str:
    if isinstance(problem, (TimeoutError, socket.timeout)):
        return "no answer in time"
    if isinstance(problem, ssl.SSLError):
        return "no trustworthy TLS connection"
    return f"the connection failed ({type(problem).__name__})"


def _read(status: int, headers: Mapping[str, str], raw: bytes) -> Answer:
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    is_object = isinstance(body, dict)
    if status == 408 or status >= 500:
        lost = Lost(f"the answer was {status}", seconds_of(headers))
        lost.said = api_error(status, headers, body) if is_object and "code" in body else None
        raise lost
    # A page of some proxy, or half an answer, says nothing of the gateway's records.
    if not is_object or not (200 <= status < 300 or (status >= 400 and "code" in body)):
        raise Lost(f"the answer ({status}) cannot be read")
    return Answer(status, headers, body)
