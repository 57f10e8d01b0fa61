import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { newId } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { makingOf, type Repetition } from '#edge/idempotency/idempotency.ts'
import { ReplayAnswer, readEventId, writeReplay } from '#edge/wire/feed.ts'

// As long as an initialisation waits for its provider.
const answerWaitMs = 5000

export default function replayEvent(http: Http, { webhooks: { feed } }: Context): void {
  const answer = async (request: FastifyRequest, deliveryId: string) => {
    const caller = callerOf(request)
    const [delivery] = await feed.untilTried(caller, [deliveryId], answerWaitMs)
    return delivery && writeReplay(delivery)
  }
  const repetition: Repetition = { newId, answer: (request, _reply, id) => answer(request, id) }
  http.post(
    '/api/v1/events/:id/replay',
    {
      schema: {
        operationId: 'replayEvent',
        summary: 'Replay an event',
        description:
          'Sends the same webhook once more, to the same address, and tells what it answered. ' +
          'An address that takes longer than 5 s is still `pending`.',
        tags: ['Events'],
        params: Type.Object({ id: Type.String() }),
        response: { 200: ReplayAnswer },
      },
      config: { rights: endpointRights.replayEvent, repetition },
    },
    async (request) => {
      const id = readEventId(request.params.id)
      if (id === undefined) throw new Refusal('not_found', 'No event found')
      const deliveryId = await feed.replay(callerOf(request), id, makingOf(request))
      const written = await answer(request, deliveryId)
      if (written === undefined) throw new Error('a delivery that was recorded is not there')
      return written
    },
  )
}
