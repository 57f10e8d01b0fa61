<?php

declare(strict_types=1);

namespace Passerelle;

/** `VALIDATION_FAILED`, `INVALID_AMOUNT`, `INVALID_PHONE`: mend the fields in `$params`. */
final class ValidationException extends ApiException
{
}
