import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '#base/log/log.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import type { DbParts } from '#data/db/db.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { Http } from '#edge/http/http.ts'
import type { Caller } from '#merchants/clients/authenticate.ts'
import { markKeysUsed } from '#merchants/clients/key-store.ts'
import { insertRequests, type KeptRequest } from './store.ts'

const flushEachMs = 1000
const rowsInOneStatement = 500
const waitingMax = 10_000
const keyUseEachMs = 60_000
const pathLengthMax = 300
const messagesLengthMax = 2000

interface KeptParts extends DbParts {
  log: Log
  /** For tests: how many requests may wait to be written. */
  waitingLimit?: number
}

/** Requests that were answered but could not be kept. */
export interface RequestKeeping {
  dropped(): number
}

/**
 * Keeps every request with a valid key, and when keys were last used. A request only adds to a list
 * in memory; once a second the list is written, many rows in a statement. While the database is
 * slow the list is bounded: what does not fit is dropped and counted, and no request waits for it.
 */
export function keepRequests(http: Http, parts: KeptParts): RequestKeeping {
  const buffer = openBuffer(parts)
  http.addHook('onResponse', (request, reply, done) => {
    const { caller } = request
    if (caller !== null) buffer.note(request, reply, caller)
    done()
  })
  const timer = setInterval(() => void buffer.flush(), flushEachMs).unref()
  http.addHook('onClose', async () => {
    clearInterval(timer)
    // The first may be under way without what came last.
    await buffer.flush()
    await buffer.flush()
  })
  return { dropped: buffer.dropped }
}

/** What waits to be written. */
function openBuffer({ db, clock, log, waitingLimit = waitingMax }: KeptParts) {
  let waiting: KeptRequest[] = []
  let usedKeys: Pick<KeptRequest, 'clientId' | 'keyId' | 'at'>[] = []
  const lastUses = new Map<string, number>()
  let dropped = 0
  let flushing: Promise<void> | undefined

  function noteKey({ clientId, keyId }: Caller, at: Date): void {
    if (at.getTime() - (lastUses.get(keyId) ?? 0) < keyUseEachMs) return
    lastUses.set(keyId, at.getTime())
    usedKeys.push({ clientId, keyId, at })
  }

  async function writeAll(): Promise<void> {
    const keys = usedKeys
    usedKeys = []
    if (keys.length > 0) await markKeysUsed(db, keys)
    while (waiting.length > 0) {
      const rows = waiting.slice(0, rowsInOneStatement)
      waiting = waiting.slice(rowsInOneStatement)
      dropped += rows.length
      await insertRequests(db, rows)
      dropped -= rows.length
    }
  }

  return {
    note(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
      const at = clock.now()
      noteKey(caller, at)
      if (waiting.length >= waitingLimit) dropped += 1
      else waiting.push(rowOf(request, reply, caller, at))
    },
    /** Writes what waits, one statement at a time; never rejects. */
    flush(): Promise<void> {
      flushing ??= writeAll()
        .catch((problem: unknown) =>
          log.warn({ err: problem }, 'the request log could not be written'),
        )
        .finally(() => {
          flushing = undefined
        })
      return flushing
    },
    dropped: () => dropped,
  }
}

function rowOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { clientId, keyId }: Caller,
  at: Date,
): KeptRequest {
  return {
    clientId,
    requestId: request.id,
    at,
    keyId,
    method: request.method,
    path: pathOf(request),
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    ...(reply.statusCode < 400 ? noProblem : problemOf(request)),
  }
}

/** The path without its query; only a path with ids in it can hold anything that is masked. */
function pathOf(request: FastifyRequest): string {
  const { url: route = '' } = request.routeOptions
  if (route !== '' && !route.includes(':')) return route
  return maskPrivate(request.url.split('?')[0] ?? '').slice(0, pathLengthMax)
}

const noProblem = { code: null, messages: null }

/** The code and the sentences of an error answer. */
function problemOf({ answeredCode, answeredMessages }: FastifyRequest) {
  const sentences = (answeredMessages ?? []).filter((one) => typeof one === 'string')
  const messages = maskPrivate(sentences.join('\n')).slice(0, messagesLengthMax)
  return { code: answeredCode ?? null, messages }
}

const secret = /\b(sk_(?:live|sandbox)_|whsec_)[\w+/=-]+/g
// Not the digits of an id: those stand beside a hyphen, a letter or an underscore.
const longNumber = /(?<![\w-])\+?\d{8,15}(?![\w-])/g

/** A text without secrets, and with the last two digits of phone numbers alone. */
export function maskPrivate(text: string): string {
  return toStorable(text).replaceAll(secret, '$1…').replaceAll(longNumber, maskPhone)
}
