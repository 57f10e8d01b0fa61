"""Everything that a call can raise. No text here ever holds an API key or a webhook secret."""

from __future__ import annotations

import builtins
import math
import time
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from .models import Link, Payment


class PasserelleError(Exception):
    """The parent of all errors of this package, but for wrong arguments: those are ValueErrors."""


class ApiError(PasserelleError):
    """The gateway refused, and nothing has changed. Decide by ``code``, never by the sentences."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Mapping[str, Any]) -> None:
        said = body.get("message")
        self.status = status
        #: Stable and machine-readable, such as ``INSUFFICIENT_FUNDS``; the list may grow.
        self.code: str = str(body.get("code") or "UNKNOWN")
        #: Everything that is wrong, one sentence each.
        self.messages: List[str] = [said] if isinstance(said, str) else list(said or [])
        #: The field of each message; an empty text is the request as a whole.
        self.params: List[str] = list(body.get("params") or [])
        #: Name it when you ask for help.
        self.request_id: str = str(body.get("requestId") or headers.get("x-request-id") or "")
        #: For how many seconds the gateway asked to wait.
        self.retry_after_s: Optional[int] = seconds_of(headers)
        self.body: Dict[str, Any] = dict(body)
        text = "; ".join(map(str, self.messages)) or "no message"
        super().__init__(f"{status} {self.code}: {text} (request {self.request_id})")


class AuthenticationError(ApiError):
    """``MISSING_API_KEY``, ``INVALID_API_KEY``."""


class ValidationError(ApiError):
    """``VALIDATION_FAILED``, ``INVALID_AMOUNT``, ``INVALID_PHONE``: mend the ``params``."""


class NotFoundError(ApiError):
    """``NOT_FOUND``: no such record that the key sees."""


class InsufficientFundsError(ApiError):
    """``INSUFFICIENT_FUNDS``: the balance is below amount plus fee."""


class RateLimitedError(ApiError):
    """``RATE_LIMITED``, after the client has waited as often as it may."""


class UnavailableError(ApiError):
    """``OVERLOADED``, ``SERVICE_UNAVAILABLE``, ``UNDER_MAINTENANCE``: try again later."""


class DuplicateError(ApiError):
    """``DUPLICATE_TRANSACTION``: an earlier payment or link has this external id."""

    #: The one that has the id, unless another key made it.
    record: Union[Payment, Link, None] = None


class ConnectionError(PasserelleError, builtins.ConnectionError):
    """Nothing came back, and no order was under way: the call may be made again."""


class OutcomeUnknownError(PasserelleError):
    """An order may have been recorded, and nobody could say.

    Ask later with ``get_payment(error.external_transaction_id)``, or send the same order with the
    same id. A new id could pay twice.
    """

    def __init__(self, external_transaction_id: str, cause: object) -> None:
        self.external_transaction_id = external_transaction_id
        super().__init__(f"the outcome of {external_transaction_id} is unknown: {cause}")


class NotFinalError(PasserelleError):
    """The payment had not ended when the time to wait for it was over."""

    def __init__(self, id: str, payment: Optional[Payment]) -> None:
        #: As it was last seen, if it was.
        self.payment = payment
        seen = "could not be looked up" if payment is None else f"is still {payment.status}"
        super().__init__(f"{id} {seen}")


class WebhookError(PasserelleError):
    """A webhook that must not be believed: answer 400."""

    def __init__(self, reason: str, text: str) -> None:
        #: missing_header, malformed, wrong_signature, too_old or too_new.
        self.reason = reason
        super().__init__(text)


_by_code: Dict[str, Type[ApiError]] = {
    "MISSING_API_KEY": AuthenticationError,
    "INVALID_API_KEY": AuthenticationError,
    "VALIDATION_FAILED": ValidationError,
    "INVALID_AMOUNT": ValidationError,
    "INVALID_PHONE": ValidationError,
    "NOT_FOUND": NotFoundError,
    "INSUFFICIENT_FUNDS": InsufficientFundsError,
    "RATE_LIMITED": RateLimitedError,
    "OVERLOADED": UnavailableError,
    "SERVICE_UNAVAILABLE": UnavailableError,
    "UNDER_MAINTENANCE": UnavailableError,
    "DUPLICATE_TRANSACTION": DuplicateError,
}


def api_error(status: int, headers: Mapping[str, str], body: Mapping[str, Any]) -> ApiError:
    """The error of an answer, by its code."""
    return _by_code.get(str(body.get("code")), ApiError)(status, headers, body)


def seconds_of(headers: Mapping[str, str]) -> Optional[int]:
    """``Retry-After`` in seconds; None where it is missing or means nothing.

    A date counts from that of the answer: clocks of shops may be wrong.
    """
    text = headers.get("retry-after", "")
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    until = _time_of(text)
    if until is None:
        return None
    answered = _time_of(headers.get("date", ""))
    return max(0, math.ceil(until - (time.time() if answered is None else answered)))


def _time_of(text: str) -> Optional[float]:
    """The time of an HTTP date; None for anything else."""
    try:
        return parsedate_to_datetime(text).timestamp() if text.endswith(" GMT") else None
    except (TypeError, ValueError, OverflowError):
        return None
