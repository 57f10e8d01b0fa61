import { monotonicMs } from '../../kit/clock.ts'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Home } from '../../reports/figures.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import type { Stream } from '../frame/streams.ts'
import type { Visit } from '../frame/visit.ts'
import { figuresId, figureTiles } from '../home/figures.ts'
import { latestId, latestList, readLatest } from '../home/latest.ts'

interface HomePages {
  streams: Set<Stream<Visit>>
  leave(): void
  /** When its figures were last read. */
  readAtMs: number
  timer: NodeJS.Timeout | undefined
}

const betweenMs = 2000

/**
 * The home pages that are open. After a change the figures of its client are read once for all of
 * them, every two seconds at most, and those of one client after the other: however many pages are
 * open, they occupy one connection to the database.
 */
export function openHomePages(context: DashboardContext) {
  const { reports, transactions, clock } = context
  const clients = new Map<number, HomePages>()
  let reading: Promise<void> = Promise.resolve()

  function changed(clientId: number): void {
    const pages = clients.get(clientId)
    if (pages === undefined || pages.timer !== undefined) return
    const read = () => {
      pages.timer = undefined
      // What fails is read again after the next change.
      reading = reading.then(() => readAndSend(clientId)).catch(() => {})
    }
    const waitMs = Math.max(0, pages.readAtMs + betweenMs - monotonicMs())
    pages.timer = setTimeout(read, waitMs).unref()
  }

  async function readAndSend(clientId: number): Promise<void> {
    const pages = clients.get(clientId)
    if (pages === undefined) return
    pages.readAtMs = monotonicMs()
    const at = clock.now()
    const latest = await readLatest(context, clientId)
    for (const [zone, inZone] of Map.groupBy(pages.streams, ({ visit }) => visit.zone)) {
      const home = await reports.home(clientId, zone)
      for (const group of Map.groupBy(inZone, readerOf).values()) sendTo(group, at, home, latest)
    }
  }

  return {
    /** Adds a page; `since`: the time that it shows. */
    async join(stream: Stream<Visit>, since: Date | undefined): Promise<void> {
      const { id } = stream.visit.client
      const pages = clients.get(id) ?? {
        streams: new Set<Stream<Visit>>(),
        leave: transactions.watch.followClient(id, () => changed(id)),
        readAtMs: monotonicMs() - betweenMs,
        timer: undefined,
      }
      clients.set(id, pages)
      pages.streams.add(stream)
      if (since === undefined) return
      const change = await transactions.watch.changedSince(id, since)
      if (change.created.length + change.moved.length > 0) changed(id)
    },
    leave(stream: Stream<Visit>): void {
      const { id } = stream.visit.client
      const pages = clients.get(id)
      pages?.streams.delete(stream)
      if (pages === undefined || pages.streams.size > 0) return
      clients.delete(id)
      clearTimeout(pages.timer)
      pages.leave()
    },
  }
}

/** All that two pages of one client and zone can differ by. */
function readerOf({ visit }: Stream<Visit>): string {
  return [visit.language, visit.may('balance.read'), visit.may('number.read')].join()
}

function sendTo(streams: Stream<Visit>[], at: Date, home: Home, latest: Transaction[]): void {
  const [first] = streams
  if (first === undefined) return
  const updates = [
    replaced(figuresId, figureTiles(first.visit, home)),
    replaced(latestId, latestList(first.visit, latest)),
  ].join('')
  for (const stream of streams) stream.send(at, updates)
}

/** Changes a part of a page without taking the focus from what is in it. */
function replaced(target: string, part: Html): Html {
  return html`<turbo-stream action="replace" method="morph" target="${target}"><template>${part}
</template></turbo-stream>`
}
