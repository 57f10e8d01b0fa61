<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * One page of a list. `$next` goes into `after` of the next one; null: the last page.
 *
 * @template T
 */
final class Page
{
    /** @param list<T> $items */
    public function __construct(
        public readonly array $items,
        public readonly ?string $next,
    ) {
    }
}
