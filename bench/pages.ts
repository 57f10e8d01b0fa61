import { readFileSync } from 'node:fs'
import { summariseAll } from '#backoffice/reports/summarise.ts'
import type { Db } from '#data/db/db.ts'
import { addPerson, type SignedIn, signIn } from '#test/dashboard.ts'
import { startGateway } from './child-processes.ts'
import { openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import { readOptionsOrExit, readPagesOptions } from './options.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import { round, summarizeLatency } from './statistics.ts'

const usage = `npm run bench pages -- --data FOLDER [--visits 30]

Times pages and files of the dashboard on a long history, one visit at a time: --data names the
folder that \`npm run bench history -- --data FOLDER\` has filled. Waits until its hours are summed
up.`
const { data, visits } = readOptionsOrExit({ program: 'bench pages', usage }, readPagesOptions)
const warmUps = 2
const fileRows = 100_000
const newLine = 10
const progress = openProgress()
const startedAt = new Date()

const gateway = await startGateway({ dataDir: data })
const db = openGatewayDb(gateway.socketFolder)
try {
  progress.now('summing up hours')
  await summariseAll(db)
  const email = `bench-${startedAt.getTime()}@shop.example`
  const person = await signIn(
    gateway.url,
    await addPerson({ db }, { clientId: 1, role: 'owner', email }),
  )
  const pages: Record<string, object> = {}
  for (const [name, path] of Object.entries(await addresses(db))) {
    progress.now(name)
    pages[name] = await timeVisits(person, path)
  }
  const files: Record<string, object> = {}
  // Of a tenth as many too: a file of more rows must not take more memory.
  for (const rows of [fileRows / 10, fileRows]) {
    const from = dayAfter(await dayOfRow(db, rows))
    for (const kind of ['csv', 'xlsx']) {
      progress.now(`a ${kind} file`)
      const path = `/dashboard/transactions/export.${kind}?from=${from}`
      files[`${kind}, up to ${rows} rows`] = await timeFile(person, path)
    }
  }
  console.table(pages)
  console.table(files)
  const found = { machine: describeMachine(), pages, files }
  console.log(`Kept as ${await keepResult(startedAt, 'pages.json', found)}`)
} finally {
  await db.close()
  await gateway.stop()
}

/** Pages by name: lists with every filter, searches that find and that do not, and home. */
async function addresses(db: Db): Promise<Record<string, string>> {
  const [row] = await db<{ id: string; externalId: string; phone: string; reference: string }>`
    select id, external_id as "externalId", phone, reference from transactions
    where client_id = 1 and reference is not null and phone is not null
    order by id desc offset 50000 limit 1`
  if (row === undefined) throw new Error('this folder has no history')
  const list = '/dashboard/transactions'
  const from = await dayOfRow(db, fileRows)
  return {
    home: '/dashboard',
    'transactions, newest': list,
    'transactions, older': `${list}?after=${row.id}`,
    'by status': `${list}?status=FAILED`,
    'by a status that none has': `${list}?status=CANCELLED`,
    'by kind': `${list}?kind=CASHIN`,
    'by service': `${list}?service=WALLETA_SN_CASHOUT`,
    'by days': `${list}?from=${from}&to=${from}`,
    'by days, status and kind': `${list}?from=${from}&status=FAILED&kind=CASHIN`,
    'by number': `${list}?number=${row.phone}`,
    'by a number that nobody has': `${list}?number=789999999`,
    'search for our id': `${list}?q=${row.id}`,
    'search for their id': `${list}?q=${encodeURIComponent(row.externalId)}`,
    'search for a reference': `${list}?q=${encodeURIComponent(row.reference)}`,
    'search for a number': `${list}?q=${row.phone}`,
    'search for nothing': `${list}?q=no-such-thing`,
    'one transaction': `${list}/${row.id}`,
    balance: '/dashboard/balance',
    'balance, by days': `/dashboard/balance?from=${from}&to=${from}`,
    statement: '/dashboard/statements',
    events: '/dashboard/developers/events',
    deliveries: '/dashboard/developers/webhooks',
    requests: '/dashboard/developers/requests',
    links: '/dashboard/links',
    'sub-merchants': '/dashboard/sub-merchants',
    'audit log': '/dashboard/audit',
  }
}

/** The day of the merchant's newest transaction but so many. */
async function dayOfRow(db: Db, offset: number): Promise<string> {
  const [row] = await db<{ createdAt: Date }>`
    select created_at as "createdAt" from transactions where client_id = 1
    order by id desc offset ${offset} limit 1`
  if (row === undefined) throw new Error('this folder has too short a history')
  return row.createdAt.toISOString().slice(0, 10)
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

async function timeVisits(person: SignedIn, path: string): Promise<object> {
  const times: number[] = []
  for (let visit = 0; visit < warmUps + visits; visit += 1) {
    const startMs = performance.now()
    const { status } = await person.get(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    if (visit >= warmUps) times.push(performance.now() - startMs)
  }
  const { p50, p95 } = summarizeLatency(times)
  return { p50, p95 }
}

async function timeFile({ url, cookie }: SignedIn, path: string): Promise<object> {
  const memory = watchMemory(gateway.pid)
  const startMs = performance.now()
  const answer = await fetch(url + path, { headers: { cookie } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  let bytes = 0
  let lines = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    for (const byte of part) if (byte === newLine) lines += 1
  }
  const seconds = round((performance.now() - startMs) / 1000, 2)
  return { seconds, bytes, ...(path.includes('.csv') ? { lines } : {}), ...memory.end() }
}

/** Follows how much memory a process has, in megabytes. */
function watchMemory(pid: number) {
  const read = () => {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  }
  const before = read()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, read())), 50)
  const end = () => {
    clearInterval(timer)
    return { 'MB before': before, 'MB at most': most }
  }
  return { end }
}
