<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * One HTTP request, and its answer or the fact that there is none. Redirects are not followed: the
 * key would go to another address.
 *
 * @internal
 */
final class Transport
{
    public const VERSION = '0.1.0';

    /** An answer is small; a page of 1,000 events is about half a megabyte. */
    private const BODY_BYTES_MAX = 16_000_000;

    private readonly string $baseUrl;

    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] private readonly string $key,
        private readonly ?string $language,
    ) {
        if (preg_match('#^https?://[^/@\s]+(/[^?\#\s]*)?$#iD', $baseUrl) !== 1) {
            throw new \InvalidArgumentException('baseUrl must begin with https:// or http://');
        }
        if (preg_match('/^[\x21-\x7e]+$/D', $key) !== 1) {
            throw new \InvalidArgumentException('the API key is empty, or no text of a key');
        }
        // A line break would begin another header.
        if (preg_match('/^[\w-]*$/D', $language ?? '') !== 1) {
            throw new \InvalidArgumentException('language must be a code such as fr');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /** The key must not be stored with a session or a job. */
    public function __serialize(): array
    {
        throw new \LogicException('a client cannot be serialised');
    }

    /** Keeps the key out of dumps. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * The answer, if it is a word of the gateway's.
     *
     * @throws LostAnswer
     */
    public function send(Request $request, float $timeoutSeconds): Answer
    {
        $headers = [];
        $raw = '';
        $handle = $this->open($request, $headers);
        curl_setopt_array($handle, [
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($timeoutSeconds * 1000)),
            CURLOPT_WRITEFUNCTION => static function ($handle, string $part) use (&$raw): int {
                $raw .= $part;
                return strlen($raw) > self::BODY_BYTES_MAX ? 0 : strlen($part);
            },
        ]);
        if (curl_exec($handle) === false) {
            throw new LostAnswer(self::describe(curl_errno($handle)));
        }
        return self::read(curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $headers, $raw);
    }

    /**
     * The lines of a stream of events.
     *
     * @return \Generator<int, string>
     * @throws LostAnswer when it breaks off or is none, or nothing came for $idleSeconds
     */
    public function lines(Request $request, int $idleSeconds): \Generator
    {
        $headers = [];
        $raw = '';
        $handle = $this->open($request, $headers);
        curl_setopt_array($handle, [
            CURLOPT_LOW_SPEED_LIMIT => 1,
            CURLOPT_LOW_SPEED_TIME => $idleSeconds,
            CURLOPT_WRITEFUNCTION => static function ($handle, string $part) use (&$raw): int {
                $raw .= $part;
                return strlen($raw) > self::BODY_BYTES_MAX ? 0 : strlen($part);
            },
        ]);
        $all = curl_multi_init();
        curl_multi_add_handle($all, $handle);
        try {
            do {
                curl_multi_exec($all, $running);
                $isGood = curl_getinfo($handle, CURLINFO_RESPONSE_CODE) === 200
                    && str_starts_with($headers['content-type'] ?? '', 'text/event-stream');
                $lines = $isGood ? explode("\n", $raw) : [$raw];
                $raw = array_pop($lines);
                foreach ($lines as $line) {
                    yield rtrim($line, "\r");
                }
                if ($running > 0) {
                    curl_multi_select($all, 1.0);
                }
            } while ($running > 0);
            $problem = curl_multi_info_read($all)['result'] ?? CURLE_OK;
            $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        } finally {
            curl_multi_remove_handle($all, $handle);
            curl_multi_close($all);
        }
        if ($problem === CURLE_OK && $status !== 200) {
            throw ApiException::of(self::read($status, $headers, $raw));
        }
        throw new LostAnswer($problem === CURLE_OK ? 'the stream ended' : self::describe($problem));
    }

    /** @param array<string, string> $headers is filled with those of the answer */
    private function open(Request $request, array &$headers): \CurlHandle
    {
        $lines = [
            'Authorization: Bearer ' . $this->key,
            'User-Agent: passerelle-php/' . self::VERSION,
            // Without it curl waits for "100 Continue" before a long body.
            'Expect:',
            ...$request->headers,
        ];
        if ($this->language !== null) {
            $lines[] = 'Accept-Language: ' . $this->language;
        }
        $handle = curl_init();
        if ($request->body !== null) {
            $lines[] = 'Content-Type: application/json';
            curl_setopt($handle, CURLOPT_POSTFIELDS, $request->body);
        }
        curl_setopt_array($handle, [
            CURLOPT_URL => $this->baseUrl . $request->path,
            // The path is sent as it is: an identifier may begin with dots.
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_HEADERFUNCTION => self::headerReader($headers),
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_CONNECTTIMEOUT => 10,
            // Timeouts work without signals, which a web server may use itself.
            CURLOPT_NOSIGNAL => true,
        ]);
        return $handle;
    }

    /** @param array<string, string> $headers */
    private static function headerReader(array &$headers): \Closure
    {
        return static function ($handle, string $line) use (&$headers): int {
            $parts = explode(':', $line, 2);
            if (count($parts) === 2) {
                $headers[strtolower(trim($parts[0]))] = trim($parts[1]);
            }
            return strlen($line);
        };
    }

    /** @param array<string, string> $headers */
    private static function read(int $status, array $headers, string $raw): Answer
    {
        $body = json_decode($raw, true);
        $isObject = is_array($body) && (!array_is_list($body) || trim($raw) === '{}');
        $answer = new Answer($status, $headers, $isObject ? $body : []);
        $isRefusal = $status >= 400 && isset($answer->body['code']);
        if ($status === 408 || $status >= 500) {
            $said = $isRefusal ? ApiException::of($answer) : null;
            throw new LostAnswer("the answer was $status", $said, self::secondsOf($headers));
        }
        // A page of some proxy, or half an answer, says nothing of the gateway's records.
        if (!$isObject || !($isRefusal || ($status >= 200 && $status < 300))) {
            throw new LostAnswer("the answer ($status) cannot be read");
        }
        return $answer;
    }

    /**
     * `Retry-After` in seconds; null where it is missing or means nothing. A date counts from that
     * of the answer: clocks of shops may be wrong.
     *
     * @param array<string, string> $headers
     */
    public static function secondsOf(array $headers): ?int
    {
        $text = $headers['retry-after'] ?? '';
        if (preg_match('/^\d{1,9}$/D', $text) === 1) {
            return (int) $text;
        }
        $until = self::timeOf($text);
        $answered = self::timeOf($headers['date'] ?? '') ?? time();
        return $until === null ? null : max(0, $until - $answered);
    }

    /** The time of an HTTP date; null for anything else. */
    private static function timeOf(string $text): ?int
    {
        $format = '!D, d M Y H:i:s \G\M\T';
        $time = \DateTimeImmutable::createFromFormat($format, $text, new \DateTimeZone('UTC'));
        return $time === false ? null : $time->getTimestamp();
    }

    /** By curl's number alone: its texts name addresses. */
    private static function describe(int $problem): string
    {
        return match ($problem) {
            CURLE_OPERATION_TIMEDOUT => 'no answer in time',
            CURLE_COULDNT_CONNECT => 'the connection was refused',
            CURLE_COULDNT_RESOLVE_HOST => 'the name of the gateway is not known',
            CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT => 'no trustworthy TLS connection',
            default => "the connection failed (curl $problem)",
        };
    }
}
