<?php

declare(strict_types=1);

namespace Passerelle;

/** A webhook that must not be believed: answer 400. */
final class WebhookException extends PasserelleException
{
    public function __construct(
        /** missing_header, malformed, wrong_signature, too_old or too_new. */
        public readonly string $reason,
        string $text,
    ) {
        parent::__construct($text);
    }
}
