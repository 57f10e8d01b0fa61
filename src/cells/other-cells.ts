import { monotonicMs } from '../kit/clock.ts'
import type { ConnectionPool } from '../net/pool.ts'
import { openConnectionPool } from '../net/pool.ts'
import { sendRequest } from '../net/request.ts'

const levels = ['good', 'watch', 'act'] as const
type Level = (typeof levels)[number]

/** What another cell says of itself; null: it did not answer, or not as a cell of that name. */
export interface OtherCell {
  name: string
  url: string
  state: Record<'gateway' | 'providers' | 'merchants', Level> | null
}

export type OtherCells = ReturnType<typeof openOtherCells>

// A page waits for it: what takes longer counts as unreachable.
const deadlineMs = 1500
// Pages that are open ask every few seconds, and all of them get the same.
const keptMs = 2000

/** Asks other cells how they are, each over its own interface, all at once. */
export function openOtherCells(settings: {
  otherCells: { name: string; url: string }[]
  healthToken: string | null
}) {
  const { otherCells, healthToken } = settings
  const asked = otherCells.map((cell) => ({
    ...cell,
    pool: openConnectionPool(new URL(cell.url).origin, { connectionsMax: 1, idleMs: keptMs }),
  }))
  let last: { atMs: number; cells: Promise<OtherCell[]> } | undefined
  return {
    /** What they say, at most two seconds old; never rejects. */
    read: (): Promise<OtherCell[]> => {
      const atMs = monotonicMs()
      if (last === undefined || atMs - last.atMs >= keptMs)
        last = { atMs, cells: Promise.all(asked.map((cell) => ask(cell, healthToken ?? ''))) }
      return last.cells
    },
    close: (): void => {
      for (const { pool } of asked) pool.close()
    },
  }
}

async function ask(
  { name, url, pool }: { name: string; url: string; pool: ConnectionPool },
  token: string,
): Promise<OtherCell> {
  const result = await sendRequest(pool, {
    method: 'GET',
    path: `${new URL(url).pathname.replace(/\/$/, '')}/healthz`,
    headers: { authorization: `Bearer ${token}` },
    deadlineMs,
    bodyBytesMax: 4096,
    whenTooLong: 'lost',
  })
  const isAnswered = result.kind === 'answered' && result.status === 200
  return { name, url, state: isAnswered ? stateIn(result.body, name) : null }
}

interface Told {
  cell: string
  gateway: Level
  providers: Level
  merchants: Level
}

function stateIn(body: string, name: string): OtherCell['state'] {
  try {
    const { cell, gateway, providers, merchants } = JSON.parse(body) as Told
    const isKnown = [gateway, providers, merchants].every((one) => levels.includes(one))
    return cell === name && isKnown ? { gateway, providers, merchants } : null
  } catch {
    return null
  }
}
