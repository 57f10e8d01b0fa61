import { Type } from 'typebox'
import { callerOf } from '../../../http/caller.ts'
import type { Http } from '../../../http/http.ts'
import { streamAsEvents, streamAsSocket } from '../../../http/stream.ts'
import { FeedQuery, writeFeedEvent } from '../../../wire/feed.ts'
import type { Context } from '../../context.ts'

const schema = Type.String({ description: 'id, event and data (JSON) of each, as it happens' })

export default function streamEvents(http: Http, { webhooks: { feed } }: Context): void {
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
      const { clientId } = callerOf(request)
      const position = /^\d{1,15}$/.test(last) ? Number(last) : Number(after)
      const follow = (signal: AbortSignal) => feed.follow(clientId, position, signal)
      await streamAsEvents(reply, follow, writeFeedEvent)
    },
    wsHandler: async (socket, request) => {
      const { after = '0' } = request.query as { after?: string }
      const { clientId } = callerOf(request)
      const follow = (signal: AbortSignal) => feed.follow(clientId, Number(after), signal)
      await streamAsSocket(socket, follow, writeFeedEvent)
    },
  })
}
