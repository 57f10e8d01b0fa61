"""Payments and links, as the gateway knows them."""

from __future__ import annotations

import random
import time
from typing import Any, Dict, Iterator, Mapping, Optional, cast

from .errors import NotFinalError, RateLimitedError
from .models import Link, Page, Payment, read_link, read_payment
from .transport import Lost, Request
from .types import LinkFilter, PaymentFilter
from .verb import Verbs, part, query


class Payments(Verbs):
    def get_payment(self, id: str) -> Payment:
        """A payment, by the gateway's id or yours."""
        return self._get(f"/api/v1/transaction/{part(id)}", _payment_of)

    def wait_for_final(self, id: str, *, timeout: float = 60.0) -> Payment:
        """Looks a payment or link up until it has ended; :class:`NotFinalError` after `timeout`.

        It asks every half second at first, later every five: a webhook costs less.
        """
        deadline = time.monotonic() + timeout
        request = Request("GET", f"/api/v1/transaction/{part(id)}")
        pause, seen = 0.5, None
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise NotFinalError(id, seen)
            asked = 0
            try:
                answer = self._calls.once(request, min(self._timeout, left))
                seen = _payment_of(answer.body)
                if seen.is_final:
                    return seen
            except (Lost, RateLimitedError) as problem:
                asked = problem.retry_after_s or 0
            except (LookupError, TypeError):
                pass
            wait = max(asked, pause * random.uniform(0.5, 1))
            time.sleep(max(0.0, min(wait, deadline - time.monotonic())))
            pause = min(5.0, pause * 1.5)

    def page_payments(self, filter: Optional[PaymentFilter] = None) -> Page[Payment]:
        """One page of your payments, newest first."""
        return self._get(
            "/api/v1/transaction" + query(filter),
            lambda body: Page([read_payment(one) for one in body["transactions"]], body["next"]),
        )

    def list_payments(self, filter: Optional[PaymentFilter] = None) -> Iterator[Payment]:
        """All your payments, newest first, page by page as they are read."""
        wanted: Dict[str, Any] = dict(filter or {})
        while True:
            page = self.page_payments(cast(PaymentFilter, wanted))
            yield from page.items
            if page.next is None:
                return
            wanted["after"] = page.next

    def get_link(self, id: str) -> Link:
        """A link, by the gateway's id or yours."""
        return self._get(
            f"/api/v1/merchant/{part(id)}", lambda body: read_link(body["transaction"])
        )

    def page_links(self, filter: Optional[LinkFilter] = None) -> Page[Link]:
        """One page of your links, newest first."""
        return self._get(
            "/api/v1/transaction/merchant" + query(filter),
            lambda body: Page([read_link(one) for one in body["links"]], body["next"]),
        )

    def list_links(self, filter: Optional[LinkFilter] = None) -> Iterator[Link]:
        """All your links, newest first, page by page as they are read."""
        wanted: Dict[str, Any] = dict(filter or {})
        while True:
            page = self.page_links(cast(LinkFilter, wanted))
            yield from page.items
            if page.next is None:
                return
            wanted["after"] = page.next


def _payment_of(body: Mapping[str, Any]) -> Payment:
    return read_payment(body["transaction"])
