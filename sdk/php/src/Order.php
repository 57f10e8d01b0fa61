<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * Something that must happen once, known by an id of the merchant's.
 *
 * @internal
 */
final class Order
{
    /**
     * @param \Closure(array<string, mixed>, string): (Payment|Link) $read finds the record in the
     *   body of an answer; throws a \TypeError if there is none
     * @param \Closure(Payment|Link): bool $isMine whether what the lookup found is this order, and
     *   not an earlier one
     * @param string|null $originalId of a refund: the payment that it sends back, as the caller
     *   names it
     */
    public function __construct(
        public readonly string $externalId,
        public readonly Request $request,
        public readonly Request $lookup,
        public readonly \Closure $read,
        public readonly \Closure $isMine,
        public readonly ?string $originalId = null,
    ) {
    }
}
