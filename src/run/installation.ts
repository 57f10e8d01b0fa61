import { access, constants } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import type { Server } from '../db/server.ts'
import { openServer } from '../db/server.ts'
import type { Clock } from '../kit/clock.ts'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'
import { ensureDemoData, refuseDemoData, refuseLiveData, writeDemoFile } from '../sandbox/demo.ts'
import { startLab } from '../sandbox/lab.ts'

/** What the processes of an installation stand on. */
export interface Ground {
  server: Server
  db: Db
  labUrl: string | null
  /** Tells the lab, and programs that try the gateway, where callers reach it. */
  tell(publicUrl: string): Promise<void>
}

/**
 * Makes database, schema, demo data and provider lab ready, once for all processes. What it opens
 * is closed with `opened`, whether all of it or only the first part.
 */
export async function prepareGround(
  config: Config,
  clock: Clock,
  opened: AsyncDisposableStack,
): Promise<Ground> {
  const server = await openServer(config)
  opened.defer(server.close)
  await prepareFolder(config.dataDir)
  await server.migrate()
  const db = await server.open()
  if (config.mode === 'live') {
    await refuseDemoData(db)
    return { server, db, labUrl: null, tell: async () => {} }
  }
  await refuseLiveData(db)
  await ensureDemoData(db, clock, config)
  const lab = await startLab(config)
  opened.defer(lab.stop)
  const tell = async (publicUrl: string) => {
    await writeDemoFile(config, publicUrl)
    await lab.sendWebhooksTo(`${publicUrl}/callbacks/checkout-session`)
  }
  return { server, db, labUrl: lab.url, tell }
}

/** Also without an embedded database something is kept there: the ledger's anchors. */
async function prepareFolder(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir)
    await access(dataDir, constants.W_OK)
  } catch (problem) {
    throw new Problem(`The folder ${dataDir} cannot be written: set DATA_DIR to another.`, {
      cause: problem,
    })
  }
}
