import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { EventRow } from '#backoffice/webhooks/store.ts'
import type { Context } from '#doors/api/context.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { streamAsEvents, streamAsSocket } from '#edge/http/stream.ts'
import { readCursor, StreamQuery, writeFeedEvent } from '#edge/wire/feed.ts'

type Follow = (signal: AbortSignal) => AsyncIterable<EventRow>

const schema = Type.String({ description: 'id, event and data (JSON) of each, as it happens' })

export default function streamEvents(http: Http, { clients, webhooks }: Context): void {
  const starts = new WeakMap<FastifyRequest, number>()

  /** Streams what the request's key sees, for as long as the key is valid. */
  async function streamTo(
    request: FastifyRequest,
    stream: (
      follow: Follow,
      write: (event: EventRow) => { id: string; cursor: string },
      options: { until: AbortSignal; startPosition: number },
    ) => Promise<void>,
  ): Promise<void> {
    const caller = callerOf(request)
    const key = clients.watchKey(caller, request.ip)
    const startPosition = starts.get(request) ?? 0
    const follow: Follow = (signal) => webhooks.feed.follow(caller, startPosition, signal)
    try {
      await stream(follow, (event) => writeFeedEvent(event, caller), {
        until: key.ended,
        startPosition,
      })
    } finally {
      key.leave()
    }
  }

  http.route({
    method: 'GET',
    url: '/api/v1/events/stream',
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamEvents',
      summary: 'Stream events',
      description:
        'New events as they happen, or all after a cursor: server-sent events, or a WebSocket on ' +
        'upgrade. `Last-Event-ID` takes precedence over `after`. Balances in them are 0 for a ' +
        'key without the right `balance`.',
      tags: ['Events'],
      querystring: StreamQuery,
      response: { 200: { description: 'Events', content: { 'text/event-stream': { schema } } } },
    },
    // Before the answer or the upgrade: whatever happens once the client sees it open is sent.
    preHandler: async (request) => {
      // A browser that reconnects sends the id of its last event.
      const { 'last-event-id': last = '' } = request.headers
      const { after } = request.query
      const asked = readCursor(/^\d{1,15}$/.test(String(last)) ? String(last) : after)
      starts.set(request, asked ?? (await webhooks.feed.lastPosition(callerOf(request))))
    },
    handler: async (request, reply) => {
      await streamTo(request, (...args) => streamAsEvents(reply, ...args))
    },
    wsHandler: async (socket, request) => {
      request.freePlace()
      await streamTo(request, (...args) => streamAsSocket(socket, ...args))
    },
  })
}
