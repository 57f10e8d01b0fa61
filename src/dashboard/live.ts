import type { FastifyReply } from 'fastify'
import { isUuid } from '../kit/ids.ts'
import type { Change } from '../transactions/watch.ts'
import type { DashboardContext } from './context.ts'
import type { Pages } from './frame/pages.ts'
import type { Stream } from './frame/streams.ts'
import { refresh } from './frame/streams.ts'
import type { Visit } from './frame/visit.ts'
import { writeUpdates } from './live/updates.ts'
import { shopNames } from './transactions/read-shops.ts'

/** GET /dashboard/live: what changes of the list, or of the transaction, that a page shows */
export default function live(pages: Pages, context: DashboardContext): void {
  const { watch } = context.transactions
  const { streams } = pages
  const lists = new Map<number, { streams: Set<Stream<Visit>>; leave(): void }>()

  /** Sends a change to all pages of a client; its rows are written once for each kind of reader. */
  async function tellAll(clientId: number, change: Change): Promise<void> {
    const shops = await shopNames(context, clientId)
    const groups = Map.groupBy(lists.get(clientId)?.streams ?? [], ({ visit }) =>
      [visit.language, visit.may('number.read')].join(),
    )
    for (const [first, ...others] of groups.values()) {
      if (first === undefined) continue
      const updates = writeUpdates(first.visit, shops, change)
      for (const stream of [first, ...others]) stream.send(change.at, updates)
    }
  }

  function joinList(stream: Stream<Visit>): void {
    const { id } = stream.visit.client
    const list = lists.get(id) ?? {
      streams: new Set<Stream<Visit>>(),
      leave: watch.followClient(id, (change) => void tellAll(id, change).catch(() => {})),
    }
    lists.set(id, list)
    list.streams.add(stream)
  }

  function leaveList(stream: Stream<Visit>): void {
    const { id } = stream.visit.client
    const list = lists.get(id)
    list?.streams.delete(stream)
    if (list === undefined || list.streams.size > 0) return
    lists.delete(id)
    list.leave()
  }

  async function followList(visit: Visit, reply: FastifyReply): Promise<void> {
    const stream = streams.add(visit, reply, () => leaveList(stream))
    joinList(stream)
    const since = sinceOf(visit)
    if (since === undefined) return
    const change = await watch.changedSince(visit.client.id, since)
    if (change.created.length + change.moved.length === 0) return
    const shops = await shopNames(context, visit.client.id)
    stream.send(change.at, writeUpdates(visit, shops, change))
  }

  function followOne(visit: Visit, reply: FastifyReply, id: string): void {
    const { mark = '' } = visit.query
    const stream = streams.add(visit, reply, () => leave())
    const tell = () => stream.send(context.clock.now(), refresh)
    const leave = watch.followOne({ clientId: visit.client.id, id }, mark, tell)
  }

  pages.answer(
    '/dashboard/live',
    'transaction.read',
    async (visit, reply) => {
      const { client, one = '' } = visit.query
      // Of a page that shows another client: it shall not ask again.
      if (client !== String(visit.client.id)) return reply.code(204).send()
      if (streams.isFull(visit)) return reply.code(429).header('Retry-After', 15).send()
      if (isUuid(one)) followOne(visit, reply, one)
      else await followList(visit, reply)
      return reply
    },
    { isStream: true },
  )
}

/** The time that a page shows: of the last update that it got, or of its own. */
function sinceOf({ query, request }: Visit): Date | undefined {
  const text = String(request.headers['last-event-id'] ?? query.at ?? '')
  return /^\d{12,14}$/.test(text) ? new Date(Number(text)) : undefined
}
