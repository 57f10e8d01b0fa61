import type { Page, Request } from 'playwright-core'
import { eventually } from './wait.ts'

/** Stops the clock of a payment page; only `pass` and `page.clock` advance it. */
export async function stopTime(page: Page) {
  await page.clock.install({ time: '2026-01-15T10:00:00Z' })
  // Much later: it runs until it stops, and cannot stop in its past.
  await page.clock.pauseAt('2026-01-15T11:00:00Z')
  let underWay = 0
  const count = (change: 1 | -1) => (request: Request) => {
    if (/\/state$|\bpart=main$/.test(request.url())) underWay += change
  }
  page.on('request', count(1))
  page.on('requestfinished', count(-1))
  page.on('requestfailed', count(-1))
  return {
    /** Second by second, so that each answer arrives before the page takes it for lost. */
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await page.clock.runFor(1000)
        await eventually('all answers are there', () => underWay === 0)
        // The page has handled them.
        await page.evaluate('0')
      }
    },
  }
}
