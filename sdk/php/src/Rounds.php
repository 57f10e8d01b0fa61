<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * Counts the tries of a call, and pauses between two.
 *
 * @internal
 */
final class Rounds
{
    /** A gateway that asks for more patience than this is not waited for. */
    private const PATIENCE_SECONDS = 60;

    private int $done = 0;

    public function __construct(private readonly int $tries)
    {
    }

    /** Whether to try again after a problem; returns when it is time to. */
    public function another(LostAnswer|ApiException|null $problem): bool
    {
        $asked = $problem?->retryAfterS ?? 0;
        if ($this->done >= $this->tries || $asked > self::PATIENCE_SECONDS) {
            return false;
        }
        if ($this->done > 0) {
            self::pause(max($asked, self::delay($this->done - 1)));
        }
        $this->done += 1;
        return true;
    }

    /** Seconds to wait after so many failures: of twice as much each time, a random half to all. */
    public static function delay(int $failures): float
    {
        return min(8.0, 0.25 * 2 ** min($failures, 10)) * random_int(500, 1000) / 1000;
    }

    public static function pause(float $seconds): void
    {
        usleep((int) ceil(max(0.0, $seconds) * 1_000_000));
    }
}
