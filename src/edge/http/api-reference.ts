import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { cached } from '#base/kit/cached.ts'
import { limitPerNetwork } from './address-limit.ts'
import type { Http } from './http.ts'
import { type PreparedFile, prepareFile, sendPrepared } from './prepared-file.ts'
import type { ReferenceFile, ReferenceFiles } from './reference-worker.ts'

// Generous: a whole office may be behind one address, and a page takes five requests.
export const referencePerMinute = 300

/**
 * Serves an interactive reference of the API at /docs/try. Its library
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
  http.get('/docs/try', options, async (request, reply) => {
    const { page } = await prepared('once')
    // The page finds its script relative to its own address.
    if (!/^[^?]*\/(\?|$)/.test(request.url)) return reply.redirect('/docs/try/', 301)
    const nonce = randomBytes(16).toString('base64url')
    reply.header('Content-Security-Policy', policyOf(nonce)).type('text/html; charset=utf-8')
    return reply.send(page.replace('{style nonce}', nonce))
  })
  for (const [name, file] of Object.entries({
    scalar: 'script',
    styles: 'styles',
    begin: 'begin',
  } as const))
    http.get(`/docs/try/js/${name}.js`, options, async (request, reply) =>
      sendPrepared(request, reply, (await prepared('once'))[file]),
    )
}

async function prepareReference(demoKey: string | undefined) {
  const url = new URL('reference-worker.ts', import.meta.url)
  const worker = new Worker(url, { workerData: { demoKey } })
  worker.unref()
  const [{ page, ...files }] = (await once(worker, 'message')) as [ReferenceFiles]
  return {
    page,
    script: await prepare(files.script),
    styles: await prepare(files.styles),
    begin: await prepare(files.begin),
  }
}

function prepare({ type, bytes }: ReferenceFile): Promise<PreparedFile> {
  return prepareFile(type, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

// By these attributes the library measures the width of a scroll bar.
const measuring = ['width:30px;height:30px;overflow-y:scroll;', 'width:100%;height:40px'].map(
  (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
)

// No inline script, and no style but those that the library itself adds to the page.
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `style-src-attr 'unsafe-hashes' ${measuring.join(' ')}`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
