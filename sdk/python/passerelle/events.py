"""The feed of events: pages, all until now, and as they come."""

from __future__ import annotations

import json
import time
from typing import Iterator, Optional, cast

from .calls import delay_after, error_of, patience_seconds
from .errors import RateLimitedError
from .transport import Lost, Request
from .types import Delivery, EventPage, FeedEvent
from .verb import Verbs, part, query, repeatable

# Streams send something every 15 s.
_stream_idle_seconds = 40.0


class Events(Verbs):
    def page_events(self, after: Optional[str] = None, limit: int = 100) -> EventPage:
        """One page of the feed, oldest first, after a cursor; its ``next`` is the next cursor."""
        path = "/api/v1/events" + query({"after": after, "limit": limit})
        return self._get(path, lambda body: EventPage(events=body["events"], next=body["next"]))

    def list_events(self, after: Optional[str] = None) -> Iterator[FeedEvent]:
        """All events until now. Keep the ``cursor`` of the last one to go on from there."""
        while True:
            page = self.page_events(after, 1000)
            yield from page["events"]
            if not page["events"]:
                return
            after = page["next"]

    def stream_events(self, after: Optional[str] = None) -> Iterator[FeedEvent]:
        """Events as they come: from now on, after a cursor, or from ``"start"``.

        It connects again where it was; :class:`PasserelleError` when ``tries`` connections in a
        row told nothing, not even that they are open.
        """
        failures = 0
        while True:
            failures += 1
            request = Request("GET", "/api/v1/events/stream" + query({"after": after}))
            try:
                for line in self._calls.lines(request, _stream_idle_seconds):
                    failures = 0
                    if line.startswith("id: "):
                        place = line[4:]
                        # Of an event this id comes before its data: it is behind us afterwards.
                        after = place if after is None else after
                    elif line.startswith("data: "):
                        event = cast(FeedEvent, json.loads(line[6:]))
                        after = event["cursor"]
                        yield event
                asked = 0
            except (Lost, RateLimitedError, ValueError) as lost:
                # A line that broke off is no JSON.
                problem = Lost("the stream broke off") if isinstance(lost, ValueError) else lost
                asked = problem.retry_after_s or 0
                if failures >= self._tries or asked > patience_seconds:
                    raise error_of(problem) from None
            time.sleep(max(asked, delay_after(max(0, failures - 1))))

    def replay_event(self, id: str) -> Delivery:
        """Sends the webhook of an event again, and tells what your address answered."""
        request = repeatable("POST", f"/api/v1/events/{part(id)}/replay", {})
        return self._calls.ask(request, lambda body: cast(Delivery, body["delivery"]))
