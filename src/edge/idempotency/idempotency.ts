import { createHash } from 'node:crypto'
import { callbackify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import { keysFor, openText, type SecretKey, sealText } from '#base/sealing/seal.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Making } from '#data/db/making.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { type Claimed, openClaims } from './claims.ts'
import type { Owner } from './store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of each POST under /api/: what a repetition gets whose first answer was not stored. */
    repetition?: Repetition
  }
}

/** How a POST with an `Idempotency-Key` is repeated. */
export interface Repetition {
  /** The id of the record that the request makes. */
  newId(now: Date): string
  /** The answer, from what the first request did; undefined: it did nothing, and is done now. */
  answer(request: FastifyRequest, reply: FastifyReply, recordId: string): Promise<unknown>
}

/** Of a POST that changes nothing: it is done again. */
export const doneAgain: Repetition = { newId, answer: async () => undefined }

interface IdempotencyParts extends DbParts {
  log: Log
  secretKey: SecretKey
}

export const answerPurpose = 'remembered answers'

const claims = new WeakMap<FastifyRequest, Claimed>()

/** The record that a request with an `Idempotency-Key` makes; undefined: it has no such key. */
export function makingOf(request: FastifyRequest): Making | undefined {
  return claims.get(request)?.making
}

/** Whether a request was begun before, and nobody knows how far that came. */
export function isRepetition(request: FastifyRequest): boolean {
  return claims.get(request)?.isRepetition ?? false
}

/**
 * Makes every POST with an `Idempotency-Key` header repeatable. The key belongs to the record that
 * the request makes: the same request gets the stored first answer, or, where none was stored, one
 * made from the record; another request with the same key is refused, and so is a repetition while
 * the first request is in progress.
 */
export function addIdempotency(http: Http, { secretKey, ...parts }: IdempotencyParts): void {
  // Stored answers are encrypted: they can contain recharge codes.
  const keys = keysFor(secretKey, answerPurpose)
  const claimed = openClaims(parts)
  http.addHook('onClose', async () => claimed.close())

  http.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key === undefined || request.method !== 'POST' || request.caller === null) return
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
      throw new Refusal('validation_failed', 'Idempotency-Key must be 1 to 255 visible characters')
    const { clientId, keyId } = callerOf(request)
    const owner = { clientId, keyId, key }
    const { repetition = doneAgain } = request.routeOptions.config
    const fingerprint = fingerprintOf(request)
    const found = await claimed.claim({ ...owner, fingerprint }, repetition.newId)
    if (!('making' in found))
      return replay(reply, found.status, openText(keys, found.body, answerContext(owner)))
    claims.set(request, found)
    if (!found.isRepetition) return
    const answer = await repetition.answer(request, reply, found.making.id)
    if (answer !== undefined) await reply.header('Idempotent-Replayed', 'true').send(answer)
  })

  http.addHook('onSend', (request, reply, payload, done) => {
    const claim = claims.get(request)
    if (claim === undefined) done()
    else storeThen(request, reply, payload, claim, done)
  })

  const storeThen = callbackify(storeAnswer)

  async function storeAnswer(
    request: FastifyRequest,
    { statusCode: status }: FastifyReply,
    payload: unknown,
    claim: Claimed,
  ): Promise<void> {
    claims.delete(request)
    // A 5xx leaves open what was recorded: a repetition finds it out.
    const isAnswer = status < 500 && typeof payload === 'string'
    const answer = isAnswer ? { status, body: sealText(keys, payload, answerContext(claim)) } : null
    await claimed.end(claim, answer).catch((problem: unknown) =>
      // The request has taken effect, so it is answered all the same; the answer to a repetition is
      // made from the record.
      request.log.error({ err: problem }, 'an answer could not be stored'),
    )
  }
}

async function replay(reply: FastifyReply, status: number, text: string): Promise<void> {
  reply.code(status).header('Idempotent-Replayed', 'true')
  reply.header('Content-Type', 'application/json; charset=utf-8')
  await reply.serializer((body: unknown) => String(body)).send(text)
}

/** Binds an encrypted answer to its client, API key and idempotency key. */
export function answerContext({ clientId, keyId, key }: Owner): string {
  return `${clientId} ${keyId} ${key}`
}

function fingerprintOf(request: FastifyRequest): Buffer {
  const { method, url, body } = request
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest()
}
