import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openArchive } from '../backup/archive.ts'
import { runArchiver } from '../backup/archiver.ts'
import { makeBase } from '../backup/base-backup.ts'
import { checkArchive } from '../backup/check.ts'
import { endArchiving } from '../backup/end.ts'
import { backupKeyOf } from '../backup/key.ts'
import { proveRestored } from '../backup/prove-restored.ts'
import { removeExpired } from '../backup/retention.ts'
import { workFolderOf } from '../backup/start-archive.ts'
import { forgetBackup, keepBase, keepCheck } from '../backup/state-store.ts'
import { loadConfig } from '../config/config.ts'
import type { DatabaseServer } from '../db/server.ts'
import { after, systemClock as clock, monotonicMs } from '../kit/clock.ts'
import { oneLine } from '../kit/one-line.ts'
import { openLog } from '../log/log.ts'
import { onServer } from './session.ts'
import { catchStopSignals } from './signals.ts'
import { counted, isJson, megabytes, print, whole } from './terminal.ts'

const dayMs = 86_400_000

interface BackupOptions {
  follow?: boolean
  keep?: number
}

/** `passerelle backup`: base backups, an archive of every change, and the check of both. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('back up the database, encrypted, while payments go on')
    .argument('<folder>', 'the archive; it is made if it is missing')
    .option('--follow', 'go on and receive every change, until a signal')
    .option('--keep <days>', 'remove what no moment of these days needs', whole(1))
    .action((folder: string, options: BackupOptions, command: Command) =>
      options.follow
        ? followServer(resolve(folder), options)
        : backUp(resolve(folder), options, command),
    )
  backup
    .command('check')
    .description('open every file of an archive, restore its newest state and prove it')
    .argument('<folder>')
    .action((folder: string, _options, command: Command) => check(resolve(folder), command))
  backup
    .command('end')
    .description('end the archiving: the server no longer keeps its log for an archive')
    .action(async (_options, command: Command) => {
      const wasKept = await onServer(async (server, config) => {
        await forgetBackup(await server.open())
        return endArchiving(config.backupUrl ?? server.url)
      })
      print(command, { wasKept }, [
        wasKept ? 'The server keeps its log no longer.' : 'The server kept no log for an archive.',
      ])
    })
}

async function backUp(folder: string, { keep }: BackupOptions, command: Command): Promise<void> {
  const startedMs = monotonicMs()
  const key = backupKeyOf(loadConfig())
  const base = await onServer(async (server, config, signal) => {
    const made = await makeBase({ url: config.backupUrl ?? server.url, folder, key, signal })
    const baseAt = new Date(made.endedAt)
    const state = { folder, baseAt, baseBytes: made.storedBytes }
    await keepOnDatabase(server, (db) => keepBase(db, state))
    return made
  })
  const archive = await openArchive(folder, key)
  const removed =
    keep === undefined ? null : await removeExpired(archive, after(clock.now(), -keep * dayMs))
  const durationMs = Math.round(monotonicMs() - startedMs)
  print(command, { ...base, removed, durationMs }, [
    `Base backup ${base.name}: ${megabytes(base.bytes)} of PostgreSQL ` +
      `${Math.floor(base.serverVersion / 10_000)} in ${megabytes(base.storedBytes)}, ` +
      `${durationMs} ms.`,
    `The state of ${base.endedAt} can be restored: passerelle restore ${folder} --verify`,
    ...(removed === null || removed.bases + removed.logFiles === 0
      ? []
      : [
          `Removed: ${counted(removed.bases, 'base backup')}, ` +
            `${counted(removed.logFiles, 'file')} of the log.`,
        ]),
  ])
}

async function followServer(folder: string, { keep }: BackupOptions): Promise<void> {
  await onServer(async (server, config, signal) => {
    const db = await server.open()
    const log = openLog(config.logLevel, { forPeople: true })
    const { backupEveryHours: everyHours, backupKeepDays, pgBin: programs } = config
    const url = config.backupUrl ?? server.url
    const workFolder = workFolderOf(config)
    await runArchiver({
      url,
      folder,
      key: backupKeyOf(config),
      everyHours,
      keepDays: keep ?? backupKeepDays,
      programs,
      workFolder,
      db,
      clock,
      log,
      signal,
    })
  })
}

async function check(folder: string, command: Command): Promise<void> {
  const signal = catchStopSignals()
  const config = loadConfig()
  const startedMs = monotonicMs()
  const report = (step: string) => {
    if (!isJson(command)) process.stderr.write(`${step}\n`)
  }
  const checked = await checkArchive({
    folder,
    key: backupKeyOf(config),
    workFolder: workFolderOf(config),
    programs: config.pgBin,
    clock,
    report,
    signal,
    prove: async (url) => (await proveRestored(url)).breaks.map((one) => JSON.stringify(one)),
  })
  const { bases, logFiles, restored, problems } = checked
  const state = { folder, checkedAt: clock.now(), problems: problems.slice(0, 20) }
  await keepResult(state)
  const durationMs = Math.round(monotonicMs() - startedMs)
  const seen = `${counted(bases, 'base backup')}, ${counted(logFiles, 'file')} of the log`
  print(command, { bases, logFiles, restored, problems, durationMs }, [
    ...problems.map((problem) => oneLine(`PROBLEM ${problem}`, 500)),
    problems.length === 0
      ? `${seen}: the archive holds, restored to ${restored?.lastCommitAt?.toISOString()} ` +
        `(${durationMs} ms)`
      : `${seen}: ${counted(problems.length, 'problem')} (${durationMs} ms)`,
  ])
  if (problems.length > 0) process.exitCode = 1
}

/** Keeps the result where the database is there: an archive is checked without one too. */
async function keepResult(state: Parameters<typeof keepCheck>[1]): Promise<void> {
  try {
    await onServer((server) => keepOnDatabase(server, (db) => keepCheck(db, state)))
  } catch (problem) {
    process.stderr.write(`The result is not kept: ${oneLine((problem as Error).message, 300)}\n`)
  }
}

/** A database of an older version has no place for it yet. */
async function keepOnDatabase(
  server: DatabaseServer,
  keep: (db: Awaited<ReturnType<DatabaseServer['open']>>) => Promise<void>,
): Promise<void> {
  const { pending } = await server.status()
  if (pending.length === 0) await keep(await server.open())
}
