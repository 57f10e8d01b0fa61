import type { FastifyReply, FastifyRequest } from 'fastify'
import { otherCellOf } from '#edge/http/other-cell.ts'
import { streamAsEvents } from '#edge/http/stream.ts'
import type { Checkout, PayerView } from '#money/links/checkout.ts'
import type { Limits } from './limits.ts'
import { linkIdOf } from './visit.ts'

// Then the browser reconnects; connections of phones that are gone are freed this way.
const streamMs = 600_000

type FindView = (id: string) => Promise<PayerView | undefined>

/** The routes that tell the page's script the version of a link: once, or as a stream. */
export function updateHandlers(findView: FindView, follow: Checkout['follow'], limits: Limits) {
  async function state(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('state', request.ip, id)
    if (waitSeconds > 0) return refuse(reply, 429, waitSeconds)
    const view = await findView(id)
    return view === undefined
      ? refuse(reply, unknownAt(request))
      : reply.send({ version: view.version })
  }

  async function events(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = linkIdOf(request)
    const waitSeconds = limits.count('state', request.ip, id)
    if (waitSeconds > 0) return void refuse(reply, 429, waitSeconds)
    const close = limits.openStream(request.ip, id)
    if (close === undefined) return void refuse(reply, 429, 15)
    try {
      if ((await findView(id)) === undefined) return void refuse(reply, unknownAt(request))
      await streamAsEvents(
        reply,
        (signal) => versions(id, signal),
        ({ version }) => ({ version }),
      )
    } finally {
      close()
    }
  }

  /** The present version, then every new one. */
  async function* versions(id: string, signal: AbortSignal) {
    const changes = follow(id, AbortSignal.any([signal, AbortSignal.timeout(streamMs)]))
    let last: string | undefined
    let position = 0
    for await (const _ of nowAndOnEach(changes)) {
      const version = (await findView(id))?.version
      if (version === undefined) return
      if (version === last) continue
      last = version
      position += 1
      yield { position, version }
    }
  }

  return { state, events }
}

/**
 * Yields at once, then after each change. It subscribes before the first yield, so that no change
 * between reading the state and subscribing is missed.
 */
async function* nowAndOnEach(changes: AsyncIterable<void>): AsyncGenerator<void> {
  const iterator = changes[Symbol.asyncIterator]()
  try {
    for (let isOver = false; !isOver; ) {
      const next = iterator.next()
      // It may reject before it is awaited below; this prevents an unhandledRejection.
      next.catch(() => {})
      yield
      isOver = (await next).done === true
    }
  } finally {
    // Ends the subscription. Not awaited: it settles only when the signal is aborted.
    void iterator.return?.()
  }
}

function unknownAt(request: FastifyRequest): 404 | 421 {
  return otherCellOf(request) === undefined ? 404 : 421
}

function refuse(reply: FastifyReply, status: 404 | 421 | 429, waitSeconds = 0): FastifyReply {
  if (waitSeconds > 0) reply.header('Retry-After', waitSeconds)
  return reply.code(status).send({ version: null })
}
