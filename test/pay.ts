import { after } from 'node:test'
import { openHttp } from '../src/http/server.ts'
import { openLog } from '../src/kit/log.ts'
import type { PayParts } from '../src/pay/process.ts'
import { addPayPages } from '../src/pay/process.ts'
import type { PlayedCheckout } from './checkout.ts'
import { playCheckout } from './checkout.ts'

export interface PayServer {
  url: string
  checkout: PlayedCheckout
  /** The address of a link's page. */
  pageOf(id: string): string
  close(): Promise<void>
}

type Options = Partial<Omit<PayParts, 'checkout'>> & { trustedProxies?: string[] }

/** The payer's pages over real HTTP, with links played by hand behind them. */
export async function openPayServer(options: Options = {}): Promise<PayServer> {
  const { trustedProxies = [], ...parts } = options
  const log = openLog('silent')
  const http = await openHttp({ log, isHttps: false, trustedProxies, redisUrl: null })
  const checkout = playCheckout()
  await addPayPages(http, { paths: ['/pay'], ...parts, checkout })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  return { url, checkout, pageOf: (id) => `${url}/pay/process/${id}`, close: () => http.close() }
}

/** The same, until the test file ends. */
export async function testPayServer(options?: Options): Promise<PayServer> {
  const server = await openPayServer(options)
  after(() => server.close())
  return server
}
