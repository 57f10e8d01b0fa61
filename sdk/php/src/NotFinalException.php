<?php

declare(strict_types=1);

namespace Passerelle;

/** The payment had not ended when the time to wait for it was over. */
final class NotFinalException extends PasserelleException
{
    /** @param Payment|null $payment as it was last seen, if it was */
    public function __construct(
        string $id,
        public readonly ?Payment $payment,
    ) {
        parent::__construct($payment === null
            ? "$id could not be looked up in time"
            : "$id is still $payment->status");
    }
}
