import { after } from 'node:test'
import { openHttp } from '../src/http/server.ts'
import { openLog } from '../src/kit/log.ts'
import type { PayPageOptions } from '../src/pay/routes.ts'
import { addPayPages } from '../src/pay/routes.ts'
import type { FakeCheckout } from './fake-checkout.ts'
import { fakeCheckout } from './fake-checkout.ts'

export interface PayServer {
  url: string
  checkout: FakeCheckout
  /** The address of a link's page. */
  pageOf(id: string): string
  /** Sends a request for a page without following where it leads. */
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  /** Sends a form. */
  post(path: string, fields?: Record<string, string>, headers?: object): Promise<Shown>
  close(): Promise<void>
}

export interface Shown {
  status: number
  headers: Headers
  text: string
  /** The page without its style and script. */
  markup: string
  /** What the page says, without its markup. */
  said: string
}

type Options = Partial<Omit<PayPageOptions, 'checkout'>> & {
  trustedProxies?: string[]
  inFlightMax?: number
}

/** The payer's pages over real HTTP, with links played by hand behind them. */
export async function openPayServer(options: Options = {}): Promise<PayServer> {
  const { trustedProxies = [], inFlightMax, ...parts } = options
  const log = openLog('silent')
  const limit = inFlightMax === undefined ? {} : { inFlightMax }
  const http = await openHttp({ log, isHttps: false, trustedProxies, redisUrl: null, ...limit })
  const checkout = fakeCheckout()
  await addPayPages(http, { paths: ['/pay'], ...parts, checkout })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  const send = async (path: string, init: RequestInit): Promise<Shown> => {
    const answer = await fetch(`${url}/pay/process/${path}`, { ...init, redirect: 'manual' })
    const text = await answer.text()
    const markup = text.replaceAll(/(<(style|script)[^>]*>)[^]*?(?=<\/\2>)/g, '$1')
    const { status, headers } = answer
    return { status, headers, text, markup, said: wordsIn(markup) }
  }
  return {
    url,
    checkout,
    pageOf: (id) => `${url}/pay/process/${id}`,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...headers } }),
    close: () => http.close(),
  }
}

/** The same, until the test file ends. */
export async function testPayServer(options?: Options): Promise<PayServer> {
  const server = await openPayServer(options)
  after(() => server.close())
  return server
}

/** What stands between tags, with ordinary spaces. */
function wordsIn(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[\u2068\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
}
