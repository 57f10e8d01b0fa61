<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * An answer of the gateway.
 *
 * @internal
 */
final class Answer
{
    /**
     * @param array<string, string> $headers names in lower case
     * @param array<string, mixed> $body
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly array $body,
    ) {
    }
}
