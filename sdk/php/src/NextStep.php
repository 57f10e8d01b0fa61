<?php

declare(strict_types=1);

namespace Passerelle;

/** What the customer does now: `push`, `redirect` (to the payment's cashoutUrl) or `otp`. */
final class NextStep
{
    public function __construct(
        public readonly string $type,
        public readonly string $instruction,
    ) {
    }
}
