<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * No readable answer: the request may have arrived. Holds nothing secret.
 *
 * @internal
 */
final class LostAnswer extends \Exception
{
    public function __construct(
        string $reason,
        /** What the gateway said with a status of 5xx, if it was the gateway. */
        public readonly ?ApiException $said = null,
        public readonly ?int $retryAfterS = null,
    ) {
        parent::__construct($reason);
    }
}
