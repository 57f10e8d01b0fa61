<?php

declare(strict_types=1);

namespace Passerelle;

/** `DUPLICATE_TRANSACTION`: an earlier payment or link has this external id. */
final class DuplicateException extends ApiException
{
    /** The one that has the id; null if another key made it. */
    public function record(): Payment|Link|null
    {
        $record = $this->body['transaction'] ?? null;
        if (!is_array($record)) {
            return null;
        }
        try {
            return Calls::strictly(static fn() => isset($record['PaymentUrl'])
                ? Link::read($record, 'duplicate')
                : Payment::read($record, 'duplicate', ['serviceCode' => '']));
        } catch (\TypeError) {
            return null;
        }
    }
}
