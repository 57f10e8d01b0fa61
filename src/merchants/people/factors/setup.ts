import { randomText } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import type { PeopleParts } from '../context.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { type FactorSafe, plainCode } from './safe.ts'
import { deleteApp, insertFactor, readFactorState, replaceRecoveryCodes } from './store.ts'
import { base32, newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const recoveryCodeCount = 10

/** What a person sees of the second factor that they are about to switch on. */
export interface OfferedFactor {
  secret: string
  uri: string
  /** The secret as its form carries it. */
  sealed: string
}

/** Whose factor it is: the session that sets it up, and the address that apps show. */
interface Offer {
  email: string
  sessionId: string
}

/** A person who changes their own second factor. */
interface Whose {
  personId: string
  /** Their mail address. */
  actor: string
}

/** Switching the second factor on and off. */
export function openFactorSetup({ db, clock }: PeopleParts, safe: FactorSafe) {
  /** A secret to be put into an app: of this session alone, and not kept before its first code. */
  function offer({ email, sessionId }: Offer): OfferedFactor {
    const bytes = newTotpSecret()
    return shown(bytes, email, safe.sealOffer(bytes, sessionId))
  }

  /** What was offered to this session before; undefined: nothing such. */
  function offered({
    email,
    sessionId,
    sealed,
  }: Offer & { sealed: string }): OfferedFactor | undefined {
    const bytes = safe.openOffer(sealed, sessionId)
    return bytes === undefined ? undefined : shown(bytes, email, sealed)
  }

  /** Switches the second factor on with the first code of the app; returns the recovery codes. */
  async function confirm(
    order: Whose & { code: string; sealed: string; sessionId: string },
  ): Promise<string[]> {
    const { personId, sessionId, actor } = order
    const bytes = safe.openOffer(order.sealed, sessionId)
    const at = clock.now()
    const step = bytes && stepOfCode(bytes, plainCode(order.code), at)
    if (bytes === undefined || step === undefined) throw wrongCode()
    const codes = newRecoveryCodes()
    await db.transaction(async (tx) => {
      const secret = safe.seal(bytes, personId)
      if (!(await insertFactor(tx, { personId, secret, step, at })))
        throw new Refusal('conflict', 'Two-step verification is already on')
      await replaceRecoveryCodes(tx, personId, codes.map(safe.hashOf))
      // Sessions that began without it end.
      await deleteSessionsOf(tx, { personId, except: sessionId })
      await recordAudit(tx, { at, actor, action: 'factor.on', details: { email: actor } })
    })
    return codes
  }

  const change = ({ personId, actor }: Whose, action: string, work: (tx: Tx) => Promise<void>) =>
    db.transaction(async (tx) => {
      await work(tx)
      const details = { email: actor, personId }
      await recordAudit(tx, { at: clock.now(), actor, action, details })
    })

  return {
    offer,
    offered,
    confirm,
    /** New recovery codes, instead of all that were left. */
    renewRecoveryCodes: async (order: Whose): Promise<string[]> => {
      if (!(await readFactorState(db, order.personId)).isOn)
        throw new Refusal('conflict', 'Two-step verification is off')
      const codes = newRecoveryCodes()
      await change(order, 'factor.codes', (tx) =>
        replaceRecoveryCodes(tx, order.personId, codes.map(safe.hashOf)),
      )
      return codes
    },
    switchOff: (order: Whose) => change(order, 'factor.off', (tx) => deleteApp(tx, order.personId)),
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
  return new Refusal('validation_failed', reason('Incorrect code', {}, 'code'))
}
