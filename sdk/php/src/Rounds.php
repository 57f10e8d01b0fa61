<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * Counts the tries of a call, waits between two, and knows when to give up.
 *
 * @internal
 */
final class Rounds
{
    /** A gateway that asks for more patience than this is not waited for. */
    public const PATIENCE_SECONDS = 60;

    private int $done = 0;

    /** @param float $deadline when to give up, as microtime tells it */
    public function __construct(
        private readonly int $tries,
        private readonly float $deadline,
    ) {
    }

    /** The rounds of another request of the same call. */
    public function anew(): self
    {
        return new self($this->tries, $this->deadline);
    }

    /** Whether there is another round; it has begun then. */
    public function begin(): bool
    {
        if ($this->done >= $this->tries || $this->secondsLeft() <= 0) {
            return false;
        }
        $this->done += 1;
        return true;
    }

    public function isLast(): bool
    {
        return $this->done >= $this->tries;
    }

    public function secondsLeft(): float
    {
        return $this->deadline - microtime(true);
    }

    /** Waits after a problem; false, at once: for longer than it is worth, or than there is time. */
    public function wait(LostAnswer|ApiException $problem): bool
    {
        $asked = $problem->retryAfterS ?? 0;
        $seconds = max($asked, self::delay($this->done - 1));
        if ($asked > self::PATIENCE_SECONDS || $seconds >= $this->secondsLeft()) {
            return false;
        }
        self::pause($seconds);
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
