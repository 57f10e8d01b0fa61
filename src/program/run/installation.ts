import { access, constants } from 'node:fs/promises'
import type { Config } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import type { SystemClock } from '#base/kit/clock.ts'
import { makeFolders } from '#base/kit/folders.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { type DatabaseServer, openDatabaseServer } from '#data/db/server.ts'
import { shareClock } from '#data/db/share-clock.ts'
import { keepCellName } from '#merchants/cells/own-name.ts'
import { openSecrets } from '#operations/secrets/open.ts'
import {
  ensureDemoData,
  refuseDemoData,
  refuseLiveData,
  writeDemoFile,
} from '#program/sandbox/demo.ts'
import { startLab } from '#program/sandbox/lab.ts'

/** What all processes of an installation share. */
export interface Installation {
  server: DatabaseServer
  db: Db
  labUrl: string | null
  /** Makes the gateway's address known to the lab and in demo.json; does nothing in live mode. */
  publish(publicUrl: string): Promise<void>
}

/**
 * Prepares database, schema, demo data and provider lab, once for all processes. `opened` closes
 * what was opened, also when a later step throws.
 */
export async function prepareInstallation(
  { config, clock, log }: { config: Config; clock: SystemClock; log: Log },
  opened: AsyncDisposableStack,
): Promise<Installation> {
  const server = await openDatabaseServer(config, log)
  opened.defer(server.close)
  await prepareFolder(config.dataDir)
  // A process of its own, which starts while the database is prepared.
  const starting = config.mode === 'sandbox' ? startLab(config, log) : null
  opened.defer(async () => (await starting?.catch(() => null))?.stop())
  await server.migrate()
  const db = await server.open()
  opened.defer((await shareClock(db, clock, log)).stop)
  const secrets = openSecrets({ ...config, db, clock })
  if (starting === null) {
    await refuseDemoData(db)
    await keepCellName({ db, clock }, config.cell)
    await secrets.prepare()
    return { server, db, labUrl: null, publish: async () => {} }
  }
  await refuseLiveData(db)
  await keepCellName({ db, clock }, config.cell)
  await secrets.prepare()
  await ensureDemoData(db, clock, config)
  const lab = await starting
  const publish = async (publicUrl: string) => {
    await writeDemoFile(config, publicUrl)
    await lab.sendWebhooksTo(`${addressOfCell(publicUrl, config.cell)}/callbacks/checkout-session`)
  }
  return { server, db, labUrl: lab.url, publish }
}

/** Creates DATA_DIR. It is needed without an embedded database too: anchors.ndjson is there. */
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
