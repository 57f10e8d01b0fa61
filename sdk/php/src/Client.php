<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * A merchant's view of the gateway: one method for each verb of sdk/README.md. Orders and answers
 * that are arrays have the interface's own field names.
 */
final class Client
{
    use OrderVerbs;
    use PaymentVerbs;
    use AccountVerbs;
    use EventVerbs;

    private readonly Calls $calls;

    /**
     * @param float $timeoutSeconds of one request
     * @param int $tries how often a call is tried in all
     * @param float|null $giveUpSeconds of a whole call, with its tries and pauses; an order that has
     *   left then ends with an OutcomeUnknownException
     * @param 'fr'|'en'|null $language of the sentences in errors
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        float $timeoutSeconds = 30.0,
        int $tries = 5,
        ?string $language = null,
        ?float $giveUpSeconds = null,
    ) {
        if ($timeoutSeconds <= 0 || $tries < 1) {
            throw new \InvalidArgumentException('timeoutSeconds must be above 0, tries at least 1');
        }
        $transport = new Transport($baseUrl, $apiKey, $language);
        $this->calls = new Calls($transport, $tries, $timeoutSeconds, $giveUpSeconds);
    }

    /** A new `externalTransactionId`. */
    public static function newExternalId(): string
    {
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex(random_bytes(16)), 4));
    }

    /**
     * @template T
     * @param \Closure(array<string, mixed>): T $read
     * @return T
     */
    private function get(string $path, \Closure $read): mixed
    {
        return $this->calls->ask(new Request('GET', $path), $read);
    }
}
