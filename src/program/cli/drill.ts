import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, environmentWithoutSecrets, loadConfig } from '#base/config/config.ts'
import { loginOf } from '#base/config/database-url.ts'
import { systemClock as clock, monotonicMs } from '#base/kit/clock.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Db } from '#data/db/db.ts'
import { type DatabaseServer, isDatabaseMade, openDatabaseServer } from '#data/db/server.ts'
import { ignoreMissing } from '#data/postgres/data-folder.ts'
import { type Drilled, drill, drillFolder } from '#operations/drill/drill.ts'
import type { ArchiveState } from '#operations/drill/store.ts'
import type { Records } from '#records.ts'
import { roomsOn } from './session.ts'
import { catchStopSignals } from './signals.ts'
import { counted, date, isJson, print, startProgress } from './terminal.ts'
import { describeBreak, summarizeVerdict } from './verdict-text.ts'
import { readAnchor } from './verify.ts'

interface DrillOptions {
  to?: Date
  into?: string
  keep?: boolean
}

/** `passerelle drill`: restores from the archive and proves it; exits with 1 unless all holds. */
export function addDrillCommand(program: Command): void {
  program
    .command('drill')
    .description('restore from the archive into a private folder, prove it and remove it')
    .option('--to <moment>', 'what was committed until then (2026-01-31T10:00:00Z)', date)
    .option('--into <folder>', 'an empty folder to restore into (default: in DATA_DIR)')
    .option('--keep', 'leave what was restored there')
    .action((options: DrillOptions, command: Command) => runDrill(options, command))
}

interface Live {
  db: Db
  drills: Records['drills']
  /** Whether it has a place for what the drill comes to. */
  isUpToDate: boolean
  archiver: Omit<ArchiveState, 'drill'>
}

async function runDrill(options: DrillOptions, command: Command): Promise<void> {
  const config = loadConfig()
  if (config.restoreCommand === null)
    throw new Problem('RESTORE_COMMAND is not set: docs/recovery.md says what it is.')
  const signal = catchStopSignals()
  const { server, away } = await openServer(config)
  try {
    const live = server && (await askLive(server, config))
    const startedAt = clock.now()
    const startedMs = monotonicMs()
    const order = { config, command: config.restoreCommand, live, options, signal, startedAt }
    const done = await tryDrill(order, isJson(command))
    if (signal.aborted) throw new Problem(`Stopped by ${signal.reason} before the end.`)
    const problems = [...problemsOf(live), ...('failed' in done ? [done.failed] : done.problems)]
    const breaks = 'failed' in done ? [] : done.verdict.breaks.map(describeBreak)
    const durationMs = Math.round(monotonicMs() - startedMs)
    const { replay, lastTransaction } = 'failed' in done ? {} : done
    if (live?.isUpToDate)
      await live.drills.keep({
        startedAt,
        endedAt: clock.now(),
        moment: options.to ?? null,
        backupAt: replay?.backupAt ?? null,
        lastTransactionAt: lastTransaction?.createdAt ?? null,
        problems: [...problems, ...breaks].slice(0, 20),
      })
    const told = 'failed' in done ? [] : describe(done, { startedAt, away, durationMs })
    print(command, { ...done, problems, durationMs, comparedWithLive: live !== undefined }, [
      ...problems.map((problem) => oneLine(`PROBLEM ${problem}`, 800)),
      ...breaks,
      ...told,
    ])
    if (problems.length + breaks.length > 0) process.exitCode = 1
  } finally {
    await server?.close()
  }
}

/** The live database; a drill is most needed when it is away. */
async function openServer(config: Config): Promise<{ server?: DatabaseServer; away: string }> {
  if (!(await isDatabaseMade(config))) return { away: `there is none in ${config.dataDir}` }
  try {
    return { server: await openDatabaseServer(config), away: '' }
  } catch (problem) {
    return { away: oneLine((problem as Error).message, 300) }
  }
}

async function askLive(server: DatabaseServer, config: Config): Promise<Live> {
  const { pending } = await server.status()
  const db = await server.open('custom')
  const { drills } = roomsOn(db, config)
  return { db, drills, isUpToDate: pending.length === 0, archiver: await drills.archiver() }
}

/** What the server tells of its archive that a restore cannot show. */
function problemsOf(live: Live | undefined): string[] {
  const { failedFile = null, failedAt = null } = live?.archiver ?? {}
  if (failedFile === null) return []
  return [
    `The server cannot archive its WAL: the file ${failedFile} was refused at ` +
      `${failedAt?.toISOString()}, its own log says why (a full repository, or one that is away).`,
  ]
}

interface TriedOrder {
  config: Config
  command: string
  live: Live | undefined
  options: DrillOptions
  signal: AbortSignal
  startedAt: Date
}

async function tryDrill(order: TriedOrder, asJson: boolean): Promise<Drilled | { failed: string }> {
  const { config, command, live, options, signal, startedAt } = order
  const { dataDir, databaseUrl } = config
  const { keep = false } = options
  const progress = startProgress('Verifying the ledger', asJson)
  const file = live?.archiver.isOn ? live.archiver.lastFile : null
  const handed =
    file === null ? undefined : { file, segmentBytes: live?.archiver.segmentBytes ?? 0 }
  try {
    return await drill({
      command,
      environment: environmentWithoutSecrets(),
      into:
        options.into === undefined
          ? await drillFolder(dataDir, clock, keep)
          : resolve(options.into),
      to: options.to,
      keep,
      ...loginOf(databaseUrl ?? 'postgresql://passerelle@/passerelle'),
      live: live && { db: live.db, handed },
      kept: await keptAnchors(dataDir),
      clock,
      startedAt,
      report: (step) => void (asJson || process.stderr.write(`${step}\n`)),
      progress: progress.report,
      signal,
    })
  } catch (problem) {
    if (problem instanceof Problem) return { failed: problem.message }
    if (signal.aborted) return { failed: 'stopped' }
    throw problem
  } finally {
    progress.end()
  }
}

/** The anchors that a worker keeps beside the database, where this runs on its machine. */
async function keptAnchors(dataDir: string) {
  const text = await readFile(join(dataDir, 'anchors.ndjson'), 'utf8').catch(ignoreMissing)
  const lines = (text ?? '').split('\n').filter(Boolean)
  return lines.map((line, index) => ({
    ...readAnchor(line, index),
    createdAt: new Date(JSON.parse(line).createdAt),
  }))
}

interface Told {
  startedAt: Date
  away: string
  durationMs: number
}

function describe(done: Drilled, { startedAt, away, durationMs }: Told): string[] {
  const { replay, comparison, lastTransaction, cluster, verdict } = done
  const age = (at: Date) => Math.round((startedAt.getTime() - at.getTime()) / 1000)
  return [
    `Restored from the backup of ${replay.backupAt?.toISOString() ?? 'an unknown time'}; the ` +
      `last change is of ${replay.lastCommitAt?.toISOString() ?? 'the backup itself'}.`,
    lastTransaction === undefined
      ? 'There is no transaction in it.'
      : `${counted(done.transactions, 'transaction')}, the last one: ${lastTransaction.id} of ` +
        `client ${lastTransaction.clientId}, made ${lastTransaction.createdAt.toISOString()}, ` +
        `${age(lastTransaction.createdAt)} s before the drill.`,
    comparison === undefined
      ? `Not compared with the live database: ${away}`
      : `Compared with the live database: ${counted(comparison.heads, 'head')} of chains, ` +
        `${comparison.anchor === null ? 'no anchor yet' : `anchor ${comparison.anchor}`}, the ` +
        'transactions of the last hour.',
    // A ledger that was rewritten as a whole shows by nothing else.
    ...(done.keptAnchors === 0
      ? ['Compared with no anchor of outside: DATA_DIR/anchors.ndjson has none of before.']
      : []),
    ...(cluster === null ? [] : [`It is in ${cluster}.`]),
    summarizeVerdict(verdict, 0, durationMs),
  ]
}
