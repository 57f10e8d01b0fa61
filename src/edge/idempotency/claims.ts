import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Making } from '#data/db/making.ts'
import {
  type Answer,
  type Claim,
  claimKey,
  forgetIfOld,
  holdClaim,
  type Owner,
  readKey,
  rememberAnswer,
  setClaimEnds,
  takeOver,
} from './store.ts'

/** How long an answer is replayed, and longer while the record is open. */
export const answersKeptMs = 72 * 3_600_000
/** How long a claim holds without a sign of life of its process. */
const claimMs = 5000
const signOfLifeMs = 1000

/** A request with a key: the same one has the same fingerprint. */
export interface Keyed extends Owner {
  fingerprint: Buffer
}

/** A request that this process carries out, and the record that it makes. */
export interface Claimed extends Keyed, Claim {
  making: Making
  /** Whether somebody carried it out before, and may have made the record. */
  isRepetition: boolean
  since: Date
}

/**
 * Who carries out requests with a key. The id of a request's record is decided with its first
 * claim. A process keeps its claims by signs of life; of one that died or stands still they are
 * taken over, and then it makes no record and stores no answer any more.
 */
export function openClaims({ db, clock, log }: DbParts & { log: Log }) {
  const running = new Map<string, Claimed>()
  let isGivingSign = false
  const signsOfLife = setInterval(() => void giveSign(), signOfLifeMs).unref()

  /** Claims a request, or returns its stored answer; refuses while it is carried out elsewhere. */
  async function claim(one: Keyed, makeId: (now: Date) => string): Promise<Claimed | Answer> {
    const here = running.get(nameOf(one))
    if (here !== undefined) throw refusalOf(here, one)
    const now = clock.now()
    const claiming = { ...one, claim: newId(now), recordId: makeId(now), now }
    const until = after(now, claimMs)
    if (await claimKey(db, { ...claiming, until })) return begin(claiming, claiming.recordId, false)
    const first = await readKey(db, one)
    const forgetBefore = after(now, -answersKeptMs)
    if (
      first === undefined ||
      (first.createdAt < forgetBefore && (await forgetIfOld(db, one, forgetBefore)))
    )
      return claim(one, makeId)
    if (!first.fingerprint.equals(one.fingerprint)) throw refusalOf(first, one)
    const { status, body } = first
    if (status !== null && body !== null) return { status, body }
    const recordId =
      first.claimedUntil > now ? undefined : await takeOver(db, { ...claiming, until }, first.claim)
    if (recordId === undefined) throw refusalOf(first, one)
    return begin(claiming, recordId, true)
  }

  function begin(
    { now, ...one }: Keyed & Claim & { now: Date },
    recordId: string,
    isRepetition: boolean,
  ): Claimed {
    const making: Making = {
      id: recordId,
      hold: async (tx) => {
        if (!(await holdClaim(tx, one))) throw inProgress()
      },
    }
    const claimed = { ...one, making, isRepetition, since: now }
    running.set(nameOf(one), claimed)
    return claimed
  }

  /** Ends the work on a request. Its answer is stored, unless another has taken it over. */
  async function end(one: Claimed, answer: Answer | null): Promise<void> {
    try {
      if (answer === null) await setClaimEnds(db, [one], clock.now())
      else await rememberAnswer(db, one, answer)
    } finally {
      running.delete(nameOf(one))
    }
  }

  async function giveSign(): Promise<void> {
    const now = clock.now()
    const young = after(now, -signOfLifeMs)
    const old = [...running.values()].filter(({ since }) => since <= young)
    if (old.length === 0 || isGivingSign) return
    isGivingSign = true
    await setClaimEnds(db, old, after(now, claimMs)).catch((problem: unknown) =>
      log.warn({ err: problem }, 'claims of requests could not be renewed'),
    )
    isGivingSign = false
  }

  return { claim, end, close: () => clearInterval(signsOfLife) }
}

function nameOf({ clientId, keyId, key }: Owner): string {
  return `${clientId} ${keyId} ${key}`
}

/** Why a repetition is refused while the first request is carried out. */
function refusalOf(first: { fingerprint: Buffer }, again: Keyed): Refusal {
  if (first.fingerprint.equals(again.fingerprint)) return inProgress()
  return new Refusal('idempotency_key_reused', 'This Idempotency-Key was used with another request')
}

function inProgress(): Refusal {
  return new Refusal(
    'request_in_progress',
    'The first request with this Idempotency-Key is still running',
  )
}
