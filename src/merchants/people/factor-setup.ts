import { randomText } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import type { PeopleContext } from './context.ts'
import { type FactorSafe, plainCode } from './factor-safe.ts'
import { deleteApp, insertFactor, readFactorState, replaceRecoveryCodes } from './factor-store.ts'
import { deleteSessionsOf } from './session-store.ts'
import type { Person } from './store.ts'
import { base32, newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const recoveryCodeCount = 10

/** What a person sees of the second factor that they are about to switch on. */
export interface OfferedFactor {
  secret: string
  uri: string
  /** The secret as its form carries it. */
  sealed: string
}

type Who = Pick<Person, 'id' | 'email'>

/** Switching the second factor on and off. */
export function openFactorSetup({ db, clock }: PeopleContext, safe: FactorSafe) {
  /** A secret to be put into an app: of this session alone, and not kept before its first code. */
  function offer(email: string, sessionId: string): OfferedFactor {
    const bytes = newTotpSecret()
    return shown(bytes, email, safe.sealOffer(bytes, sessionId))
  }

  /** What was offered to this session before; undefined: nothing such. */
  function offered(email: string, sessionId: string, sealed: string): OfferedFactor | undefined {
    const bytes = safe.openOffer(sealed, sessionId)
    return bytes === undefined ? undefined : shown(bytes, email, sealed)
  }

  /** Switches the second factor on with the first code of the app; returns the recovery codes. */
  async function confirm(
    { id: personId, email }: Who,
    given: { code: string; sealed: string },
    sessionId: string,
  ): Promise<string[]> {
    const bytes = safe.openOffer(given.sealed, sessionId)
    const at = clock.now()
    const step = bytes && stepOfCode(bytes, plainCode(given.code), at)
    if (bytes === undefined || step === undefined) throw wrongCode()
    const codes = newRecoveryCodes()
    await db.transaction(async (tx) => {
      const secret = safe.seal(bytes, personId)
      if (!(await insertFactor(tx, { personId, secret, step, at })))
        throw new Refusal('conflict', 'Two-step verification is already on')
      await replaceRecoveryCodes(tx, personId, codes.map(safe.hashOf))
      // Sessions that began without it end.
      await deleteSessionsOf(tx, personId, sessionId)
      await recordAudit(tx, { at, actor: email, action: 'factor.on', details: { email } })
    })
    return codes
  }

  const change = (
    { id, email }: Who,
    action: string,
    actor: string,
    work: (tx: Tx) => Promise<void>,
  ) =>
    db.transaction(async (tx) => {
      await work(tx)
      await recordAudit(tx, { at: clock.now(), actor, action, details: { email, personId: id } })
    })

  return {
    offer,
    offered,
    confirm,
    /** New recovery codes, instead of all that were left. */
    renewRecoveryCodes: async (person: Who): Promise<string[]> => {
      if (!(await readFactorState(db, person.id)).isOn)
        throw new Refusal('conflict', 'Two-step verification is off')
      const codes = newRecoveryCodes()
      await change(person, 'factor.codes', person.email, (tx) =>
        replaceRecoveryCodes(tx, person.id, codes.map(safe.hashOf)),
      )
      return codes
    },
    switchOff: (person: Who, actor = person.email) =>
      change(person, 'factor.off', actor, (tx) => deleteApp(tx, person.id)),
  }
}

function shown(bytes: Buffer, email: string, sealed: string): OfferedFactor {
  return { secret: base32(bytes), uri: totpUri(bytes, email), sealed }
}

/** Ten letters and digits of base32, 50 random bits: too many for ten tries in 15 minutes. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const text = base32(Buffer.from(randomText(10), 'base64url')).toLowerCase()
    return `${text.slice(0, 5)}-${text.slice(5, 10)}`
  })
}

function wrongCode(): Refusal {
  return new Refusal('validation_failed', reason('The code is wrong', {}, 'code'))
}
