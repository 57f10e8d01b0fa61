<?php

declare(strict_types=1);

namespace Passerelle;

/** Nothing came back, and no order was under way: the call may be made again. */
final class ConnectionException extends PasserelleException
{
}
