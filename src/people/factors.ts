import type { PeopleContext } from './context.ts'
import { openFactorSafe, plainCode } from './factor-safe.ts'
import { openFactorSetup } from './factor-setup.ts'
import { findFactor, takeRecoveryCode, useStep } from './factor-store.ts'
import { stepOfCode } from './totp.ts'

const quarterMs = 15 * 60_000
// Six digits are guessed in a million tries; only who knows the password gets to try.
const codesPerPerson = 10

export type Factors = ReturnType<typeof openFactors>

/** The second factor: codes of an authenticator app, and recovery codes for a lost phone. */
export function openFactors(context: PeopleContext) {
  const { db, clock, tries } = context
  const safe = openFactorSafe(context)

  /** Whether a code of the app or a recovery code is right; each serves once. */
  async function check(personId: string, code: string): Promise<'right' | 'wrong' | 'too many'> {
    const limit: [string[], number][] = [[['factor', personId], codesPerPerson]]
    if (!(await tries.take(limit, quarterMs))) return 'too many'
    if (!(await isRight(personId, plainCode(code)))) return 'wrong'
    await tries.giveBack(limit, quarterMs)
    return 'right'
  }

  async function isRight(personId: string, code: string): Promise<boolean> {
    const factor = await safe.find(personId)
    if (factor === undefined || factor.confirmedAt === null) return false
    if (!/^\d{6}$/.test(code)) return takeRecoveryCode(db, { personId, hash: safe.hashOf(code) })
    const step = stepOfCode(factor.bytes, code, clock.now())
    return step !== undefined && useStep(db, { ...factor, step })
  }

  return {
    ...openFactorSetup(context, safe),
    check,
    /** Whether the second factor is on, and how many recovery codes are left. */
    stateOf: async (personId: string): Promise<{ isOn: boolean; recoveryCodes: number }> => {
      const factor = await findFactor(db, personId)
      const isOn = factor !== undefined && factor.confirmedAt !== null
      return { isOn, recoveryCodes: isOn ? factor.recoveryCodes : 0 }
    },
  }
}
