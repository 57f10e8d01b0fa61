import { after } from 'node:test'
import { type ProxySettings, runProxy, type Served } from './haproxy.ts'

/** The proxy until the end of a test: see `runProxy`. */
export async function startProxy(served: Served[], settings?: ProxySettings) {
  const { stop, ...proxy } = await runProxy(served, settings)
  after(stop)
  return proxy
}
