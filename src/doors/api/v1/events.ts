import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { FeedAnswer, FeedQuery, readCursor, writeFeed } from '#edge/wire/feed.ts'
import type { Context } from '../context.ts'

export default function readEvents(http: Http, { webhooks: { feed } }: Context): void {
  http.get(
    '/api/v1/events',
    {
      schema: {
        operationId: 'listEvents',
        summary: 'Pull events',
        description:
          'All that webhooks told about what the key sees, in order, from any point on. Balances ' +
          'in them are 0 for a key without the right `balance`.',
        tags: ['Events'],
        querystring: FeedQuery,
        response: { 200: FeedAnswer },
      },
    },
    async (request) => {
      const { limit = '100' } = request.query
      const after = readCursor(request.query.after) ?? 0
      const events = await feed.read(callerOf(request), after, Number(limit))
      return writeFeed(events, after, callerOf(request))
    },
  )
}
