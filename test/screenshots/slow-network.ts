import type { Browser } from 'playwright-core'
import { cookiesOf, type SignedIn, signIn } from '../dashboard.ts'
import { firstVisitBytesMax, openScales } from '../wire-bytes.ts'
import { findAddresses } from './crawl.ts'
import { screenRoutes } from './routes.ts'
import { openSandbox } from './sandbox.ts'

// A weak line and the processor of a cheap phone.
const bytesPerSecond = 400_000 / 8
const latencyMs = 100
const slowdown = 6
const mostMs = 1500
const visits = 7

const owner = ['demo@passerelle.test', 'demo'] as const
const operator = ['ops@passerelle.test', 'ops'] as const
const pages: [path: string, login: readonly [string, string]][] = [
  ['/dashboard', owner],
  ['/dashboard/transactions', owner],
  ['/dashboard/pay', owner],
  ['/dashboard/ops', operator],
]

/**
 * Measures when a first visit shows its first content on a slow line and processor, the best of
 * several: others may be using this machine. Weighs every page, too. Returns what is too much.
 */
export async function measureSlowNetwork(browser: Browser): Promise<string[]> {
  const sandbox = await openSandbox()
  const tooSlow: string[] = []
  try {
    for (const [path, [email, password]] of pages) {
      const person = await signIn(sandbox.url, email, password)
      const timesMs: number[] = []
      for (let visit = 0; visit < visits; visit += 1)
        timesMs.push(await firstContentMs(browser, sandbox.url, path, person))
      const bestMs = Math.round(Math.min(...timesMs))
      const line = `${path}: first content after ${bestMs} ms`
      process.stdout.write(`${line} (${timesMs.map(Math.round).join(', ')})\n`)
      if (bestMs > mostMs) tooSlow.push(`${line}, more than ${mostMs} ms`)
    }
    tooSlow.push(...(await weighPages(await signIn(sandbox.url, ...owner))))
  } finally {
    await sandbox.close()
  }
  return tooSlow
}

/** Weighs every page that an owner gets to, with full lists; tells the heaviest. */
async function weighPages(person: SignedIn): Promise<string[]> {
  const found = await findAddresses(person, ['/dashboard'], screenRoutes())
  const scales = openScales(person)
  const weights: [path: string, bytes: number][] = []
  for (const path of found.values()) weights.push([path, await scales.weigh(path)])
  const heaviest = weights.toSorted(([, one], [, other]) => other - one)
  const lines = heaviest.map(([path, bytes]) => `${path}: ${(bytes / 1024).toFixed(1)} KB`)
  process.stdout.write(`${weights.length} pages on the wire: ${lines.slice(0, 3).join(', ')}\n`)
  return lines.slice(0, heaviest.filter(([, bytes]) => bytes > firstVisitBytesMax).length)
}

/** With an empty cache: nothing of the site was ever loaded. */
async function firstContentMs(
  browser: Browser,
  url: string,
  path: string,
  person: SignedIn,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  try {
    await context.addCookies(cookiesOf(person, url))
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    })
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.goto(`${url}${path}`)
    return await page.evaluate<number>(`new Promise((resolve) => {
      const tell = (list) => {
        const paint = list.getEntries().find(({ name }) => name === 'first-contentful-paint')
        if (paint) resolve(paint.startTime)
      }
      new PerformanceObserver(tell).observe({ type: 'paint', buffered: true })
    })`)
  } finally {
    await context.close()
  }
}
