import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { openBrowser } from '#test/browser.ts'
import { addPerson, cookiesOf, signIn } from '#test/dashboard.ts'
import { createMerchants } from './gateway-database.ts'
import { payOnce } from './scenarios.ts'
import { type Latency, summarizeLatency } from './statistics.ts'

interface Shown {
  page: Page
  db: Db
  url: string
  apiKey: string
}

/** When a row was first seen, and when first in its last state; in milliseconds since 1970. */
type Seen = Record<string, { createdMs: number; endedMs?: number }>

// Payments at all moments between two questions, and fewer of them than a list has room for.
const pauseMs = [250, 850] as const
// A payment ends a second after it was made; under load later.
const lastRowsMs = 15_000

/** Notes in a page when each row appears and ends. */
const watchRows = `
  window.seen = {}
  const look = () => {
    for (const row of document.querySelectorAll('tr[id^="t-"]')) {
      const one = (window.seen[row.id.slice(2)] ??= { createdMs: Date.now() })
      if (row.querySelector('.label.good')) one.endedMs ??= Date.now()
    }
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })`

/**
 * A list of a merchant's transactions in a browser, and how late it shows them: from the times in
 * the database, which are before the commits, to the changed page.
 */
export async function openShownList() {
  const browser = await openBrowser()
  const delaysMs = new Map<string, number[]>()
  let shown: Shown | undefined

  async function payUntil(signal: AbortSignal, ids: string[]): Promise<void> {
    while (shown !== undefined && !signal.aborted) {
      ids.push(
        await payOnce(shown.url, { apiKey: shown.apiKey, externalId: newId(systemClock.now()) }),
      )
      const [least, most] = pauseMs
      await sleep(least + (most - least) * Math.random())
    }
  }

  async function addDelays(label: string, ids: string[]): Promise<void> {
    if (shown === undefined) return
    const seen = await seenOnceAllEnded(shown.page, ids)
    for (const { id, createdMs, endedMs } of await readTimes(shown.db, ids)) {
      const { [id]: one } = seen
      add(`new, ${label}`, (one?.createdMs ?? Number.POSITIVE_INFINITY) - createdMs)
      add(`ended, ${label}`, (one?.endedMs ?? Number.POSITIVE_INFINITY) - endedMs)
    }
  }

  function add(label: string, delayMs: number): void {
    delaysMs.set(label, [...(delaysMs.get(label) ?? []), delayMs])
  }

  return {
    async open(url: string, db: Db): Promise<void> {
      const [apiKey = ''] = await createMerchants(db, 'shown', 1)
      const clientId = await clientIdOf(db, 'Banc shown 0')
      const person = await signIn(url, await addPerson({ db }, { clientId, role: 'owner' }))
      const context = await browser.newContext()
      await context.addCookies(cookiesOf(person, url))
      const page = await context.newPage()
      await page.goto(`${url}/dashboard/transactions`)
      shown = { page, db, url, apiKey }
      await page.evaluate(watchRows)
    },
    /** Pays until the returned function is called, which adds how late each was shown. */
    pay(label: string): () => Promise<void> {
      const stop = new AbortController()
      const ids: string[] = []
      const paying = payUntil(stop.signal, ids)
      return async () => {
        stop.abort()
        await paying
        await addDelays(label, ids)
      }
    },
    delays: (): Record<string, Latency & { rows: number }> =>
      Object.fromEntries(
        [...delaysMs].map(([label, all]) => [
          label,
          { rows: all.length, ...summarizeLatency(all) },
        ]),
      ),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function seenOnceAllEnded(page: Page, ids: string[]): Promise<Seen> {
  const untilMs = performance.now() + lastRowsMs
  for (;;) {
    const seen = await page.evaluate<Seen>('window.seen')
    const isWhole = ids.every((id) => seen[id]?.endedMs !== undefined)
    if (isWhole || performance.now() > untilMs) return seen
    await sleep(200)
  }
}

/** When payments were created and ended, as the database has it. */
function readTimes(db: Db, ids: string[]) {
  return db<{ id: string; createdMs: number; endedMs: number }>`
    select id, extract(epoch from created_at)::float * 1000 as "createdMs",
      extract(epoch from completed_at)::float * 1000 as "endedMs"
    from transactions where id = any(${ids}::uuid[])`
}
