<?php

declare(strict_types=1);

namespace Passerelle;

/** `OVERLOADED`, `SERVICE_UNAVAILABLE`, `UNDER_MAINTENANCE`: try again later. */
final class UnavailableException extends ApiException
{
}
