import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inDatabase, template } from './database.ts'
import { startTestPostgres } from './setup.ts'

// npm run released-statements [FILES OR FOLDERS]: runs tests of what processes do, and writes the
// statements that they sent to released-statements.json. Done at each release: the migrations that
// come after it must leave every one of them working, since processes of that release still run
// while they are applied (docs/decisions/0080).
const usual = ['transactions', 'webhooks', 'links', 'bills', 'batches', 'limits', 'float', 'people']
const more = ['reports', 'retention', 'exports', 'clients', 'http', 'callbacks', 'recon', 'health']
const given = process.argv.slice(2)
const tests = given.length > 0 ? given : [...usual, ...more].map((room) => `src/${room}`)
await using opened = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-statements-'))
opened.defer(() => rm(folder, { recursive: true, force: true }))
const recorded = join(folder, 'recorded')
const preload = new URL('./record-statements.ts', import.meta.url)
const { status } = spawnSync(process.execPath, ['test/run.ts', '--only', ...tests], {
  stdio: 'inherit',
  env: { ...process.env, RECORDED_STATEMENTS: recorded, NODE_OPTIONS: `--import=${preload.href}` },
})
if (status !== 0) throw new Error('tests have failed: what they did not reach would be missing')
const lines = readFileSync(recorded, 'utf8').trimEnd().split('\n')
const texts = new Set(lines.map((line): string => JSON.parse(line).replaceAll(/\s+/g, ' ').trim()))

// Statements on tables that tests make for themselves cannot be prepared on ours, and are left out.
const server = await startTestPostgres(folder)
opened.defer(server.stop)
const client = new pg.Client({ connectionString: inDatabase(server.url, template) })
await client.connect()
opened.defer(() => client.end())
const statements: string[] = []
for (const text of [...texts].filter((one) => /^(select|insert|update|delete|with)\b/i.test(one)))
  await client
    .query(`prepare one_${statements.length} as ${text}`)
    .then(() => statements.push(text))
    .catch(() => {})
const [last] = readdirSync('migrations').sort().slice(-1)
const json = JSON.stringify({ migration: last, statements: statements.sort() }, null, 1)
await writeFile(new URL('./released-statements.json', import.meta.url), `${json}\n`)
process.stdout.write(`${statements.length} statements\n`)
