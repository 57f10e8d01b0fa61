"""How often a call is made, and what happens in between: the rules of safety of sdk/README.md."""

from __future__ import annotations

import math
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
patience_seconds = 60


@dataclass(frozen=True)
class Order(Generic[Record]):
    """Something that must happen once, known by an id of the merchant's."""

    external_id: str
    request: Request
    lookup: Request
    #: The record in the body of an answer; raises LookupError or TypeError if there is none.
    read: Callable[[Mapping[str, Any], str], Record]
    #: Whether what the lookup found is this order, and not an earlier one.
    is_mine: Callable[[Record], bool]
    #: Of a refund: looks the payment up that it sends back, and its id as the order has it.
    original: Optional[Request] = None
    original_id: Optional[str] = None


class Calls:
    """Makes calls, again where an answer was lost. Keeps nothing of them: threads may share it."""

    def __init__(
        self, transport: Transport, tries: int, timeout: float, give_up_after: Optional[float]
    ) -> None:
        self._transport = transport
        self._tries = tries
        self._timeout = timeout
        self._give_up_after = give_up_after

    def ask(
        self,
        request: Request,
        read: Callable[[Mapping[str, Any]], T],
        rounds: Optional[_Rounds] = None,
    ) -> T:
        """What `read` finds in the answer, for requests that may arrive more than once."""
        problem: Problem = Lost("nothing was sent")
        rounds = rounds or self._rounds()
        while rounds.begin():
            try:
                return _read_or_lose(read, self._within(rounds, request))
            except Lost as lost:
                problem = lost
            except ApiError as refused:
                # Too early, or the first request with this Idempotency-Key is still at work.
                if refused.code not in ("RATE_LIMITED", "REQUEST_IN_PROGRESS"):
                    raise
                problem = refused
            if rounds.is_last or not rounds.wait(problem):
                break
        raise error_of(problem)

    def order(self, order: Order[Record]) -> Record:
        """The record of an order. It is never sent again before its id was looked up."""
        problem: Problem = Lost("nothing was sent")
        refused: Optional[ApiError] = None
        is_to_send, may_exist = True, False
        rounds = self._rounds()
        while rounds.begin():
            is_just_refused = False
            if is_to_send:
                try:
                    return self._send(order, rounds)
                except Lost as lost:
                    problem, may_exist = lost, True
                except RateLimitedError as early:
                    # It changed nothing.
                    problem = early
                except ApiError as refusal:
                    # A refusal of the first request is the answer. After a lost one it says
                    # nothing about that.
                    if not may_exist:
                        raise
                    problem = refused = refusal
                    is_just_refused = True
            is_to_wait = not is_just_refused and (may_exist or not rounds.is_last)
            if is_to_wait and not rounds.wait(problem):
                break
            if not may_exist:
                continue
            try:
                found = self._look(order, rounds)
            except (Lost, RateLimitedError) as unseen:
                problem, is_to_send = unseen, False
                continue
            except DuplicateError:
                raise
            except ApiError as unseen:
                problem = unseen
                break
            if found is not None:
                return found
            if refused is not None:
                raise refused
            is_to_send = True
        error = error_of(problem)
        if may_exist:
            raise OutcomeUnknownError(order.external_id, problem) from error
        raise error

    def confirm(
        self, request: Request, lookup: Request, read: Callable[[Mapping[str, Any], str], Payment]
    ) -> Payment:
        """Sends a one-time code.

        After a lost answer any status but PENDING means that it arrived, and a refusal is believed
        only if it still is.
        """
        problem: Problem = Lost("nothing was sent")
        may_have_arrived = False
        rounds = self._rounds()
        while rounds.begin():
            refused: Optional[ApiError] = None
            try:
                answer = self._within(rounds, request)
                return _read_or_lose(lambda body: read(body, "answer"), answer)
            except Lost as lost:
                problem, may_have_arrived = lost, True
            except RateLimitedError as early:
                problem = early
            except ApiError as refusal:
                if not may_have_arrived:
                    raise
                refused = refusal
            if refused is None and not rounds.wait(problem):
                break
            payment = self.ask(lookup, lambda body: read(body, "lookup"), rounds.anew())
            if payment.status != "PENDING":
                return payment
            if refused is not None:
                raise refused
        raise error_of(problem)

    def once(self, request: Request, timeout: Optional[float] = None) -> Answer:
        """One request; raises Lost or ApiError."""
        answer = self._transport.send(request, self._timeout if timeout is None else timeout)
        if answer.status >= 400:
            raise api_error(*answer)
        return answer

    def lines(self, request: Request, idle_seconds: float) -> Iterator[str]:
        """The lines of a stream of events; raises Lost when it breaks off, or is none."""
        return self._transport.lines(request, idle_seconds)

    def _rounds(self) -> _Rounds:
        limit = math.inf if self._give_up_after is None else self._give_up_after
        return _Rounds(self._tries, time.monotonic() + limit)

    def _within(self, rounds: _Rounds, request: Request) -> Answer:
        return self.once(request, max(0.001, min(self._timeout, rounds.seconds_left)))

    def _send(self, order: Order[Record], rounds: _Rounds) -> Record:
        try:
            answer = self._within(rounds, order.request)
        except DuplicateError as duplicate:
            raise _with_record(duplicate)
        return _read_or_lose(lambda body: order.read(body, "answer"), answer)

    def _look(self, order: Order[Record], rounds: _Rounds) -> Optional[Record]:
        """The record of an order that may have arrived; None: there is none."""
        try:
            answer = self._within(rounds, order.lookup)
        except NotFoundError:
            return None
        record = _read_or_lose(lambda body: order.read(body, "lookup"), answer)
        # An id of the gateway's own comes first in lookups: what has this id has not been seen.
        if record.external_transaction_id != order.external_id:
            other = ConnectionError("the lookup found a record with another external id")
            raise OutcomeUnknownError(order.external_id, other) from other
        if order.is_mine(record) and self._is_of_original(order, record, rounds):
            return record
        said = {"message": ["externalTransactionId already used"], "code": "DUPLICATE_TRANSACTION"}
        raise _with_record(DuplicateError(409, answer.headers, {**answer.body, **said}))

    def _is_of_original(self, order: Order[Record], record: Record, rounds: _Rounds) -> bool:
        """Whether a refund is of the payment that the order names, which may be by your id."""
        known = getattr(record, "original_transaction_id", None)
        if order.original is None or known == order.original_id:
            return True
        try:
            found = self.ask(
                order.original, lambda body: body["transaction"]["transactionId"], rounds.anew()
            )
        except NotFoundError:
            return False
        except PasserelleError as problem:
            raise OutcomeUnknownError(order.external_id, problem) from problem
        return bool(found == known)


class _Rounds:
    """Counts the tries of a call, waits between two, and knows when to give up."""

    def __init__(self, tries: int, deadline: float) -> None:
        self._done = 0
        self._tries = tries
        self._deadline = deadline

    def anew(self) -> _Rounds:
        """The rounds of another request of the same call."""
        return _Rounds(self._tries, self._deadline)

    @property
    def is_last(self) -> bool:
        return self._done >= self._tries

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    def begin(self) -> bool:
        """Whether there is another round; it has begun then."""
        if self.is_last or self.seconds_left <= 0:
            return False
        self._done += 1
        return True

    def wait(self, problem: Problem) -> bool:
        """Waits; False, at once: for longer than it is worth, or than there is time."""
        asked = problem.retry_after_s or 0
        seconds = max(asked, delay_after(self._done - 1))
        if asked > patience_seconds or seconds >= self.seconds_left:
            return False
        time.sleep(seconds)
        return True


def delay_after(failures: int) -> float:
    """Seconds to wait: of twice as much for each failure, a random half to all."""
    return min(8.0, 0.25 * 2.0 ** min(failures, 10)) * random.uniform(0.5, 1)


def _read_or_lose(read: Callable[[Mapping[str, Any]], T], answer: Answer) -> T:
    try:
        return read(answer.body)
    except (LookupError, TypeError):
        raise Lost(f"the answer ({answer.status}) lacks what it should say") from None


def _with_record(duplicate: DuplicateError) -> DuplicateError:
    try:
        duplicate.record = read_record(duplicate.body.get("transaction"))
    except (LookupError, TypeError):
        duplicate.record = None
    return duplicate


def error_of(problem: Problem) -> PasserelleError:
    """What a caller is told of the last problem."""
    if isinstance(problem, ApiError):
        return problem
    return problem.said or ConnectionError(str(problem))
