<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * An order may have been recorded, and nobody could say. Ask later with
 * `getPayment($e->externalTransactionId)`, or send the same order with the same id. A new id could
 * pay twice.
 */
final class OutcomeUnknownException extends PasserelleException
{
    public function __construct(
        public readonly string $externalTransactionId,
        ?\Throwable $cause,
    ) {
        $why = $cause === null ? '' : ': ' . $cause->getMessage();
        parent::__construct("the outcome of $externalTransactionId is unknown$why", 0, $cause);
    }
}
