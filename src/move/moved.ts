import type { Db } from '../db/db.ts'
import { Problem } from '../kit/problem.ts'
import { openConnectionPool } from '../net/pool.ts'
import { sendRequest } from '../net/request.ts'
import { readMovedAway } from './moved-store.ts'

/** A client that has moved, as the file of cells has it (cells/cells-file.ts). */
export interface MovedEntry {
  client: number
  from: string
  to: string
  keys: string[]
  links: string[]
}

/** The clients that have left this cell; each cell that they went to is asked for its name. */
export async function listMoved(db: Db, from: string): Promise<MovedEntry[]> {
  const away = await readMovedAway(db)
  const names = new Map<string, string>()
  for (const url of new Set(away.map(({ peerUrl }) => peerUrl))) names.set(url, await nameAt(url))
  return away.map(({ clientId, peerUrl, keys, links }) => {
    return { client: clientId, from, to: names.get(peerUrl) ?? '', keys, links }
  })
}

const deadlineMs = 5000

/** The name of the cell at an address, by what its processes say of themselves. */
async function nameAt(url: string): Promise<string> {
  const { origin, pathname } = new URL(url)
  const pool = openConnectionPool(origin, { connectionsMax: 1, idleMs: 0 })
  try {
    const result = await sendRequest(pool, {
      method: 'GET',
      path: `${pathname.replace(/\/+$/, '')}/livez`,
      headers: {},
      deadlineMs,
      bodyBytesMax: 4096,
      whenTooLong: 'lost',
    })
    if (result.kind !== 'answered') throw new Error(result.problem.message)
    const { cell } = JSON.parse(result.body) as { cell?: unknown }
    if (typeof cell !== 'string') throw new Error('it has no name: set its CELL')
    return cell
  } catch (wrong) {
    throw new Problem(`The cell at ${url} does not tell its name: ${(wrong as Error).message}.`)
  } finally {
    pool.close()
  }
}
