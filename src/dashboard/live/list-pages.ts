import type { Change } from '../../transactions/watch.ts'
import type { ListedTransaction } from '../../transactions/watch-store.ts'
import type { DashboardContext } from '../context.ts'
import type { Stream } from '../frame/streams.ts'
import { refresh, sendToAll, updateOf } from '../frame/streams.ts'
import type { Visit } from '../frame/visit.ts'
import { manyNew } from '../transactions/many-new.ts'
import { shopNames } from '../transactions/read-shops.ts'
import type { ShopNames } from '../transactions/rows.ts'
import { writeUpdates } from './updates.ts'

interface ListPages {
  streams: Set<Stream<Visit>>
  /** Those that show a notice that many have come in. */
  told: Set<Stream<Visit>>
}

/** The lists of transactions that are open: new rows and changed ones are sent to them. */
export function openListPages(context: DashboardContext) {
  const { watch } = context.transactions
  const clients = new Map<number, ListPages>()
  const followed = watch.followClients(async (changes) => {
    const withRows = changes.filter(hasRows)
    for (const change of withRows.filter(({ isPartial }) => isPartial))
      await tellMany(clients.get(change.clientId), change.at)
    const few = withRows.filter(({ isPartial }) => !isPartial)
    const rows = await readRows(context, few)
    for (const change of few) await tellRows(change, rows.get(change.clientId) ?? [])
  })

  /** Sends rows to all pages of a client; they are written once for each kind of reader. */
  async function tellRows(change: Change, rows: ListedTransaction[]): Promise<void> {
    const shops = await shopsOf(context, change.clientId, rows)
    const groups = Map.groupBy(clients.get(change.clientId)?.streams ?? [], ({ visit }) =>
      [visit.language, visit.zone, visit.may('number.read')].join(),
    )
    for (const group of groups.values()) {
      const [first] = group
      if (first === undefined) continue
      const update = updateOf(change.at, writeUpdates(first.visit, shops, change, rows))
      await sendToAll(group, update)
    }
  }

  /** Sends to a page what has changed since the time that it shows. */
  async function catchUp(stream: Stream<Visit>, since: Date): Promise<void> {
    const { id } = stream.visit.client
    const change = await watch.changedSince(id, since)
    if (!hasRows(change)) return
    if (change.isPartial) return stream.send(updateOf(change.at, refresh))
    const rows = (await readRows(context, [change])).get(id) ?? []
    const updates = writeUpdates(stream.visit, await shopsOf(context, id, rows), change, rows)
    stream.send(updateOf(change.at, updates))
  }

  return {
    /** Adds a page; `since`: the time that it shows. */
    async join(stream: Stream<Visit>, since: Date | undefined): Promise<void> {
      const { id } = stream.visit.client
      const pages = clients.get(id) ?? { streams: new Set(), told: new Set() }
      clients.set(id, pages)
      pages.streams.add(stream)
      followed.add(id)
      if (since !== undefined) await catchUp(stream, since)
    },
    leave(stream: Stream<Visit>): void {
      const { id } = stream.visit.client
      const pages = clients.get(id)
      pages?.streams.delete(stream)
      pages?.told.delete(stream)
      if (pages === undefined || pages.streams.size > 0) return
      clients.delete(id)
      followed.remove(id)
    },
  }
}

/** Whether a change has rows for a list; others are of the balance alone. */
function hasRows({ created, moved }: Change): boolean {
  return created.length + moved.length > 0
}

/** Reads the rows of changes, for all clients at once. */
async function readRows(
  { transactions }: Pick<DashboardContext, 'transactions'>,
  changes: Change[],
): Promise<Map<number, ListedTransaction[]>> {
  const ids = changes.flatMap(({ clientId, created, moved }) =>
    [...created, ...moved].map((id) => ({ clientId, id })),
  )
  const rows = ids.length === 0 ? [] : await transactions.watch.listed(ids)
  return Map.groupBy(rows, ({ clientId }) => clientId)
}

/**
 * Of more new ones than a person can follow a notice is sent, once to each page: reading pages
 * again in each round would cost a page for each reader.
 */
async function tellMany(pages: ListPages | undefined, at: Date): Promise<void> {
  const { streams, told } = pages ?? { streams: new Set(), told: new Set() }
  const untold = [...streams].filter((stream) => !told.has(stream))
  for (const [language, group] of Map.groupBy(untold, ({ visit }) => visit.language)) {
    for (const stream of group) told.add(stream)
    await sendToAll(group, updateOf(at, manyNew.update(language).text))
  }
}

/** The names of sub-merchants, if a row has one. */
async function shopsOf(
  context: DashboardContext,
  clientId: number,
  rows: ListedTransaction[],
): Promise<ShopNames> {
  const isNamed = rows.some(({ subMerchantId }) => subMerchantId !== null)
  return isNamed ? shopNames(context, clientId) : new Map()
}
