import { createHash } from 'node:crypto'
import { callbackify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { keysFor, openText, sealText } from '../sealing/seal.ts'
import { callerOf } from './caller.ts'
import type { Http } from './http.ts'
import { claimKey, forgetKey, readKey, rememberAnswer } from './idempotency-store.ts'

/** How long an answer is replayed. */
export const answersKeptMs = 72 * 3_600_000
// No request takes this long: its process must have died.
const deadMs = 60_000

interface IdempotencyParts {
  db: Db
  clock: Clock
  secretKey: SecretKey
}

export const answerPurpose = 'remembered answers'

interface Claimed {
  clientId: number
  keyId: string
  key: string
}

const claims = new WeakMap<FastifyRequest, Claimed>()

/**
 * Makes every POST with an `Idempotency-Key` header repeatable: the same request gets the stored
 * first answer (unless that was a 5xx), another request with the same key is refused, and so is a
 * repetition while the first request is in progress.
 */
export function addIdempotency(http: Http, { db, clock, secretKey }: IdempotencyParts): void {
  // Stored answers are encrypted: they can contain recharge codes.
  const keys = keysFor(secretKey, answerPurpose)

  http.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key === undefined || request.method !== 'POST' || request.caller === null) return
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
      throw new Refusal('validation_failed', 'Idempotency-Key must be 1 to 255 visible characters')
    const { clientId, keyId } = callerOf(request)
    await claimOrReplay(request, reply, { clientId, keyId, key })
  })

  http.addHook('onSend', (request, reply, payload, done) => {
    const claim = claims.get(request)
    if (claim === undefined) done()
    else storeThen(request, reply, payload, claim, done)
  })

  const storeThen = callbackify(storeAnswer)

  async function storeAnswer(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    claim: Claimed,
  ): Promise<void> {
    try {
      if (reply.statusCode >= 500 || typeof payload !== 'string') await forgetKey(db, claim)
      else {
        const body = sealText(keys, payload, answerContext(claim))
        await rememberAnswer(db, claim, { status: reply.statusCode, body })
      }
    } catch (problem) {
      // The request has taken effect, so it is answered all the same; a repetition finds the record
      // by its externalTransactionId.
      request.log.error({ err: problem }, 'an answer could not be remembered')
    }
  }

  async function claimOrReplay(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: Claimed,
  ): Promise<void> {
    const fingerprint = fingerprintOf(request)
    const now = clock.now()
    const times = { now, forgetBefore: after(now, -answersKeptMs), deadBefore: after(now, -deadMs) }
    if (await claimKey(db, owner, fingerprint, times)) {
      claims.set(request, owner)
      return
    }
    const first = await readKey(db, owner)
    if (first !== undefined && !first.fingerprint.equals(fingerprint))
      throw new Refusal(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another request',
      )
    if (first === undefined || first.status === null || first.body === null)
      throw new Refusal(
        'request_in_progress',
        'The first request with this Idempotency-Key is still running',
      )
    reply.code(first.status).header('Idempotent-Replayed', 'true')
    reply.header('Content-Type', 'application/json; charset=utf-8')
    await reply
      .serializer((body: unknown) => String(body))
      .send(openText(keys, first.body, answerContext(owner)))
  }
}

/** Binds an encrypted answer to its client, API key and idempotency key. */
export function answerContext({ clientId, keyId, key }: Claimed): string {
  return `${clientId} ${keyId} ${key}`
}

function fingerprintOf(request: FastifyRequest): Buffer {
  const { method, url, body } = request
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest()
}
