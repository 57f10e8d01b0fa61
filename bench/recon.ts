import { execFile } from 'node:child_process'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs, promisify } from 'node:util'
import { readConfig } from '#base/config/config.ts'
import { openDatabaseServer } from '#data/db/server.ts'
import { fillHistory } from './history-fill.ts'
import {
  compareFound,
  type FoundCase,
  type Planted,
  plantedStatement,
  statementFees,
} from './planted-statement.ts'
import { openProgress } from './progress.ts'

/*
 * npm run bench recon -- [--lines 100000] [--breaks 500]
 *
 * Imports a statement with so many lines and differences of every kind, over as many payments of
 * one provider in a day; prints what was found, the time and the most memory that it took.
 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '100000' },
    breaks: { type: 'string', default: '500' },
  },
})
const [lines, breaks] = [Number(values.lines), Number(values.breaks)]
const launcher = join(import.meta.dirname, '..', 'bin', 'passerelle.js')
const run = promisify(execFile)
const person = 'bench@example.com'
const password = 'a long bench password'
const progress = openProgress()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-recon-'))
try {
  const dayMs = 86_400_000
  const ofProvider = 'WALLETA_SN'
  await fillHistory({ dataDir: folder, transactions: lines, progress, ofProvider, spanMs: dayMs })
  const planted: Planted[] = []
  const file = join(folder, 'statement.csv')
  const server = await openDatabaseServer(readConfig({ MODE: 'sandbox', DATA_DIR: folder }))
  try {
    const order = { count: lines, planted: breaks, put: (one: Planted) => void planted.push(one) }
    const text = plantedStatement(await server.open('custom'), order)
    await pipeline(Readable.from(text), createWriteStream(file))
    await passerelle('user', 'create', person, '--operator', 'operator', '--password-stdin')
    await passerelle('recon', 'mapping', 'set', 'WALLETA', 'SN', '--fees', feesText())
    const { stdout, stderr } = await measured('recon', 'import', file, '--sure')
    const { cases } = JSON.parse((await passerelle('recon', 'cases', '--limit', '1000000')).stdout)
    report(stdout, stderr, planted, cases)
  } finally {
    await server.close()
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function feesText(): string {
  return JSON.stringify(statementFees)
}

function passerelle(...words: string[]) {
  return typing(process.execPath, [launcher, '--json', ...words])
}

/** Runs a program that may read the password from standard input. */
function typing(program: string, words: string[]) {
  const own = { MODE: 'sandbox', DATA_DIR: folder, APPROVAL_ABOVE: 'off' }
  const running = run(program, words, { env: { ...process.env, ...own }, maxBuffer: 1e9 })
  running.child.stdin?.end(`${password}\n`)
  return running
}

/** Runs a command of WALLETA SN under GNU time, if that is installed. */
function measured(...words: string[]) {
  const time = existsSync('/usr/bin/time') ? ['/usr/bin/time', '-v'] : []
  const party = ['--provider', 'WALLETA', '--country', 'SN', '--by', person, '--password-stdin']
  const command = [
    ...time,
    process.execPath,
    ...heapFlags(),
    launcher,
    '--json',
    ...words,
    ...party,
  ]
  return typing(command[0] ?? '', command.slice(1))
}

/** What the launcher is started with where the system starts it. */
function heapFlags(): string[] {
  const [first = ''] = readFileSync(launcher, 'utf8').split('\n')
  return first.split(' ').filter((word) => word.startsWith('--'))
}

function report(stdout: string, stderr: string, planted: Planted[], cases: FoundCase[]): void {
  const { missed, wrong } = compareFound(planted, cases)
  const figures = stderr.match(/(Elapsed|Maximum resident).*/g) ?? []
  progress.line(stdout.replaceAll(/\s+/g, ' '))
  const found = planted.length - missed.length
  progress.line(`planted ${planted.length}, found ${found}, false ${wrong.length}`)
  for (const one of [...missed, ...wrong].slice(0, 20)) progress.line(`not so: ${one}`)
  for (const one of figures) progress.line(one.trim())
  if (missed.length + wrong.length > 0) process.exitCode = 1
}
