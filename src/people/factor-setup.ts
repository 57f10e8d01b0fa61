import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/db.ts'
import { randomText } from '../kit/ids.ts'
import type { PeopleContext } from './context.ts'
import type { FactorSafe } from './factor-safe.ts'
import { plainCode } from './factor-safe.ts'
import {
  confirmFactor,
  deleteApp,
  offerFactor,
  readFactorState,
  replaceRecoveryCodes,
  useStep,
} from './factor-store.ts'
import { deleteSessionsOf } from './session-store.ts'
import type { Person } from './store.ts'
import { base32, newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const recoveryCodeCount = 10

/** What a person sees of the second factor that they are about to switch on. */
export interface OfferedFactor {
  secret: string
  uri: string
}

type Who = Pick<Person, 'id' | 'email'>

/** Switching the second factor on and off. */
export function openFactorSetup({ db, clock }: PeopleContext, safe: FactorSafe) {
  /** The secret to be put into an app; the same until its first code is shown. */
  async function offer({ id: personId, email }: Who): Promise<OfferedFactor> {
    const known = await safe.find(personId)
    if (known?.confirmedAt === null) return shown(known.bytes, email)
    const bytes = newTotpSecret()
    const secret = safe.seal(bytes, personId)
    if (!(await db.transaction((tx) => offerFactor(tx, { personId, secret }))))
      throw new Refusal('conflict', 'The second factor is on already')
    return shown(bytes, email)
  }

  /** Switches the second factor on with the first code of the app; returns the recovery codes. */
  async function confirm(person: Who, code: string, keptSession: string): Promise<string[]> {
    const { id: personId, email } = person
    const factor = await safe.find(personId)
    if (factor === undefined || factor.confirmedAt !== null)
      throw new Refusal('conflict', 'The second factor is on already')
    const at = clock.now()
    const step = stepOfCode(factor.bytes, plainCode(code), at)
    if (step === undefined) throw wrongCode()
    const codes = newRecoveryCodes()
    await db.transaction(async (tx) => {
      if (!(await useStep(tx, { ...factor, step }))) throw wrongCode()
      await confirmFactor(tx, personId, at)
      await replaceRecoveryCodes(tx, personId, codes.map(safe.hashOf))
      // Sessions that began without it end.
      await deleteSessionsOf(tx, personId, keptSession)
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
    confirm,
    /** New recovery codes, instead of all that were left. */
    renewRecoveryCodes: async (person: Who): Promise<string[]> => {
      if (!(await readFactorState(db, person.id)).isOn)
        throw new Refusal('conflict', 'The second factor is off')
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

function shown(bytes: Buffer, email: string): OfferedFactor {
  return { secret: base32(bytes), uri: totpUri(bytes, email) }
}

/** Ten letters and digits of base32, 50 random bits: too many for ten tries in 15 minutes. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const text = base32(Buffer.from(randomText(10), 'base64url')).toLowerCase()
    return `${text.slice(0, 5)}-${text.slice(5, 10)}`
  })
}

function wrongCode(): Refusal {
  return new Refusal('validation_failed', reason('This code is not right', {}, 'code'))
}
