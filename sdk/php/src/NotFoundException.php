<?php

declare(strict_types=1);

namespace Passerelle;

/** `NOT_FOUND`: no such record that the key sees. */
final class NotFoundException extends ApiException
{
}
