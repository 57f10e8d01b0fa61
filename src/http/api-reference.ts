import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { cached } from '../kit/cached.ts'
import { limitPerNetwork } from './address-limit.ts'
import type { Http } from './http.ts'
import type { PreparedFile } from './prepared-file.ts'
import { prepareFile, sendPrepared } from './prepared-file.ts'
import type { ReferenceFile, ReferenceFiles } from './reference-worker.ts'

// Generous: a whole office may be behind one address, and a page takes three requests.
export const referencePerMinute = 300

/**
 * Serves an interactive reference of the API at /docs, where `/` leads to in a sandbox. Its library
 * is larger than the rest of the gateway and takes half a second to load, so that is done in a
 * thread of its own, at the first request; from then on its files are answered from memory.
 */
export function addApiReference(http: Http, demoKey: string | undefined): void {
  const prepared = cached(Number.POSITIVE_INFINITY, (_key: 'once') => prepareReference(demoKey))
  const options = {
    schema: { hide: true },
    config: { isPrepared: true },
    onRequest: limitPerNetwork(referencePerMinute),
  }
  http.get('/docs', options, async (request, reply) => {
    const { page } = await prepared('once')
    // The page finds its script relative to /docs/.
    if (!/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/docs/', 301)
    return sendPrepared(request, reply.header('Content-Security-Policy', policy), page)
  })
  // A developer who opens the address of a sandbox finds the reference, a merchant the dashboard.
  const home = demoKey === undefined ? '/dashboard' : '/docs/'
  http.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect(home, 302))
  http.get('/docs/js/scalar.js', options, async (request, reply) =>
    sendPrepared(request, reply, (await prepared('once')).script),
  )
}

async function prepareReference(demoKey: string | undefined) {
  const url = new URL('reference-worker.ts', import.meta.url)
  const worker = new Worker(url, { workerData: { demoKey } })
  worker.unref()
  const [{ page, script }] = (await once(worker, 'message')) as [ReferenceFiles]
  return { page: await prepare(page), script: await prepare(script) }
}

function prepare({ type, bytes }: ReferenceFile): Promise<PreparedFile> {
  return prepareFile(type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

// The library uses inline scripts and styles; it may connect to this server only.
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
