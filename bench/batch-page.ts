import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import type { Db } from '../src/db/db.ts'
import { openBrowser } from '../test/browser.ts'
import type { SignedIn } from '../test/dashboard.ts'
import { addPerson, cookiesOf, signIn, tokenIn } from '../test/dashboard.ts'
import { startGateway } from './child-processes.ts'
import { openGatewayDb } from './gateway-database.ts'
import { openProgress } from './progress.ts'
import { summarizeLatency } from './statistics.ts'

/*
 * npm run bench:batch-page -- [--lines 300] [--rounds 3]
 *
 * Measures how late the page of a batch shows its progress, in a browser: from the time that is
 * stored with the end of each payout to the page that counts it. Of twenty payouts one takes three
 * seconds to be refused and one ten seconds to succeed.
 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
  },
})

/** Notes in a page when each count of ended payouts is first shown. */
const watchProgress = `
  window.shown = {}
  const look = () => {
    const bar = document.querySelector('main progress')
    if (bar) window.shown[bar.value] ??= Date.now()
  }
  look()
  const all = { attributes: true, childList: true, subtree: true }
  new MutationObserver(look).observe(document, all)`

const progress = openProgress()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-batch-page-'))
const browser = await openBrowser()
const gateway = await startGateway({ dataDir: join(folder, 'data') })
const db = openGatewayDb(gateway.socketFolder)
try {
  const owner = await signIn(gateway.url, 'demo@passerelle.test', 'demo')
  const email = await addPerson({ db }, { clientId: 1, role: 'finance' })
  const finance = await signIn(gateway.url, email)
  const context = await browser.newContext()
  await context.addCookies(cookiesOf(owner, gateway.url))
  const page = await context.newPage()
  const usualMs: number[] = []
  const slowMs: number[] = []
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    progress.now(`round ${round}`)
    const path = await uploadBatch(owner, fileOf(Number(values.lines), round))
    await owner.post(`${path}/prepare`, { verb: 'propose' }, { from: path })
    await page.goto(`${gateway.url}${path}`)
    await page.evaluate(watchProgress)
    await finance.post(`${path}/decide`, { verb: 'approve' }, { from: path })
    for (const { delayMs, isSlow } of await delaysOf(db, page, path))
      (isSlow ? slowMs : usualMs).push(delayMs)
  }
  console.log('How late the page of a batch counts a payout that has ended, in milliseconds:')
  console.table({
    'ends at once': { payouts: usualMs.length, ...summarizeLatency(usualMs) },
    'ends after 3 or 10 s': { payouts: slowMs.length, ...summarizeLatency(slowMs) },
  })
} finally {
  await browser.close()
  await db.close()
  await gateway.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function fileOf(lines: number, round: number): string {
  const rows = Array.from({ length: lines }, (_, index) => {
    const slow: Record<number, string> = { 7: '770000003', 13: '770000005' }
    const number = slow[index % 20] ?? String(771_000_000 + round * 10_000 + index)
    return `${number};WALLETA_SN_CASHIN;${500 + index};A`
  })
  return ['numero;service;montant;nom', ...rows].join('\r\n')
}

async function uploadBatch(person: SignedIn, text: string): Promise<string> {
  const body = new FormData()
  body.set('token', tokenIn((await person.get('/dashboard/batches')).text))
  body.set('file', new File([text], 'file.csv'))
  const answer = await fetch(`${person.url}/dashboard/batches`, {
    method: 'POST',
    body,
    headers: { cookie: person.cookie },
    redirect: 'manual',
  })
  const { 0: path } =
    /\/dashboard\/batches\/[\w-]+/.exec(answer.headers.get('location') ?? '') ?? {}
  if (path === undefined) throw new Error(`the file was not taken: ${await answer.text()}`)
  return path
}

/** Waits for the end of a batch; for each payout, how much later the page counted it. */
async function delaysOf(own: Db, page: Page, path: string) {
  await page.waitForSelector(
    '.head .label:has-text("Terminé"), .head .label:has-text("Finished")',
    {
      timeout: 600_000,
    },
  )
  await sleep(1000)
  const shown = Object.entries(await page.evaluate<Record<string, number>>('window.shown'))
    .map(([count, at]) => ({ count: Number(count), at }))
    .toSorted((one, other) => one.at - other.at)
  const ended = await own<{ at: number; isSlow: boolean }>`
    select extract(epoch from t.completed_at)::float * 1000 as at,
      t.phone like '77000000%' as "isSlow"
    from batch_lines l join transactions t
      on (t.client_id, t.id) = (l.client_id, l.transaction_id)
    where l.batch_id = ${path.slice(-36)} order by 1`
  return ended.map(({ at, isSlow }, index) => ({
    delayMs: (shown.find(({ count }) => count > index)?.at ?? Number.POSITIVE_INFINITY) - at,
    isSlow,
  }))
}
