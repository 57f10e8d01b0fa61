import { readVersion } from '#base/kit/version.ts'
import { CommitUnknown, sqlStateOf } from '#data/db/errors.ts'
import type { Http } from './http.ts'

/** What is wrong with the database; undefined: it answers and can write. */
export type DatabaseQuestion = () => Promise<string | undefined>

interface Probes {
  askDatabase: DatabaseQuestion
  isDraining(): boolean
  /** The name of this cell; null: there are no cells. */
  cell: string | null
}

// An answer is promised within two seconds, whatever happens.
const pingTimeoutMs = 1500

/**
 * /livez: the process runs. /readyz: it can serve requests, so the database can write. /version:
 * which program it is.
 */
export function addProbes(http: Http, { askDatabase, isDraining, cell }: Probes): void {
  const named = cell === null ? {} : { cell }
  http.get('/livez', { schema: { hide: true } }, async () => ({ status: 'ok', ...named }))
  const version = readVersion()
  http.get('/version', { schema: { hide: true } }, async () => version)
  http.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const problem = isDraining() ? 'stopping' : await askDatabase()
    if (problem === undefined) return { status: 'ready', ...named }
    reply.code(503).header('Retry-After', 1)
    return { status: 'not ready', because: problem, ...named }
  })
}

/** `ping` rejects, or does not settle, when the database does not answer. */
export function questionOf(ping: () => Promise<unknown>): DatabaseQuestion {
  return shared(() => problemOf(ping))
}

async function problemOf(ping: () => Promise<unknown>): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(pingTimeoutMs)
  const late = new Promise<string>((resolve) => {
    timeout.addEventListener('abort', () => resolve('the database does not answer'))
  })
  const answer = ping().then(() => undefined, describe)
  return Promise.race([answer, late])
}

function describe(problem: unknown): string {
  if (problem instanceof CommitUnknown) return 'the database waits for its standby'
  return sqlStateOf(problem).startsWith('53')
    ? 'the database cannot write'
    : 'the database cannot be reached'
}

/** Callers that come while one is served get the same answer: a flood takes one connection. */
function shared<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let going: Promise<Value> | undefined
  return () => {
    going ??= read().finally(() => {
      going = undefined
    })
    return going
  }
}
