<?php

declare(strict_types=1);

namespace Passerelle;

/** The feed of events: pages, all until now, and as they come. */
trait EventVerbs
{
    /**
     * One page of the feed, oldest first, after a cursor; its `next` is the next cursor.
     *
     * @return array{events: list<array{id: string, cursor: string, createdAt: string,
     *   event: array<string, mixed>}>, next: string} `event` is as Webhook::verify gives it
     */
    public function pageEvents(?string $after = null, int $limit = 100): array
    {
        return $this->get(
            '/api/v1/events' . Request::query(['after' => $after, 'limit' => $limit]),
            static fn(array $body): array => ['events' => $body['events'], 'next' => $body['next']],
        );
    }

    /**
     * All events until now. Keep the `cursor` of the last one to go on from there.
     *
     * @return \Generator<int, array{id: string, cursor: string, createdAt: string,
     *   event: array<string, mixed>}>
     */
    public function listEvents(?string $after = null): \Generator
    {
        do {
            $page = $this->pageEvents($after, 1000);
            foreach ($page['events'] as $event) {
                yield $event;
            }
            $after = $page['next'];
        } while ($page['events'] !== []);
    }

    /**
     * Events as they come: from now on, after a cursor, or from `'start'`. It connects again where
     * it was. For programs that stay up; pages of a web server use listEvents.
     *
     * @return \Generator<int, array{id: string, cursor: string, createdAt: string,
     *   event: array<string, mixed>}>
     * @throws PasserelleException when as many connections in a row as calls are tried told
     *   nothing, not even that they are open
     */
    public function streamEvents(?string $after = null): \Generator
    {
        $failures = 0;
        while (true) {
            $failures += 1;
            $path = '/api/v1/events/stream' . Request::query(['after' => $after]);
            $request = new Request('GET', $path);
            try {
                // Streams send something every 15 s.
                foreach ($this->calls->lines($request, 40) as $line) {
                    $failures = 0;
                    if (str_starts_with($line, 'id: ')) {
                        // Where a stream begins; that of an event counts once its data is there.
                        $after ??= substr($line, 4);
                    } elseif (str_starts_with($line, 'data: ')) {
                        $event = json_decode(substr($line, 6), true, 512, JSON_THROW_ON_ERROR);
                        $after = $event['cursor'];
                        yield $event;
                    }
                }
                $asked = 0;
            } catch (LostAnswer | RateLimitedException | \JsonException $lost) {
                $isText = $lost instanceof \JsonException;
                $problem = $isText ? new LostAnswer('the stream broke off') : $lost;
                $asked = $problem->retryAfterS ?? 0;
                if ($failures >= $this->calls->tries || $asked > Rounds::PATIENCE_SECONDS) {
                    throw Calls::errorOf($problem);
                }
            }
            Rounds::pause(max($asked, Rounds::delay(max(0, $failures - 1))));
        }
    }

    /**
     * Sends the webhook of an event again, and tells what your address answered.
     *
     * @return array{state: string, httpStatus: ?int, problem: ?string, nextTryAt: ?string}
     */
    public function replayEvent(string $id): array
    {
        $path = '/api/v1/events/' . Request::part($id) . '/replay';
        return $this->calls->ask(
            Request::repeatable('POST', $path, []),
            static fn(array $body): array => $body['delivery'],
        );
    }
}
