import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import type { Clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openLimits } from '#doors/pay/limits.ts'
import { addPayPages, type PayPageOptions } from '#doors/pay/routes.ts'
import { openHttp } from '#edge/http/server.ts'
import { testClock } from './clock.ts'
import { type FakeCheckout, fakeCheckout } from './fake-checkout.ts'

export interface PayServer {
  url: string
  checkout: FakeCheckout
  /** The URL of a link's page. */
  pageOf(id: string): string
  /** Requests a page; does not follow redirects. */
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>
  /** Sends a form; does not follow redirects. */
  post(path: string, fields?: Record<string, string>, headers?: object): Promise<PageAnswer>
  /** Sends a form, and requests the page that it leads to. */
  submit(path: string, fields?: Record<string, string>, headers?: object): Promise<PageAnswer>
  close(): Promise<void>
}

export interface PageAnswer {
  status: number
  headers: Headers
  text: string
  /** The page without its style and script. */
  markup: string
  /** The text between the tags, with ordinary spaces. */
  visibleText: string
}

/** Rate limits that let every request pass. */
export const unlimited = { ...openLimits(), count: () => 0 }

type Options = Partial<Omit<PayPageOptions, 'checkout'>> & {
  clock?: Clock
  trustedProxies?: string[]
  inFlightMax?: number
}

/** The payment page over real HTTP, with a fake checkout behind it. */
export async function openPayServer(options: Options = {}): Promise<PayServer> {
  // Just after the payments of test/fake-checkout.ts.
  const usual = testClock('2026-01-15T10:05:00Z')
  const { trustedProxies = [], inFlightMax, clock = usual, ...parts } = options
  const log = openLog('silent')
  const limit = inFlightMax === undefined ? {} : { inFlightMax }
  const http = await openHttp({ log, clock, isHttps: false, trustedProxies, ...limit })
  const checkout = fakeCheckout()
  const payUrl = 'https://pay.example.test'
  const site = { isSandbox: true, secretKey: randomBytes(32), payUrl }
  await addPayPages(http, { ...site, paths: ['/pay'], ...parts, checkout })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  const send = async (path: string, init: RequestInit): Promise<PageAnswer> => {
    const answer = await fetch(`${url}/pay/process/${path}`, { ...init, redirect: 'manual' })
    const text = await answer.text()
    const markup = text.replaceAll(/(<(style|script)[^>]*>)[^]*?(?=<\/\2>)/g, '$1')
    const { status, headers } = answer
    return { status, headers, text, markup, visibleText: visibleTextOf(markup) }
  }
  const post: PayServer['post'] = (path, fields = {}, headers = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...headers } })
  return {
    url,
    checkout,
    pageOf: (id) => `${url}/pay/process/${id}`,
    get: (path, headers = {}) => send(path, { headers }),
    post,
    submit: async (path, fields, headers) => {
      const { status, headers: answered } = await post(path, fields, headers)
      assert.equal(status, 303)
      const root = `${url}/pay/process/`
      const page = new URL(answered.get('location') ?? '', root + path).href
      return send(page.slice(root.length), {})
    },
    close: () => http.close(),
  }
}

/** The same, closed when the test file ends. */
export async function testPayServer(options?: Options): Promise<PayServer> {
  const server = await openPayServer(options)
  after(() => server.close())
  return server
}

function visibleTextOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[\u2068\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
}
