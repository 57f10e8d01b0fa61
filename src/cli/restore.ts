import { resolve } from 'node:path'
import type { Command } from 'commander'
import { backupKeyOf } from '../backup/key.ts'
import { proveRestored } from '../backup/prove-restored.ts'
import { restore } from '../backup/restore.ts'
import { loadConfig } from '../config/config.ts'
import { systemClock as clock, monotonicMs } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import type { Verdict } from '../verify/ledger.ts'
import { catchStopSignals } from './signals.ts'
import { date, isJson, print, startProgress } from './terminal.ts'
import { describeBreak, summarizeVerdict } from './verdict-text.ts'

interface RestoreOptions {
  to?: Date
  into?: string
  wal?: string
  replace?: boolean
  verify?: boolean
}

/** `passerelle restore`: rebuilds the database from an archive; exits with 1 unless it holds. */
export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('rebuild the database from an archive, at a moment or at its end')
    .argument('<folder>', 'the archive')
    .option('--to <moment>', 'restore what was committed until then (2026-01-31T10:00:00Z)', date)
    .option('--into <folder>', 'the data folder to restore into (default: DATA_DIR)')
    .option('--wal <folder>', 'pg_wal of the crashed database: changes the archive has not')
    .option('--replace', 'move a database that is in the way aside')
    .option('--verify', 'prove the restored database before it takes its place')
    .action((folder: string, options: RestoreOptions, command: Command) =>
      runRestore(resolve(folder), options, command),
    )
}

async function runRestore(
  folder: string,
  options: RestoreOptions,
  command: Command,
): Promise<void> {
  const config = loadConfig()
  if (config.databaseUrl !== null && options.into === undefined)
    throw new Problem(
      'The database of DATABASE_URL is another server: give --into, a data folder to restore ' +
        'into, and start PostgreSQL on its folder postgres.',
    )
  const signal = catchStopSignals()
  const startedMs = monotonicMs()
  const json = isJson(command)
  const report = (step: string) => void (json || process.stderr.write(`${step}\n`))
  let verdict: Verdict | undefined
  const prove = async (url: string) => {
    const progress = startProgress('Verifying the ledger', json)
    try {
      verdict = await proveRestored(url, progress.report)
    } finally {
      progress.end()
    }
  }
  const restored = await restore({
    folder,
    key: backupKeyOf(config),
    into: resolve(options.into ?? config.dataDir),
    to: options.to,
    replace: options.replace ?? false,
    programs: config.pgBin,
    crashedLog: options.wal && resolve(options.wal),
    clock,
    report,
    signal,
    ...(options.verify && { inspect: prove }),
  })
  const durationMs = Math.round(monotonicMs() - startedMs)
  const { base, cluster, previous, lastCommitAt, archivedUntil, logFiles } = restored
  const { breaks = [] } = verdict ?? {}
  print(command, { ...restored, verdict: verdict ?? null, durationMs }, [
    `Restored from the base backup ${base.name} and ${logFiles} files of the log in ${cluster}.`,
    `Last transaction: ${lastCommitAt?.toISOString() ?? base.endedAt}` +
      (archivedUntil === null ? '' : `; the archive was read up to ${archivedUntil.toISOString()}`),
    ...(previous === null ? [] : [`The database that was there is now ${previous}.`]),
    ...breaks.map(describeBreak),
    verdict === undefined
      ? 'It was not proved: run `passerelle verify`.'
      : summarizeVerdict(verdict, 0, durationMs),
    ...afterwards,
  ])
  if (breaks.length > 0) process.exitCode = 1
}

const afterwards = [
  'Before payments go on (docs/recovery.md):',
  '- Start `passerelle maintenance on` first: payments acknowledged after that moment are unknown',
  '  here, and a merchant that sends such a payment again would pay twice.',
  '- Compare the statements of the providers since that moment with the transactions here.',
  '- Webhooks that were delivered after that moment are sent again, with the same webhook-id.',
]
