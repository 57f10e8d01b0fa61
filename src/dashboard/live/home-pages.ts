import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { HomeFigures } from '../../reports/live-figures.ts'
import type { ListedTransaction } from '../../transactions/watch-store.ts'
import type { DashboardContext } from '../context.ts'
import type { Stream } from '../frame/streams.ts'
import { sendToAll, updateOf } from '../frame/streams.ts'
import type { Visit } from '../frame/visit.ts'
import { figuresId, figureTiles } from '../home/figures.ts'
import { latestId, latestList, readLatest } from '../home/latest.ts'

/**
 * The home pages that are open. In each round the figures and latest transactions of all clients
 * that have changed are read together, once for all their pages.
 */
export function openHomePages(context: DashboardContext) {
  const { reports, transactions, clock } = context
  const clients = new Map<number, Set<Stream<Visit>>>()
  const followed = transactions.watch.followClients((changes) =>
    readAndSend(changes.map(({ clientId }) => clientId)),
  )

  async function readAndSend(clientIds: number[]): Promise<void> {
    const at = clock.now()
    const inZones = clientIds.flatMap((clientId) =>
      [...Map.groupBy(clients.get(clientId) ?? [], ({ visit }) => visit.zone)].map(
        ([zone, streams]) => ({ clientId, zone, streams }),
      ),
    )
    const latest = await readLatest(context, clientIds)
    const figures = await reports.liveFigures.read(inZones)
    for (const [index, home] of figures.entries()) {
      const { clientId, streams } = inZones[index] ?? { clientId: 0, streams: [] }
      for (const group of Map.groupBy(streams, readerOf).values())
        await sendTo(group, at, home, latest.get(clientId) ?? [])
    }
  }

  return {
    /** Adds a page; `since`: the time that it shows. */
    async join(stream: Stream<Visit>, since: Date | undefined): Promise<void> {
      const { id } = stream.visit.client
      const streams = clients.get(id) ?? new Set()
      clients.set(id, streams)
      streams.add(stream)
      followed.add(id)
      if (since === undefined) return
      const change = await transactions.watch.changedSince(id, since)
      if (change.created.length + change.moved.length > 0) followed.remind(id)
    },
    leave(stream: Stream<Visit>): void {
      const { id } = stream.visit.client
      const streams = clients.get(id)
      streams?.delete(stream)
      if (streams === undefined || streams.size > 0) return
      clients.delete(id)
      followed.remove(id)
      reports.liveFigures.forget(id)
    },
  }
}

/** All that two pages of one client and zone can differ by. */
function readerOf({ visit }: Stream<Visit>): string {
  return [visit.language, visit.may('balance.read'), visit.may('number.read')].join()
}

async function sendTo(
  streams: Stream<Visit>[],
  at: Date,
  home: HomeFigures,
  latest: ListedTransaction[],
): Promise<void> {
  const [first] = streams
  if (first === undefined) return
  const updates = [
    replaced(figuresId, figureTiles(first.visit, home)),
    replaced(latestId, latestList(first.visit, latest)),
  ].join('')
  await sendToAll(streams, updateOf(at, updates))
}

/** Changes a part of a page without taking the focus from what is in it. */
function replaced(target: string, part: Html): Html {
  return html`<turbo-stream action="replace" method="morph" target="${target}"><template>${part}
</template></turbo-stream>`
}
