<?php

declare(strict_types=1);

namespace Passerelle;

/** `MISSING_API_KEY`, `INVALID_API_KEY`. */
final class AuthenticationException extends ApiException
{
}
