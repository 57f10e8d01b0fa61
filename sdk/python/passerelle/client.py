"""The client: one method for each verb of sdk/README.md."""

from __future__ import annotations

from typing import Optional

from .account import Account
from .calls import Calls
from .events import Events
from .orders import Orders
from .payments import Payments
from .transport import Transport


class Client(Orders, Payments, Account, Events):
    """A merchant's view of the gateway. Threads may share one: it keeps nothing of its calls.

    ``timeout`` is for one request, in seconds; ``tries`` is how often a call is tried in all;
    ``language`` (``"fr"``, ``"en"``) is that of the sentences in errors; ``give_up_after`` is for a
    whole call, with its tries and pauses, in seconds: an order that has left then ends with
    :class:`OutcomeUnknownError`.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        tries: int = 5,
        language: Optional[str] = None,
        give_up_after: Optional[float] = None,
    ) -> None:
        if timeout <= 0 or tries < 1:
            raise ValueError("timeout must be above 0, and tries at least 1")
        self._base_url = base_url
        self._timeout = timeout
        self._tries = tries
        transport = Transport(base_url, api_key, language)
        self._calls = Calls(transport, tries, timeout, give_up_after)

    def __repr__(self) -> str:
        # Without the key.
        return f"passerelle.Client({self._base_url!r})"
