import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Facts, loadCase, readFacts } from './case.ts'
import { judge, type Ruling } from './judge.ts'

// A program of its own: judges the run in a folder and prints its rulings as JSON. It reads the
// journals and the database itself. Only the last ruling is the gateway's own proof of its ledger,
// because the hash chains are of its making.

const [folder = '.'] = process.argv.slice(2)
const startedMs = performance.now()
const facts = await readFacts(folder)
const db = new pg.Client({ connectionString: facts.databaseUrl })
await db.connect()
// Everything is compared with everything. Without statistics, which a failover loses, the planner
// takes tables for small ones and would compare them row by row: that took most of the time.
await db.query(`set work_mem = '256MB'; set temp_buffers = '64MB'; set jit = off;
  set enable_nestloop = off`)
await loadCase(db, folder, facts)
const loadedMs = performance.now()
const rulings = await judge(db)
const judgedMs = performance.now()
await db.end()
rulings.push(await proof(facts))
console.error(
  `read in ${seconds(startedMs, loadedMs)} s, judged in ${seconds(loadedMs, judgedMs)} s, ` +
    `proved in ${seconds(judgedMs, performance.now())} s, ` +
    `with ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`,
)
console.log(JSON.stringify(rulings))

function seconds(fromMs: number, toMs: number): string {
  return ((toMs - fromMs) / 1000).toFixed(1)
}

async function proof({ databaseUrl }: Facts): Promise<Ruling> {
  const beganMs = performance.now()
  const launcher = fileURLToPath(new URL('../../bin/passerelle.js', import.meta.url))
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'proof') }
  const run = promisify(execFile)(process.execPath, [launcher, 'verify', '--json'], {
    env,
    maxBuffer: 2 ** 26,
  })
  const stdout = await run.then(
    (ended) => ended.stdout,
    (problem: { stdout?: string; message: string }) => problem.stdout || problem.message,
  )
  const verdict = parse(stdout)
  return {
    name: 'proof',
    says: '`passerelle verify` proves hash chains, anchors, holds, limits and summaries',
    checked: verdict.entries,
    broken: verdict.breaks.length,
    examples: verdict.breaks.slice(0, 5).map((one) => JSON.stringify(one)),
    tookMs: Math.round(performance.now() - beganMs),
  }
}

function parse(text: string): { entries: number; breaks: unknown[] } {
  try {
    return JSON.parse(text) as { entries: number; breaks: unknown[] }
  } catch {
    return { entries: 0, breaks: [text.slice(0, 500)] }
  }
}
