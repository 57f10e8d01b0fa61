import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBackupState } from '../src/backup/state-store.ts'
import type { Db } from '../src/db/db.ts'
import { createMerchants } from './gateway-database.ts'
import type { Condition } from './lives-in-turn.ts'
import { compareLives } from './lives-in-turn.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { collectionTemplates, expectCreated } from './scenarios.ts'

const usage = `npm run bench:archive -- [--clients 256] [--seconds 4] [--rounds 8]

Measures what an archive of every change costs a payment: whole lives in turn without an archive and
while \`passerelle backup FOLDER --follow\` receives the log of changes.`
const options = readOptionsOrExit({ program: 'bench:archive', usage }, (args) =>
  readHistoryOptions(['--rounds', '8', ...args]),
)
const launcher = join(import.meta.dirname, '..', 'bin', 'passerelle.js')
const payerCount = 5000
// Until an archiver that has just begun has caught up.
const settleMs = 5000

await compareLives('archive', options, async ({ gateway, db, folder }) => {
  const [apiKey = ''] = await createMerchants(db, 'archive', 1)
  const requestsTo: Condition['requestsTo'] = (url) =>
    expectCreated(collectionTemplates(url, { apiKey, payerCount }))
  const begin = () => startArchiver(gateway.dataDir, join(folder, 'archive'), db)
  return [
    { name: 'without an archive', requestsTo },
    { name: 'with an archive', requestsTo, begin },
  ]
})

/** Starts to keep the archive, and waits until it has a base backup and has caught up. */
async function startArchiver(dataDir: string, archive: string, db: Db) {
  const child = spawn(process.execPath, [launcher, 'backup', archive, '--follow'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  })
  const ended = once(child, 'exit')
  while (((await readBackupState(db))?.baseAt ?? null) === null) {
    if (child.exitCode !== null) throw new Error('the archiver has ended')
    await sleep(200)
  }
  await sleep(settleMs)
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
