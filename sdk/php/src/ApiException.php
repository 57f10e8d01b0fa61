<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * The gateway refused, and nothing has changed. Decide by `$errorCode`, never by the sentences.
 */
class ApiException extends PasserelleException
{
    private const BY_CODE = [
        'MISSING_API_KEY' => AuthenticationException::class,
        'INVALID_API_KEY' => AuthenticationException::class,
        'VALIDATION_FAILED' => ValidationException::class,
        'INVALID_AMOUNT' => ValidationException::class,
        'INVALID_PHONE' => ValidationException::class,
        'NOT_FOUND' => NotFoundException::class,
        'INSUFFICIENT_FUNDS' => InsufficientFundsException::class,
        'RATE_LIMITED' => RateLimitedException::class,
        'OVERLOADED' => UnavailableException::class,
        'SERVICE_UNAVAILABLE' => UnavailableException::class,
        'UNDER_MAINTENANCE' => UnavailableException::class,
        'DUPLICATE_TRANSACTION' => DuplicateException::class,
    ];

    /** Stable and machine-readable, such as `INSUFFICIENT_FUNDS`; the list may grow. */
    public readonly string $errorCode;

    public readonly int $status;

    /** @var list<string> everything that is wrong, one sentence each */
    public readonly array $messages;

    /** @var list<string> the field of each message; an empty text is the request as a whole */
    public readonly array $params;

    /** Name it when you ask for help. */
    public readonly string $requestId;

    /** For how many seconds the gateway asked to wait. */
    public readonly ?int $retryAfterS;

    /** @var array<string, mixed> */
    public readonly array $body;

    /** @internal */
    final public function __construct(Answer $answer)
    {
        $body = $answer->body;
        $this->errorCode = is_string($body['code'] ?? null) ? $body['code'] : 'UNKNOWN';
        $this->status = $answer->status;
        $this->messages = self::texts($body['message'] ?? []);
        $this->params = self::texts($body['params'] ?? []);
        $this->requestId = (string) ($body['requestId'] ?? $answer->headers['x-request-id'] ?? '');
        $this->retryAfterS = Transport::secondsOf($answer->headers);
        $this->body = $body;
        $text = implode('; ', $this->messages) ?: 'no message';
        $named = "$this->status $this->errorCode: $text (request $this->requestId)";
        parent::__construct($named, $answer->status);
    }

    /**
     * The exception of an answer, by its code.
     *
     * @internal
     */
    public static function of(Answer $answer): self
    {
        $code = $answer->body['code'] ?? null;
        $class = is_string($code) ? (self::BY_CODE[$code] ?? self::class) : self::class;
        return new $class($answer);
    }

    /** @return list<string> */
    private static function texts(mixed $given): array
    {
        return array_values(array_filter((array) $given, is_string(...)));
    }
}
