"""The client of the Passerelle payment gateway. See README.md."""

from .client import Client
from .errors import (
    ApiError,
    AuthenticationError,
    ConnectionError,
    DuplicateError,
    InsufficientFundsError,
    NotFinalError,
    NotFoundError,
    OutcomeUnknownError,
    PasserelleError,
    RateLimitedError,
    UnavailableError,
    ValidationError,
    WebhookError,
)
from .models import FINAL_STATUSES, Failure, Link, NextStep, Page, Payment
from .transport import VERSION as __version__
from .verb import new_external_id
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "Client",
    "ConnectionError",
    "DuplicateError",
    "FINAL_STATUSES",
    "Failure",
    "InsufficientFundsError",
    "Link",
    "NextStep",
    "NotFinalError",
    "NotFoundError",
    "OutcomeUnknownError",
    "Page",
    "PasserelleError",
    "Payment",
    "RateLimitedError",
    "UnavailableError",
    "ValidationError",
    "WebhookError",
    "__version__",
    "new_external_id",
    "verify_webhook",
]
