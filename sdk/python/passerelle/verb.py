"""What all verbs are made of."""

from __future__ import annotations

import uuid
from typing import Any, Callable, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlencode

from .calls import Calls
from .transport import Request, json_of

T = TypeVar("T")


class Verbs:
    """The parent of the groups of verbs."""

    _calls: Calls
    #: Seconds for one request.
    _timeout: float
    _tries: int

    def _get(self, path: str, read: Callable[[Mapping[str, Any]], T]) -> T:
        return self._calls.ask(Request("GET", path), read)


def new_external_id() -> str:
    """A new ``externalTransactionId``."""
    return str(uuid.uuid4())


def with_id(order: Mapping[str, Any], amount: Any) -> Tuple[bytes, str]:
    """The body of an order, and the external id in it."""
    # Whether a text is a number, or a number high enough, is the gateway's to say.
    if isinstance(amount, (float, bool)):
        raise ValueError("amounts are whole francs: an int")
    external_id = order.get("externalTransactionId")
    external_id = new_external_id() if external_id is None else external_id
    part(external_id)
    return json_of({**order, "externalTransactionId": external_id}), external_id


def part(id: str) -> str:
    """An identifier as one part of a path."""
    if not isinstance(id, str) or id in ("", ".", ".."):
        raise ValueError("an identifier must be a string")
    return quote(id, safe="")


def query(parameters: Optional[Mapping[str, Any]]) -> str:
    """Parameters as the end of an address, without those that are None."""
    given = {name: value for name, value in (parameters or {}).items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def repeatable(method: str, path: str, body: Optional[Mapping[str, Any]]) -> Request:
    """A request that may arrive twice and is carried out once."""
    content = None if body is None else json_of(body)
    return Request(method, path, content, {"Idempotency-Key": str(uuid.uuid4())})
