<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * A request to the gateway.
 *
 * @internal
 */
final class Request
{
    /** JSON. */
    public readonly ?string $body;

    /**
     * @param array<string, mixed>|null $body
     * @param list<string> $headers
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        ?array $body = null,
        public readonly array $headers = [],
    ) {
        try {
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE;
            $this->body = $body === null ? null : json_encode((object) $body, $flags);
        } catch (\JsonException $problem) {
            throw new \InvalidArgumentException('it cannot be written as JSON', 0, $problem);
        }
    }

    /** Keeps customers' data and one-time codes out of dumps of exceptions. */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'path' => $this->path];
    }

    /**
     * One that may arrive twice and is carried out once.
     *
     * @param array<string, mixed>|null $body
     */
    public static function repeatable(string $method, string $path, ?array $body): self
    {
        return new self($method, $path, $body, ['Idempotency-Key: ' . Client::newExternalId()]);
    }

    /** An identifier as one part of a path. */
    public static function part(string $id): string
    {
        return in_array($id, ['', '.', '..'], true)
            ? throw new \InvalidArgumentException('an identifier must be a string')
            : rawurlencode($id);
    }

    /**
     * Parameters as the end of an address, without those that are null.
     *
     * @param array<string, mixed> $parameters
     */
    public static function query(array $parameters): string
    {
        $text = http_build_query($parameters, '', '&', PHP_QUERY_RFC3986);
        return $text === '' ? '' : "?$text";
    }
}
