"""Webhooks: whether one is ours, and what it says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Mapping, Optional, Sequence, Union

from .errors import WebhookError
from .types import WebhookEvent

#: How far the time of a webhook may be from ours.
TOLERANCE_SECONDS = 300


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    *,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> WebhookEvent:
    """The event of a webhook that the gateway signed, or :class:`WebhookError`.

    ``body`` is what arrived, byte for byte: JSON that was read and written again has another
    signature. ``secrets`` is one secret (``whsec_…``), or several during a rotation. The same
    event may arrive twice: its ``webhook-id`` header stays the same.
    """
    raw = body.encode() if isinstance(body, str) else bytes(body)
    keys = _keys_of(secrets)
    given = {str(name).lower(): str(value) for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id"), given.get("webhook-timestamp")
    signatures = given.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise WebhookError("missing_header", "the webhook is not signed")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise WebhookError("malformed", "the time of the webhook cannot be read")
    signed = f"{message_id}.{timestamp}.".encode() + raw
    if not _is_signed(signed, signatures, keys):
        raise WebhookError("wrong_signature", "no signature of the webhook is by a secret of yours")
    # After the signature: only of a webhook that is ours does the time mean anything.
    age = (time.time() if now is None else now) - int(timestamp)
    if age > tolerance_seconds:
        raise WebhookError("too_old", "the webhook is too old, or a clock is wrong")
    if age < -tolerance_seconds:
        raise WebhookError("too_new", "the webhook is from the future, or a clock is wrong")
    try:
        event = json.loads(raw)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookError("malformed", "the webhook has no JSON object in its body")
    return event  # type: ignore[return-value]


def _keys_of(secrets: Union[str, Sequence[str]]) -> Sequence[bytes]:
    texts = [secrets] if isinstance(secrets, str) else list(secrets)
    if not texts or not all(texts):
        # An empty key would let anyone sign.
        raise ValueError("verify_webhook needs a secret (whsec_…)")
    try:
        keys = [base64.b64decode(text.split("whsec_", 1)[-1], validate=True) for text in texts]
    except binascii.Error:
        raise ValueError("a webhook secret is not of the form whsec_…") from None
    if not all(keys):
        raise ValueError("a webhook secret is empty")
    return keys


def _is_signed(signed: bytes, signatures: str, keys: Sequence[bytes]) -> bool:
    given = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    wanted = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    # All are compared, each in constant time.
    return any([hmac.compare_digest(one, other) for one in given for other in wanted])
