import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { PeopleParts } from '../context.ts'
import type { FactorSafe } from '../factors/safe.ts'
import { newRecoveryCodes } from '../factors/setup.ts'
import {
  deleteUnusedRecoveryCodes,
  readFactorState,
  replaceRecoveryCodes,
} from '../factors/store.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import type { Challenges } from './challenges.ts'
import { type Named, optionsForNew, readSigned, siteOf, verifyNew } from './protocol.ts'
import { deletePasskey, insertPasskey, type Passkey, readPasskeys } from './store.ts'

const passkeysMax = 20
const nameMax = 60

/** A person who changes their own passkeys. */
interface Whose {
  personId: string
  /** Their mail address. */
  actor: string
}

/** Making, naming and removing passkeys. */
export function openPasskeySetup(
  context: PeopleParts,
  { safe, challenges }: { safe: FactorSafe; challenges: Challenges },
) {
  const { db, clock, publicUrl } = context

  /** What a browser needs to make a passkey; null: none can be made at this address. */
  async function offerNew(person: Named): Promise<object | null> {
    const site = siteOf(publicUrl())
    if (site === undefined) return null
    const challenge = await challenges.make({ isNew: true, personId: person.personId })
    const known = await readPasskeys(db, person.personId)
    return optionsForNew(site, person, { challenge, known })
  }

  /** A passkey as a device has made it just now; undefined: it cannot be verified. */
  async function readNew(
    personId: string,
    credential: string,
  ): Promise<Omit<Passkey, 'name' | 'createdAt' | 'lastUsedAt'> | undefined> {
    const site = siteOf(publicUrl())
    const signed = readSigned(credential)
    if (site === undefined || signed === undefined) return undefined
    const challenge = await challenges.take(signed, { isNew: true, personId })
    if (challenge === undefined) return undefined
    const found = await verifyNew(signed, { ...site, challenge })
    if (found === undefined) return undefined
    const { id, publicKey, counter, transports = [] } = found
    return { id, personId, publicKey: Buffer.from(publicKey), counter, transports }
  }

  /**
   * Adds a passkey that a device has made. Returns new recovery codes if it is the first second
   * factor of the person: sessions that began without one end then.
   */
  async function add(
    order: Whose & { credential: string; name: string; keptSession: string },
  ): Promise<string[] | null> {
    const { personId, actor } = order
    const name = oneLine(toStorable(order.name), nameMax)
    if (name === '')
      throw new Refusal('validation_failed', reason('Give the passkey a name', {}, 'name'))
    const made = await readNew(personId, order.credential)
    if (made === undefined)
      throw new Refusal('validation_failed', 'The passkey could not be verified')
    const codes = newRecoveryCodes()
    const at = clock.now()
    return db.transaction(async (tx) => {
      const { isOn, passkeys: max } = await readFactorState(tx, personId)
      if (max >= passkeysMax)
        throw new Refusal('conflict', reason('You already have {max} passkeys', { max }))
      if (!(await insertPasskey(tx, { ...made, name, createdAt: at, lastUsedAt: null })))
        throw new Refusal('conflict', 'This passkey is already registered')
      const details = { email: actor, name }
      await recordAudit(tx, { at, actor, action: 'passkey.add', details })
      if (isOn) return null
      await replaceRecoveryCodes(tx, personId, codes.map(safe.hashOf))
      await deleteSessionsOf(tx, { personId, except: order.keptSession })
      return codes
    })
  }

  return {
    list: (personId: string) => readPasskeys(db, personId),
    offerNew,
    add,
    /** False: the person has no such passkey. */
    remove: (order: Whose & { id: string }) => removePasskey(context, order),
  }
}

function removePasskey(
  { db, clock }: PeopleParts,
  { personId, id, actor }: Whose & { id: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const name = await deletePasskey(tx, { personId, id })
    if (name === undefined) return false
    await deleteUnusedRecoveryCodes(tx, personId)
    const record = { at: clock.now(), actor, action: 'passkey.remove' }
    await recordAudit(tx, { ...record, details: { email: actor, name } })
    return true
  })
}
