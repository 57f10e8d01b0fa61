<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * Ends a call with an error, whatever could still be tried.
 *
 * @internal
 */
final class FinalAnswer extends \Exception
{
    public function __construct(public readonly PasserelleException $error)
    {
        parent::__construct('', 0, $error);
    }
}
