import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#base/config/config.ts'
import { type Db, openDb } from '#data/db/db.ts'
import { openDatabaseServer } from '#data/db/server.ts'
import { startLab } from '../../lab/server.ts'
import { freePort, listen } from '../listen.ts'
import { startGateway } from '../program.ts'

/** A gateway with a month behind it, whose folder and ports are nobody else's. */
export interface Sandbox {
  url: string
  /** With all rights: what takes hours is dated back. */
  db: Db
  lab: { url: string }
  /** A merchant's server: takes what is sent to /ok, and refuses the rest. */
  receiverUrl: string
  close(): Promise<void>
}

// A run on a busy machine.
const longestMs = 4 * 3_600_000

/**
 * Starts it; `close` ends all of it and deletes its folder, and so does a signal. One that comes
 * during the start waits for it, since the PostgreSQL of a gateway that is killed lives on.
 */
export function openSandbox(): Promise<Sandbox> {
  const parts = new AsyncDisposableStack()
  let closing: Promise<void> | undefined
  const close = () => (closing ??= parts.disposeAsync())
  const opening = open(parts, close).catch(async (problem: unknown) => {
    await close()
    throw problem
  })
  const isOpened = opening.then(
    () => true,
    () => false,
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void isOpened.then(close).finally(() => process.exit(1)))
  return opening
}

/** Starts one part after the other; each is closed before those that were there first. */
async function open(parts: AsyncDisposableStack, close: () => Promise<void>): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-screens-'))
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const lab = await startLab({ port: 0, pace: 20 })
  parts.defer(() => lab.close())
  const receiver = createServer(({ url: path = '' }, response) => {
    const isTaken = path === '/ok'
    response.statusCode = isTaken ? 200 : 500
    response.end(isTaken ? 'thanks' : 'the till is closed')
  })
  const receiverUrl = await listen(receiver)
  parts.defer(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const port = await freePort()
  // With a name, or browsers allow no passkeys.
  const url = `http://localhost:${port}`
  const environment = {
    DATA_DIR: folder,
    PORT: String(port),
    PUBLIC_URL: url,
    LAB_PORT: new URL(lab.url).port,
    DEMO_HISTORY: '1',
  }
  const gateway = await startGateway(environment, [], longestMs)
  parts.defer(async () => void (await gateway.stop()))
  const server = await openDatabaseServer(readConfig(environment))
  parts.defer(() => server.close())
  const db = openDb({ url: server.url })
  parts.defer(() => db.close())
  return { url, db, lab, receiverUrl, close }
}
