<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * How often a call is made, and what happens in between: the rules of safety of sdk/README.md.
 *
 * @internal
 */
final class Calls
{
    public function __construct(
        private readonly Transport $transport,
        public readonly int $tries,
        public readonly float $timeoutSeconds,
    ) {
    }

    /**
     * What $read finds in the answer, for requests that may arrive more than once.
     *
     * @template T
     * @param \Closure(array<string, mixed>): T $read
     * @return T
     */
    public function ask(Request $request, \Closure $read): mixed
    {
        $problem = null;
        $rounds = new Rounds($this->tries);
        while ($rounds->another($problem)) {
            try {
                return self::readOrLose($read, $this->once($request));
            } catch (LostAnswer $lost) {
                $problem = $lost;
            } catch (ApiException $refused) {
                // Too early, or the first request with this Idempotency-Key is still at work.
                if (!in_array($refused->errorCode, ['RATE_LIMITED', 'REQUEST_IN_PROGRESS'], true)) {
                    throw $refused;
                }
                $problem = $refused;
            }
        }
        throw self::errorOf($problem);
    }

    /** The record of an order. It is never sent again before its id was looked up. */
    public function order(Order $order): Payment|Link
    {
        try {
            return $this->pursue($order);
        } catch (FinalAnswer $final) {
            throw $final->error;
        }
    }

    /**
     * Sends a one-time code: after a lost answer any status but PENDING means that it arrived.
     *
     * @param \Closure(array<string, mixed>, string): Payment $read
     */
    public function confirm(Request $request, Request $lookup, \Closure $read): Payment
    {
        $problem = null;
        $mustLook = false;
        $rounds = new Rounds($this->tries);
        while ($rounds->another($problem)) {
            try {
                if (!$mustLook) {
                    return self::readOrLose($read, $this->once($request), 'answer');
                }
            } catch (RateLimitedException $early) {
                $problem = $early;
                continue;
            } catch (LostAnswer $lost) {
                [$problem, $mustLook] = [$lost, true];
            }
            try {
                $payment = self::readOrLose($read, $this->once($lookup), 'lookup');
            } catch (LostAnswer | RateLimitedException $unseen) {
                $problem = $unseen;
                continue;
            }
            if ($payment->status !== 'PENDING') {
                return $payment;
            }
            $mustLook = false;
        }
        throw self::errorOf($problem);
    }

    /**
     * One request.
     *
     * @throws LostAnswer|ApiException
     */
    public function once(Request $request, ?float $timeoutSeconds = null): Answer
    {
        $answer = $this->transport->send($request, $timeoutSeconds ?? $this->timeoutSeconds);
        return $answer->status >= 400 ? throw ApiException::of($answer) : $answer;
    }

    /** @return \Generator<int, string> */
    public function lines(Request $request, int $idleSeconds): \Generator
    {
        return $this->transport->lines($request, $idleSeconds);
    }

    private function pursue(Order $order): Payment|Link
    {
        $problem = null;
        $mayExist = $mustLook = false;
        $rounds = new Rounds($this->tries);
        while ($rounds->another($problem)) {
            if (!$mustLook) {
                try {
                    return $this->send($order, $mayExist);
                } catch (RateLimitedException $early) {
                    // It changed nothing.
                    $problem = $early;
                    continue;
                } catch (LostAnswer $lost) {
                    $problem = $lost;
                    $mayExist = $mustLook = true;
                }
            }
            try {
                $found = $this->look($order);
            } catch (LostAnswer | ApiException $unseen) {
                $problem = $unseen;
                continue;
            }
            if ($found !== null) {
                return $found;
            }
            $mustLook = false;
        }
        $error = self::errorOf($problem);
        throw $mayExist ? new OutcomeUnknownException($order->externalId, $error) : $error;
    }

    private function send(Order $order, bool $isRepeated): Payment|Link
    {
        try {
            return self::readOrLose($order->read, $this->once($order->request), 'answer');
        } catch (RateLimitedException $early) {
            throw $early;
        } catch (DuplicateException $refused) {
            $record = $isRepeated ? self::readOrNull($order, $refused) : null;
            if ($record !== null && ($order->isMine)($record)) {
                return $record;
            }
            if ($refused->record() !== null) {
                // Of another order.
                throw new FinalAnswer($refused);
            }
        } catch (ApiException $refused) {
            // Thrown below.
        }
        if (!$isRepeated) {
            throw new FinalAnswer($refused);
        }
        // The request before this one may have arrived in the meantime.
        try {
            $found = $this->look($order);
        } catch (LostAnswer | ApiException $unseen) {
            $error = new OutcomeUnknownException($order->externalId, self::errorOf($unseen));
            throw new FinalAnswer($error);
        }
        return $found ?? throw new FinalAnswer($refused);
    }

    /** The record of an order that may have arrived; null: there is none. */
    private function look(Order $order): Payment|Link|null
    {
        try {
            $answer = $this->once($order->lookup);
        } catch (NotFoundException) {
            return null;
        }
        $record = self::readOrLose($order->read, $answer, 'lookup');
        if (($order->isMine)($record)) {
            return $record;
        }
        $body = [
            'message' => ['externalTransactionId already used'],
            'code' => 'DUPLICATE_TRANSACTION',
            'transaction' => $answer->body['transaction'],
        ];
        throw new FinalAnswer(ApiException::of(new Answer(409, $answer->headers, $body)));
    }

    /**
     * @template T
     * @param \Closure(array<string, mixed>, mixed...): T $read
     * @return T
     */
    private static function readOrLose(\Closure $read, Answer $answer, string ...$more): mixed
    {
        try {
            return self::strictly(static fn() => $read($answer->body, ...$more));
        } catch (\TypeError) {
            throw new LostAnswer("the answer ($answer->status) lacks what it should say");
        }
    }

    private static function readOrNull(Order $order, DuplicateException $told): Payment|Link|null
    {
        try {
            return self::strictly(static fn() => ($order->read)($told->body, 'duplicate'));
        } catch (\TypeError) {
            return null;
        }
    }

    /**
     * What a function returns; a missing key is a \TypeError, not a warning.
     *
     * @template T
     * @param \Closure(): T $function
     * @return T
     */
    public static function strictly(\Closure $function): mixed
    {
        set_error_handler(static fn(int $level, string $text) => throw new \TypeError($text));
        try {
            return $function();
        } finally {
            restore_error_handler();
        }
    }

    private static function errorOf(LostAnswer|ApiException|null $problem): PasserelleException
    {
        if ($problem instanceof ApiException) {
            return $problem;
        }
        $text = $problem?->getMessage() ?? 'nothing was sent';
        return $problem?->said ?? new ConnectionException($text);
    }
}
