import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../catalog/refusal.ts'
import type { Http } from '../http/http.ts'
import { isUuid } from '../kit/ids.ts'
import { isSame } from '../sealing/hmac.ts'
import type { ArrivalParts } from './arrival.ts'
import { openArrivals } from './arrive.ts'
import { soonOrStreamed } from './slow-answer.ts'
import { readBody, transitKey } from './wire.ts'

interface RouteParts extends Omit<ArrivalParts, 'transitKey'> {
  /** What both cells have; null: nobody can come here. */
  cellToken: string | null
}

const bodyBytesMax = 64_000_000

/**
 * Adds the routes by which a client comes from another cell: POST /moves/<move>/<step>, with the
 * token of both cells. Without it they answer as if they were not there.
 */
export async function addMoveRoutes(http: Http, { cellToken, ...parts }: RouteParts) {
  if (cellToken === null) return
  const token = cellToken
  const arrivals = openArrivals({ ...parts, transitKey: transitKey(token) })
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-ndjson',
      { parseAs: 'string', bodyLimit: bodyBytesMax },
      (_request, text, done) => done(null, text),
    )
    scope.addHook('onRequest', async (request) => {
      const given = request.headers.authorization ?? ''
      if (!isSame(`Bearer ${token}`, given)) throw notFound()
    })
    scope.route({
      method: 'POST',
      url: '/moves/:moveId/:step',
      bodyLimit: bodyBytesMax,
      schema: { hide: true },
      handler,
    })
  })

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { moveId, step } = request.params as { moveId: string; step: string }
    const { asked, lines } = readAsked(request.body)
    if (!Object.hasOwn(arrivals, step) || !isUuid(moveId)) throw notFound()
    const verb = arrivals[step as keyof typeof arrivals] as (one: object) => Promise<object>
    const answer = await soonOrStreamed(verb({ moveId, asked, lines }))
    await reply.type('application/json').send(answer)
  }
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is nothing at this address')
}

function readAsked(body: unknown): ReturnType<typeof readBody> {
  try {
    const read = readBody(typeof body === 'string' ? body : '')
    if (Number.isInteger((read.asked as { clientId?: unknown } | null)?.clientId)) return read
  } catch {
    // Refused below.
  }
  throw new Refusal('malformed_request', 'The body must name a client in its first line')
}
