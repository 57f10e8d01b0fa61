<?php

declare(strict_types=1);

namespace Passerelle;

/** Payments and links, as the gateway knows them. */
trait PaymentVerbs
{
    /** A payment, by the gateway's id or yours. */
    public function getPayment(string $id): Payment
    {
        return $this->get(
            '/api/v1/transaction/' . Request::part($id),
            static fn(array $body) => Payment::read($body['transaction']),
        );
    }

    /**
     * Looks a payment or link up until it has ended. It asks twice a second at first, later every
     * five seconds: a webhook costs less.
     *
     * @throws NotFinalException after $timeoutSeconds
     */
    public function waitForFinal(string $id, float $timeoutSeconds = 60.0): Payment
    {
        $deadline = microtime(true) + $timeoutSeconds;
        $request = new Request('GET', '/api/v1/transaction/' . Request::part($id));
        $payment = null;
        $pause = 0.5;
        while (($left = $deadline - microtime(true)) > 0) {
            $asked = 0;
            try {
                $answer = $this->calls->once($request, min($this->calls->timeoutSeconds, $left));
                $record = $answer->body['transaction'] ?? null;
                $payment = Calls::strictly(static fn() => Payment::read($record));
                if ($payment->isFinal()) {
                    return $payment;
                }
            } catch (LostAnswer | RateLimitedException $problem) {
                $asked = $problem->retryAfterS ?? 0;
            } catch (\TypeError) {
                // A success that cannot be read is asked for again.
            }
            $wait = max($asked, $pause * random_int(500, 1000) / 1000);
            Rounds::pause(min($wait, $deadline - microtime(true)));
            $pause = min(5.0, $pause * 1.5);
        }
        throw new NotFinalException($id, $payment);
    }

    /**
     * One page of your payments, newest first.
     *
     * @param array{limit?: int, after?: string, status?: string, type?: string, service?: string,
     *   number?: string, sub_merchant_id?: string, externalTransactionIdPrefix?: string,
     *   from?: string, to?: string} $filter
     * @return Page<Payment>
     */
    public function pagePayments(array $filter = []): Page
    {
        return $this->get(
            '/api/v1/transaction' . Request::query($filter),
            static fn(array $body) => new Page(
                array_map(static fn(array $one) => Payment::read($one), $body['transactions']),
                $body['next'],
            ),
        );
    }

    /**
     * All your payments, newest first, page by page as they are read.
     *
     * @param array<string, mixed> $filter as of pagePayments
     * @return \Generator<int, Payment>
     */
    public function listPayments(array $filter = []): \Generator
    {
        return self::all(fn(array $filter) => $this->pagePayments($filter), $filter);
    }

    /** A link, by the gateway's id or yours. */
    public function getLink(string $id): Link
    {
        return $this->get(
            '/api/v1/merchant/' . Request::part($id),
            static fn(array $body) => Link::read($body['transaction']),
        );
    }

    /**
     * One page of your links, newest first.
     *
     * @param array{limit?: int, after?: string, status?: string, number?: string,
     *   sub_merchant_id?: string, externalTransactionIdPrefix?: string, from?: string,
     *   to?: string} $filter
     * @return Page<Link>
     */
    public function pageLinks(array $filter = []): Page
    {
        return $this->get(
            '/api/v1/transaction/merchant' . Request::query($filter),
            static fn(array $body) => new Page(
                array_map(static fn(array $one) => Link::read($one), $body['links']),
                $body['next'],
            ),
        );
    }

    /**
     * All your links, newest first, page by page as they are read.
     *
     * @param array<string, mixed> $filter as of pageLinks
     * @return \Generator<int, Link>
     */
    public function listLinks(array $filter = []): \Generator
    {
        return self::all(fn(array $filter) => $this->pageLinks($filter), $filter);
    }

    /**
     * @template T
     * @param \Closure(array<string, mixed>): Page<T> $page
     * @param array<string, mixed> $filter
     * @return \Generator<int, T>
     */
    private static function all(\Closure $page, array $filter): \Generator
    {
        do {
            $read = $page($filter);
            foreach ($read->items as $item) {
                yield $item;
            }
            $filter = ['after' => $read->next] + $filter;
        } while ($read->next !== null);
    }
}
