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
    /** @param float|null $giveUpSeconds of a whole call; null: its tries are all that ends it */
    public function __construct(
        private readonly Transport $transport,
        public readonly int $tries,
        public readonly float $timeoutSeconds,
        private readonly ?float $giveUpSeconds,
    ) {
    }

    /**
     * What $read finds in the answer, for requests that may arrive more than once.
     *
     * @template T
     * @param \Closure(array<string, mixed>): T $read
     * @return T
     */
    public function ask(Request $request, \Closure $read, ?Rounds $rounds = null): mixed
    {
        $problem = null;
        $rounds ??= $this->rounds();
        while ($rounds->begin()) {
            try {
                return self::readOrLose($read, $this->within($rounds, $request));
            } catch (LostAnswer $lost) {
                $problem = $lost;
            } catch (ApiException $refused) {
                // Too early, or the first request with this Idempotency-Key is still at work.
                if (!in_array($refused->errorCode, ['RATE_LIMITED', 'REQUEST_IN_PROGRESS'], true)) {
                    throw $refused;
                }
                $problem = $refused;
            }
            if ($rounds->isLast() || !$rounds->wait($problem)) {
                break;
            }
        }
        throw self::errorOf($problem);
    }

    /** The record of an order. It is never sent again before its id was looked up. */
    public function order(Order $order): Payment|Link
    {
        $problem = $refused = null;
        $isToSend = true;
        $mayExist = false;
        $rounds = $this->rounds();
        while ($rounds->begin()) {
            $isJustRefused = false;
            if ($isToSend) {
                try {
                    return $this->send($order, $rounds);
                } catch (LostAnswer $lost) {
                    [$problem, $mayExist] = [$lost, true];
                } catch (RateLimitedException $early) {
                    // It changed nothing.
                    $problem = $early;
                } catch (ApiException $refusal) {
                    // A refusal of the first request is the answer. After a lost one it says
                    // nothing about that.
                    if (!$mayExist) {
                        throw $refusal;
                    }
                    $problem = $refused = $refusal;
                    $isJustRefused = true;
                }
            }
            $isToWait = !$isJustRefused && ($mayExist || !$rounds->isLast());
            if ($isToWait && !$rounds->wait($problem)) {
                break;
            }
            if (!$mayExist) {
                continue;
            }
            try {
                $found = $this->look($order, $rounds);
            } catch (LostAnswer | RateLimitedException $unseen) {
                [$problem, $isToSend] = [$unseen, false];
                continue;
            } catch (ApiException $unseen) {
                if ($unseen instanceof DuplicateException) {
                    throw $unseen;
                }
                $problem = $unseen;
                break;
            }
            if ($found !== null || $refused !== null) {
                return $found ?? throw $refused;
            }
            $isToSend = true;
        }
        $error = self::errorOf($problem);
        throw $mayExist ? new OutcomeUnknownException($order->externalId, $error) : $error;
    }

    /**
     * Sends a one-time code: after a lost answer any status but PENDING means that it arrived, and
     * a refusal is believed only if it still is.
     *
     * @param \Closure(array<string, mixed>, string): Payment $read
     */
    public function confirm(Request $request, Request $lookup, \Closure $read): Payment
    {
        $problem = null;
        $mayHaveArrived = false;
        $rounds = $this->rounds();
        while ($rounds->begin()) {
            $refused = null;
            try {
                return self::readOrLose($read, $this->within($rounds, $request), 'answer');
            } catch (LostAnswer $lost) {
                [$problem, $mayHaveArrived] = [$lost, true];
            } catch (RateLimitedException $early) {
                $problem = $early;
            } catch (ApiException $refused) {
                if (!$mayHaveArrived) {
                    throw $refused;
                }
            }
            if ($refused === null && !$rounds->wait($problem)) {
                break;
            }
            $readLookup = static fn(array $body): Payment => $read($body, 'lookup');
            $payment = $this->ask($lookup, $readLookup, $rounds->anew());
            if ($payment->status !== 'PENDING' || $refused !== null) {
                return $payment->status !== 'PENDING' ? $payment : throw $refused;
            }
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

    private function rounds(): Rounds
    {
        return new Rounds($this->tries, microtime(true) + ($this->giveUpSeconds ?? INF));
    }

    private function within(Rounds $rounds, Request $request): Answer
    {
        return $this->once($request, min($this->timeoutSeconds, $rounds->secondsLeft()));
    }

    private function send(Order $order, Rounds $rounds): Payment|Link
    {
        $answer = $this->within($rounds, $order->request);
        return self::readOrLose($order->read, $answer, 'answer');
    }

    /** The record of an order that may have arrived; null: there is none. */
    private function look(Order $order, Rounds $rounds): Payment|Link|null
    {
        try {
            $answer = $this->within($rounds, $order->lookup);
        } catch (NotFoundException) {
            return null;
        }
        $record = self::readOrLose($order->read, $answer, 'lookup');
        // An id of the gateway's own comes first in lookups: what has this id has not been seen.
        if ($record->externalTransactionId !== $order->externalId) {
            $other = new ConnectionException('the lookup found a record with another external id');
            throw new OutcomeUnknownException($order->externalId, $other);
        }
        if (($order->isMine)($record) && $this->isOfOriginal($order, $record, $rounds)) {
            return $record;
        }
        $body = [
            'message' => ['externalTransactionId already used'],
            'code' => 'DUPLICATE_TRANSACTION',
            'transaction' => $answer->body['transaction'],
        ];
        throw ApiException::of(new Answer(409, $answer->headers, $body));
    }

    /** Whether a refund is of the payment that the order names, which may be by the caller's id. */
    private function isOfOriginal(Order $order, Payment|Link $record, Rounds $rounds): bool
    {
        $id = $order->originalId;
        $known = $record->originalTransactionId ?? null;
        if ($id === null || $known === $id) {
            return true;
        }
        $lookup = new Request('GET', '/api/v1/transaction/' . Request::part($id));
        $read = static fn(array $body): string => $body['transaction']['transactionId'];
        try {
            return $this->ask($lookup, $read, $rounds->anew()) === $known;
        } catch (NotFoundException) {
            return false;
        } catch (PasserelleException $problem) {
            throw new OutcomeUnknownException($order->externalId, $problem);
        }
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

    /** What a caller is told of the last problem. */
    public static function errorOf(LostAnswer|ApiException|null $problem): PasserelleException
    {
        if ($problem instanceof ApiException) {
            return $problem;
        }
        $text = $problem?->getMessage() ?? 'nothing was sent';
        return $problem?->said ?? new ConnectionException($text);
    }
}
