import { Type } from 'typebox'
import { Refusal } from '../../../../catalog/refusal.ts'
import { callerOf } from '../../../../http/caller.ts'
import type { Http } from '../../../../http/http.ts'
import { readEventId } from '../../../../wire/feed.ts'
import type { Context } from '../../../context.ts'

export default function replayEvent(http: Http, { webhooks: { feed } }: Context): void {
  http.post(
    '/api/v1/events/:id/replay',
    {
      schema: {
        operationId: 'replayEvent',
        summary: 'Replay an event',
        description: 'Sends the same webhook once more, to the same address.',
        tags: ['Events'],
        params: Type.Object({ id: Type.String() }),
        response: {
          200: Type.Object(
            { success: Type.Boolean(), message: Type.String() },
            { title: 'Replay answer' },
          ),
        },
      },
    },
    async (request) => {
      const id = readEventId(request.params.id)
      if (id === undefined) throw new Refusal('not_found', 'No event found')
      await feed.replay(callerOf(request), id)
      return { success: true, message: 'Event replayed successfully' }
    },
  )
}
