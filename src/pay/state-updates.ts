import type { FastifyReply, FastifyRequest } from 'fastify'
import { streamAsEvents } from '../http/stream.ts'
import type { Checkout, PayerView } from '../links/checkout.ts'
import type { Limits } from './limits.ts'
import { linkIdOf } from './visit.ts'

// Then the browser connects again: what a phone has left behind does not stay for ever.
const streamMs = 600_000

type Look = (id: string) => Promise<PayerView | undefined>

/** Tells a page's script whether there is something new, once or as it happens. */
export function updateHandlers(look: Look, follow: Checkout['follow'], limits: Limits) {
  async function state(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('state', request.ip, id)
    if (waitSeconds > 0) return refuse(reply, 429, waitSeconds)
    const view = await look(id)
    return view === undefined ? refuse(reply, 404) : reply.send({ version: view.version })
  }

  async function events(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('state', request.ip, id)
    if (waitSeconds > 0) return void refuse(reply, 429, waitSeconds)
    const close = limits.openStream(request.ip, id)
    if (close === undefined) return void refuse(reply, 429, 15)
    try {
      if ((await look(id)) === undefined) return void refuse(reply, 404)
      await streamAsEvents(
        reply,
        (signal) => versions(id, signal),
        ({ version }) => ({ version }),
      )
    } finally {
      close()
    }
  }

  /** The version now, and again whenever it has changed. */
  async function* versions(id: string, signal: AbortSignal) {
    const changes = follow(id, AbortSignal.any([signal, AbortSignal.timeout(streamMs)]))
    let last: string | undefined
    let position = 0
    for await (const _ of startAtOnce(changes)) {
      const version = (await look(id))?.version
      if (version === undefined) return
      if (version === last) continue
      last = version
      position += 1
      yield { position, version }
    }
  }

  return { state, events }
}

/** Once now, then with each change; listens before the first look, so that none is missed. */
async function* startAtOnce(changes: AsyncIterable<void>): AsyncGenerator<void> {
  const iterator = changes[Symbol.asyncIterator]()
  try {
    for (let isOver = false; !isOver; ) {
      const next = iterator.next()
      // It may fail before anybody waits for it.
      next.catch(() => {})
      yield
      isOver = (await next).done === true
    }
  } finally {
    // Else it would be followed for ever by nobody. Not waited for: it ends with the signal.
    void iterator.return?.()
  }
}

function refuse(reply: FastifyReply, status: 404 | 429, waitSeconds = 0): FastifyReply {
  if (waitSeconds > 0) reply.header('Retry-After', waitSeconds)
  return reply.code(status).send({ version: null })
}
