import type { Change } from '../../transactions/watch.ts'
import type { DashboardContext } from '../context.ts'
import type { Stream } from '../frame/streams.ts'
import { refresh } from '../frame/streams.ts'
import type { Visit } from '../frame/visit.ts'
import { shopNames } from '../transactions/read-shops.ts'
import { writeUpdates } from './updates.ts'

interface ListPages {
  streams: Set<Stream<Visit>>
  leave(): void
}

/** The lists of transactions that are open: new rows and changed ones are sent to them. */
export function openListPages(context: DashboardContext) {
  const { watch } = context.transactions
  const clients = new Map<number, ListPages>()

  /** Sends a change to all pages of a client; its rows are written once for each kind of reader. */
  async function tellAll(clientId: number, change: Change): Promise<void> {
    const shops = await shopNames(context, clientId)
    const groups = Map.groupBy(clients.get(clientId)?.streams ?? [], ({ visit }) =>
      [visit.language, visit.may('number.read')].join(),
    )
    for (const [first, ...others] of groups.values()) {
      if (first === undefined) continue
      const updates = writeUpdates(first.visit, shops, change)
      for (const stream of [first, ...others]) stream.send(change.at, updates)
    }
  }

  return {
    /** Adds a page; `since`: the time that it shows. */
    async join(stream: Stream<Visit>, since: Date | undefined): Promise<void> {
      const { visit } = stream
      const { id } = visit.client
      const pages = clients.get(id) ?? {
        streams: new Set<Stream<Visit>>(),
        leave: watch.followClient(id, (change) => {
          if (hasRows(change)) tellAll(id, change).catch(() => {})
        }),
      }
      clients.set(id, pages)
      pages.streams.add(stream)
      if (since === undefined) return
      const change = await watch.changedSince(id, since)
      if (!hasRows(change)) return
      const updates = change.isPartial
        ? refresh
        : writeUpdates(visit, await shopNames(context, id), change)
      stream.send(change.at, updates)
    },
    leave(stream: Stream<Visit>): void {
      const { id } = stream.visit.client
      const pages = clients.get(id)
      pages?.streams.delete(stream)
      if (pages === undefined || pages.streams.size > 0) return
      clients.delete(id)
      pages.leave()
    },
  }
}

/** Whether a change has rows for a list; others are of the balance alone. */
function hasRows({ created, moved }: Change): boolean {
  return created.length + moved.length > 0
}
