"""How often a call is made, and what happens in between: the rules of safety of sdk/README.md."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterator, Mapping, Optional, TypeVar, Union

from .errors import ApiError, ConnectionError, DuplicateError, NotFoundError, OutcomeUnknownError
from .errors import PasserelleError, RateLimitedError, api_error
from .models import Link, Payment, read_record
from .transport import Answer, Lost, Request, Transport

T = TypeVar("T")
Record = TypeVar("Record", Payment, Link)

Problem = Union[Lost, ApiError]

# A gateway that asks for more patience than this is not waited for.
_patience_seconds = 60


@dataclass(frozen=True)
class Order(Generic[Record]):
    """Something that must happen once, known by an id of the merchant's."""

    external_id: str
    request: Request
    lookup: Request
    #: The record in the body of an answer; raises LookupError or TypeError if there is none.
    read: Callable[[Mapping[str, Any], str], Record]
    #: Whether a record with the id is this order, and not an earlier one.
    is_mine: Callable[[Record], bool]


class _Final(Exception):
    """Ends a call with an error, whatever could still be tried."""

    def __init__(self, error: PasserelleError) -> None:
        super().__init__()
        self.error = error


class Calls:
    """Makes calls, again where an answer was lost. Keeps nothing of them: threads may share it."""

    def __init__(self, transport: Transport, tries: int, timeout: float) -> None:
        self._transport = transport
        self._tries = tries
        self._timeout = timeout

    def ask(self, request: Request, read: Callable[[Mapping[str, Any]], T]) -> T:
        """What `read` finds in the answer, for requests that may arrive more than once."""
        problem: Problem = Lost("nothing was sent")
        rounds = _Rounds(self._tries)
        while rounds.another(problem):
            try:
                return _read_or_lose(read, self.once(request))
            except Lost as lost:
                problem = lost
            except ApiError as refused:
                # Too early, or the first request with this Idempotency-Key is still at work.
                if refused.code not in ("RATE_LIMITED", "REQUEST_IN_PROGRESS"):
                    raise
                problem = refused
        raise _error_of(problem)

    def order(self, order: Order[Record]) -> Record:
        """The record of an order. It is never sent again before its id was looked up."""
        try:
            return self._pursue(order)
        except _Final as final:
            raise final.error from final.error.__cause__

    def confirm(
        self, request: Request, lookup: Request, read: Callable[[Mapping[str, Any], str], Payment]
    ) -> Payment:
        """Sends a one-time code: after a lost answer any status but PENDING means it arrived."""
        problem: Problem = Lost("nothing was sent")
        rounds = _Rounds(self._tries)
        must_look = False
        while rounds.another(problem):
            try:
                if not must_look:
                    return _read_or_lose(lambda body: read(body, "answer"), self.once(request))
            except RateLimitedError as early:
                problem = early
                continue
            except Lost as lost:
                problem, must_look = lost, True
            try:
                payment = _read_or_lose(lambda body: read(body, "lookup"), self.once(lookup))
            except (Lost, RateLimitedError) as unseen:
                problem = unseen
                continue
            if payment.status != "PENDING":
                return payment
            must_look = False
        raise _error_of(problem)

    def once(self, request: Request, timeout: Optional[float] = None) -> Answer:
        """One request; raises Lost or ApiError."""
        answer = self._transport.send(request, self._timeout if timeout is None else timeout)
        if answer.status >= 400:
            raise api_error(*answer)
        return answer

    def lines(self, request: Request, idle_seconds: float) -> Iterator[str]:
        """The lines of an answer that goes on; raises Lost when it breaks off."""
        return self._transport.lines(request, idle_seconds)

    def _pursue(self, order: Order[Record]) -> Record:
        problem: Problem = Lost("nothing was sent")
        rounds = _Rounds(self._tries)
        may_exist = must_look = False
        while rounds.another(problem):
            if not must_look:
                try:
                    return self._send(order, is_repeated=may_exist)
                except RateLimitedError as early:
                    # It changed nothing.
                    problem = early
                    continue
                except Lost as lost:
                    problem, may_exist, must_look = lost, True, True
            try:
                found = self._look(order)
            except (Lost, ApiError) as unseen:
                problem = unseen
                continue
            if found is not None:
                return found
            must_look = False
        raise _unknown(order, problem) if may_exist else _error_of(problem)

    def _send(self, order: Order[Record], is_repeated: bool) -> Record:
        refused: ApiError
        try:
            answer = self.once(order.request)
        except RateLimitedError:
            raise
        except DuplicateError as duplicate:
            refused = _with_record(duplicate)
            record = _read_or_none(order, duplicate) if is_repeated else None
            if record is not None and order.is_mine(record):
                return record
            if duplicate.record is not None:
                # Of another order.
                raise _Final(refused) from None
        except ApiError as other:
            refused = other
        else:
            return _read_or_lose(lambda body: order.read(body, "answer"), answer)
        if not is_repeated:
            raise _Final(refused)
        # The request before this one may have arrived in the meantime.
        try:
            found = self._look(order)
        except (Lost, ApiError) as unseen:
            raise _Final(_unknown(order, unseen)) from None
        if found is None:
            raise _Final(refused)
        return found

    def _look(self, order: Order[Record]) -> Optional[Record]:
        """The record of an order that may have arrived; None: there is none."""
        try:
            answer = self.once(order.lookup)
        except NotFoundError:
            return None
        record = _read_or_lose(lambda body: order.read(body, "lookup"), answer)
        if order.is_mine(record):
            return record
        text = "externalTransactionId already used"
        body = {"message": [text], "code": "DUPLICATE_TRANSACTION", **answer.body}
        duplicate = DuplicateError(409, answer.headers, {**body, "message": [text]})
        raise _Final(_with_record(duplicate))


class _Rounds:
    """Counts the tries of a call, and pauses between two."""

    def __init__(self, tries: int) -> None:
        self._done = 0
        self._tries = tries

    def another(self, problem: Problem) -> bool:
        """Whether to try again after a problem; returns when it is time to."""
        asked = problem.retry_after_s or 0
        if self._done >= self._tries or asked > _patience_seconds:
            return False
        if self._done > 0:
            pause = min(8.0, 0.25 * 2.0 ** (self._done - 1)) * random.uniform(0.5, 1)
            time.sleep(max(pause, asked))
        self._done += 1
        return True


def _read_or_lose(read: Callable[[Mapping[str, Any]], T], answer: Answer) -> T:
    try:
        return read(answer.body)
    except (LookupError, TypeError):
        raise Lost(f"the answer ({answer.status}) lacks what it should say") from None


def _read_or_none(order: Order[Record], duplicate: DuplicateError) -> Optional[Record]:
    try:
        return order.read(duplicate.body, "duplicate")
    except (LookupError, TypeError):
        return None


def _with_record(duplicate: DuplicateError) -> DuplicateError:
    duplicate.record = read_record(duplicate.body.get("transaction"))
    return duplicate


def _unknown(order: Order[Record], problem: Problem) -> OutcomeUnknownError:
    error = OutcomeUnknownError(order.external_id, problem)
    error.__cause__ = _error_of(problem)
    return error


def _error_of(problem: Problem) -> PasserelleError:
    if isinstance(problem, ApiError):
        return problem
    return problem.said or ConnectionError(str(problem))
