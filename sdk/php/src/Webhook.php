<?php

declare(strict_types=1);

namespace Passerelle;

/** Webhooks: whether one is the gateway's, and what it says. */
final class Webhook
{
    /** How far the time of a webhook may be from ours. */
    public const TOLERANCE_SECONDS = 300;

    /**
     * The event of a webhook that the gateway signed.
     *
     * `$body` is what arrived, byte for byte (`file_get_contents('php://input')`): JSON that was
     * read and written again has another signature. `$headers` may come from `getallheaders()` or
     * be `$_SERVER`. `$secrets` is one secret (`whsec_…`), or several during a rotation. The same
     * event may arrive twice: its `webhook-id` stays the same.
     *
     * @param array<string, mixed> $headers
     * @param string|list<string> $secrets
     * @return array{id: string, externalTransactionId: string, transactionType: string,
     *   AMOUNT: int,
     *   FEE: int, PHONE_NUMBER: string, STATUS: string, CUSTOM_DATA: string, COMPLETED_AT: string,
     *   BALANCE: int, PREVIOUS_BALANCE: int, CURRENT_BALANCE: int, FAILURE_CODE: string,
     *   FAILURE_MESSAGE: string, ORIGINAL_ID?: string, TOKEN?: string}
     * @throws WebhookException if it must not be believed: answer 400
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        int $toleranceSeconds = self::TOLERANCE_SECONDS,
        ?int $now = null,
    ): array {
        $keys = self::keysOf((array) $secrets);
        [$id, $timestamp, $signatures] = array_map(
            static fn(string $name) => self::header($headers, $name),
            ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        );
        if ($id === '' || $timestamp === '' || $signatures === '') {
            throw new WebhookException('missing_header', 'the webhook is not signed');
        }
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            throw new WebhookException('malformed', 'the time of the webhook cannot be read');
        }
        if (!self::isSigned("$id.$timestamp.$body", $signatures, $keys)) {
            $text = 'no signature of the webhook is by a secret of yours';
            throw new WebhookException('wrong_signature', $text);
        }
        // After the signature: only of a webhook that is the gateway's does the time mean anything.
        $age = ($now ?? time()) - (int) $timestamp;
        if ($age > $toleranceSeconds) {
            throw new WebhookException('too_old', 'the webhook is too old, or a clock is wrong');
        }
        if ($age < -$toleranceSeconds) {
            $text = 'the webhook is from the future, or a clock is wrong';
            throw new WebhookException('too_new', $text);
        }
        $event = json_decode($body, true);
        if (!is_array($event) || array_is_list($event)) {
            throw new WebhookException('malformed', 'the webhook has no JSON object in its body');
        }
        return $event;
    }

    /** @param array<string, mixed> $headers */
    public static function header(array $headers, string $name): string
    {
        foreach ($headers as $key => $value) {
            $plain = str_replace('_', '-', strtolower((string) $key));
            if ($plain === $name || $plain === "http-$name") {
                return trim((string) (is_array($value) ? ($value[0] ?? '') : $value));
            }
        }
        return '';
    }

    /**
     * @param array<mixed> $secrets
     * @return list<string>
     */
    private static function keysOf(#[\SensitiveParameter] array $secrets): array
    {
        $keys = [];
        foreach ($secrets as $secret) {
            $key = base64_decode(preg_replace('/^whsec_/', '', (string) $secret), true);
            // An empty key would let anyone sign.
            if ($key === false || $key === '') {
                throw new \InvalidArgumentException('a webhook secret is not of the form whsec_…');
            }
            $keys[] = $key;
        }
        return $keys === []
            ? throw new \InvalidArgumentException('verifying a webhook needs a secret (whsec_…)')
            : $keys;
    }

    /** @param list<string> $keys */
    private static function isSigned(
        string $signed,
        string $signatures,
        #[\SensitiveParameter] array $keys,
    ): bool {
        $isSigned = false;
        foreach (explode(' ', $signatures) as $signature) {
            foreach (str_starts_with($signature, 'v1,') ? $keys : [] as $key) {
                $wanted = base64_encode(hash_hmac('sha256', $signed, $key, true));
                // All are compared, each in constant time.
                $isSigned = hash_equals($wanted, substr($signature, 3)) || $isSigned;
            }
        }
        return $isSigned;
    }
}
