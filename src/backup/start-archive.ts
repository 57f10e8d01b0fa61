import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { countStarts } from '../kit/restarts.ts'
import type { Log } from '../log/log.ts'
import type { ThreadOrder } from './archive-thread.ts'
import { backupKeyOf } from './key.ts'

interface BackupParts {
  config: Config
  db: Db
  log: Log
}

/** Where a check restores to, and what it leaves nothing in. */
export function workFolderOf({ dataDir }: Config): string {
  return join(dataDir, 'backup-check')
}

/** Keeps the archive of BACKUP_DIR in a thread of its own, which is started again if it dies. */
export function startArchive(parts: BackupParts & { folder: string }): { stop(): Promise<void> } {
  const { log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const starts = countStarts()

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      starts.begin()
      const thread = new Worker(new URL('archive-thread.ts', import.meta.url), {
        workerData: orderOf(parts),
      })
      thread.on('error', (problem) => log.error({ err: problem }, 'the archive thread failed'))
      const stop = () => thread.postMessage('stop', [])
      signal.addEventListener('abort', stop)
      await once(thread, 'exit')
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) await sleep(starts.endedMs(), undefined, { signal }).catch(() => {})
    }
  }

  const kept = keep()
  return {
    stop: async () => {
      stopping.abort()
      await kept
    },
  }
}

function orderOf({ config, db, folder }: BackupParts & { folder: string }): ThreadOrder {
  const { access } = db
  return {
    url: config.backupUrl ?? access.url,
    folder,
    key: backupKeyOf(config),
    everyHours: config.backupEveryHours,
    keepDays: config.backupKeepDays,
    programs: config.pgBin,
    workFolder: workFolderOf(config),
    access,
    logLevel: config.logLevel,
  }
}
