<?php

declare(strict_types=1);

namespace Passerelle;

/** Why a payment ended without success. */
final class Failure
{
    public function __construct(
        public readonly string $code,
        public readonly string $message,
        /** Whether the same payment may succeed later, under a new external id. */
        public readonly bool $retryable,
    ) {
    }

    /**
     * @internal
     * @param array<string, mixed> $record
     */
    public static function read(array $record): ?self
    {
        $failure = $record['failure'] ?? null;
        return is_array($failure)
            ? new self($failure['code'], $failure['message'], $failure['retryable'])
            : null;
    }
}
