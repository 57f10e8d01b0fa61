import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLab } from '../../lab/server.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Db } from '../../src/db/db.ts'
import { openDb } from '../../src/db/db.ts'
import { openDatabaseServer } from '../../src/db/server.ts'
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

/** Starts it; `close` ends all of it and deletes its folder. */
export async function openSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-screens-'))
  const lab = await startLab({ port: 0, pace: 20 })
  const receiver = createServer((request, response) => {
    response.statusCode = request.url === '/ok' ? 200 : 500
    response.end(request.url === '/ok' ? 'thanks' : 'the till is closed')
  })
  const receiverUrl = await listen(receiver)
  const port = await freePort()
  // With a name, or browsers allow no passkeys.
  const url = `http://localhost:${port}`
  const environment = {
    DATA_DIR: folder,
    PORT: String(port),
    PUBLIC_URL: url,
    LAB_PORT: new URL(lab.url).port,
    DEMO_HISTORY: '1',
    EXPORT_DIRECT_ROWS: '10',
  }
  const gateway = await startGateway(environment, [], longestMs)
  const server = await openDatabaseServer(readConfig(environment))
  const db = openDb({ url: server.url })
  const close = async () => {
    await db.close()
    await server.close()
    await gateway.stop()
    await lab.close()
    receiver.closeAllConnections()
    receiver.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  // Ctrl-C leaves nothing behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().finally(() => process.exit(1)))
  return { url, db, lab, receiverUrl, close }
}

/** A port that is free now; PUBLIC_URL has to name it before the gateway listens. */
