<?php

declare(strict_types=1);

namespace Passerelle;

/** `RATE_LIMITED`, after the client has waited as often as it may. */
final class RateLimitedException extends ApiException
{
}
