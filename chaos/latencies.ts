import { join } from 'node:path'
import { readJournal } from './journal.ts'

/** How long one request took. */
export interface Latency {
  sentMs: number
  tookMs: number
  status: number
  /** The answer; without one, why there was none. */
  text: string
}

/** The latencies in the journal of a load client, of requests that contain a text. */
export async function latencies(folder: string, client: number, text = ''): Promise<Latency[]> {
  const open = new Map<unknown, number>()
  const found: Latency[] = []
  for await (const [kind, n, at, ...rest] of readJournal(join(folder, `client-${client}.ndjson`)))
    if (kind === 'sent' && JSON.stringify(rest).includes(text)) open.set(n, Number(at))
    else if (kind === 'answer') {
      const sentMs = open.get(n)
      if (sentMs === undefined) continue
      found.push({
        sentMs,
        tookMs: Number(at) - sentMs,
        status: Number(rest[0]),
        text: String(rest[1]),
      })
    }
  return found
}

/** How many requests of a load client were not answered, or with 5xx, by their answer. */
export async function unanswered(folder: string, client: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, text } of await latencies(folder, client)) {
    if (status !== 0 && status < 500) continue
    const kind = `${status} ${text.slice(0, 80)}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
