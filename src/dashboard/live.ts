import type { FastifyReply } from 'fastify'
import { isUuid } from '../kit/ids.ts'
import type { DashboardContext } from './context.ts'
import type { Pages } from './frame/pages.ts'
import { refresh, updateOf } from './frame/streams.ts'
import type { Visit } from './frame/visit.ts'
import { openHomePages } from './live/home-pages.ts'
import { openListPages } from './live/list-pages.ts'

/** GET /dashboard/live: what changes of the figures, list or transaction that a page shows */
export default function live(pages: Pages, context: DashboardContext): void {
  const { watch } = context.transactions
  const { streams } = pages
  const homes = openHomePages(context)
  const lists = openListPages(context)

  async function follow(visit: Visit, reply: FastifyReply): Promise<void> {
    const group = visit.query.home === undefined ? lists : homes
    const stream = streams.add(visit, reply, () => group.leave(stream))
    await group.join(stream, sinceOf(visit))
  }

  function followOne(visit: Visit, reply: FastifyReply, id: string): void {
    const { mark = '' } = visit.query
    const stream = streams.add(visit, reply, () => leave())
    const tell = () => stream.send(updateOf(context.clock.now(), refresh))
    const leave = watch.followOne({ clientId: visit.client.id, id }, mark, tell)
  }

  pages.answer('/dashboard/live', 'transaction.read', async (visit, reply) => {
    const { client, one = '' } = visit.query
    // Of a page that shows another client: it shall not ask again.
    if (client !== String(visit.client.id)) return reply.code(204).send()
    if (streams.isFull(visit)) return reply.code(429).header('Retry-After', 15).send()
    if (isUuid(one)) followOne(visit, reply, one)
    else await follow(visit, reply)
    return reply
  })
}

/** The time that a page shows: of the last update that it got, or of its own. */
function sinceOf({ query, request }: Visit): Date | undefined {
  const text = String(request.headers['last-event-id'] ?? query.at ?? '')
  return /^\d{12,14}$/.test(text) ? new Date(Number(text)) : undefined
}
