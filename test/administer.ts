import pg from 'pg'
import { withClient } from '#data/db/client.ts'

export const template = 'passerelle_template'

/** Makes the migrated database that every test file gets a copy of, from the server's own. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `create database ${template} template passerelle`)
  // The first session of a database writes a file that makes the next ones begin sooner. Copies of
  // the database have it too.
  await withClient({ url: inDatabase(serverUrl, template) }, (client) => client.query('select 1'))
}

let administered: Promise<unknown> = Promise.resolve()
let waiting = 0

/** Runs a statement as the owner of the server, after those that were given before. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = await administrator(serverUrl)
  const result = administered.then(() => client.query(statement))
  administered = result.catch(() => {})
  waiting += 1
  client.ref()
  await result.finally(() => {
    waiting -= 1
    // Else the process could end while the next statement is under way.
    if (waiting === 0) client.unref()
  })
}

// Its types lack these.
type Session = pg.Client & Record<'ref' | 'unref', () => void>

let connected: Promise<Session> | undefined

/** One session for all test files of a process, which it does not keep alive. */
function administrator(serverUrl: string): Promise<Session> {
  connected ??= connect(serverUrl)
  return connected
}

async function connect(serverUrl: string): Promise<Session> {
  const client = new pg.Client({ connectionString: serverUrl }) as Session
  // The server may end first, when a run is stopped.
  client.on('error', () => {})
  await client.connect()
  return client
}

export function inDatabase(serverUrl: string, name: string): string {
  return serverUrl.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`)
}
