<?php

declare(strict_types=1);

namespace Passerelle;

/** `INSUFFICIENT_FUNDS`: the balance is below amount plus fee. */
final class InsufficientFundsException extends ApiException
{
}
