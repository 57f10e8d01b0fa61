import type { PeopleContext } from '../context.ts'
import { type FactorSafe, plainCode } from './safe.ts'
import { readFactorState, takeRecoveryCode, useStep } from './store.ts'
import { stepOfCode } from './totp.ts'

const quarterMs = 15 * 60_000
// Six digits are guessed in a million tries; only who knows the password gets to try.
const codesPerPerson = 10

export type Factors = ReturnType<typeof openFactors>

/** Codes of an authenticator app, and recovery codes for a lost phone. */
export function openFactors({ db, clock, tries }: PeopleContext, safe: FactorSafe) {
  /** Whether a code of the app or a recovery code is right; each works once. */
  async function check({
    personId,
    code,
  }: {
    personId: string
    code: string
  }): Promise<'right' | 'wrong' | 'too many'> {
    const limit: [string[], number][] = [[['factor', personId], codesPerPerson]]
    const taken = await tries.take(limit, quarterMs)
    if (taken === undefined) return 'too many'
    if (!(await isRight(personId, plainCode(code)))) return 'wrong'
    await taken.giveBack()
    return 'right'
  }

  async function isRight(personId: string, code: string): Promise<boolean> {
    if (!/^\d{6}$/.test(code)) return takeRecoveryCode(db, { personId, hash: safe.hashOf(code) })
    const factor = await safe.find(personId)
    if (factor === undefined || factor.confirmedAt === null) return false
    const step = stepOfCode(factor.bytes, code, clock.now())
    return step !== undefined && useStep(db, { ...factor, step })
  }

  return {
    check,
    /** Which second factors are on, and how many recovery codes are left. */
    stateOf: (personId: string) => readFactorState(db, personId),
  }
}
