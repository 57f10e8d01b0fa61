import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerOf } from '../../../http/caller.ts'
import type { Http } from '../../../http/http.ts'
import { streamAsEvents, streamAsSocket } from '../../../http/stream.ts'
import type { EventRow } from '../../../webhooks/store.ts'
import { FeedQuery, writeFeedEvent } from '../../../wire/feed.ts'
import type { Context } from '../../context.ts'

type Follow = (signal: AbortSignal) => AsyncIterable<EventRow>

const schema = Type.String({ description: 'id, event and data (JSON) of each, as it happens' })

export default function streamEvents(http: Http, { clients, webhooks }: Context): void {
  /** Streams what the request's key sees, for as long as the key is valid. */
  async function streamAfter(
    request: FastifyRequest,
    position: number,
    stream: (follow: Follow, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const caller = callerOf(request)
    const key = clients.watchKey(caller, request.ip)
    try {
      await stream((signal) => webhooks.feed.follow(caller, position, signal), key.ended)
    } finally {
      key.leave()
    }
  }

  http.route({
    method: 'GET',
    url: '/api/v1/events/stream',
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream events',
      description: 'The feed as it grows: server-sent events, or a WebSocket on upgrade.',
      tags: ['Events'],
      querystring: FeedQuery,
      response: { 200: { description: 'Events', content: { 'text/event-stream': { schema } } } },
    },
    handler: async (request, reply) => {
      const { after = '0' } = request.query
      // A browser that reconnects sends the id of its last event.
      const last = String(request.headers['last-event-id'] ?? after)
      const position = /^\d{1,15}$/.test(last) ? Number(last) : Number(after)
      await streamAfter(request, position, (follow, until) =>
        streamAsEvents(reply, follow, writeFeedEvent, { until }),
      )
    },
    wsHandler: async (socket, request) => {
      const { after = '0' } = request.query as { after?: string }
      await streamAfter(request, Number(after), (follow, until) =>
        streamAsSocket(socket, follow, writeFeedEvent, { until }),
      )
    },
  })
}
