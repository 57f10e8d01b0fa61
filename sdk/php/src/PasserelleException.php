<?php

declare(strict_types=1);

namespace Passerelle;

/** The parent of all exceptions of this package. None ever holds an API key or a webhook secret. */
class PasserelleException extends \RuntimeException
{
}
