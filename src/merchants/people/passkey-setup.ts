import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { PeopleContext } from './context.ts'
import type { FactorSafe } from './factor-safe.ts'
import { newRecoveryCodes } from './factor-setup.ts'
import { deleteUnusedRecoveryCodes, readFactorState, replaceRecoveryCodes } from './factor-store.ts'
import type { Challenges } from './passkey-challenges.ts'
import { optionsForNew, readSigned, siteOf, verifyNew } from './passkey-protocol.ts'
import { deletePasskey, insertPasskey, type Passkey, readPasskeys } from './passkey-store.ts'
import { deleteSessionsOf } from './session-store.ts'
import type { Person } from './store.ts'

const passkeysMax = 20
const nameMax = 60

type Who = Pick<Person, 'id' | 'email' | 'name'>

/** Making, naming and removing passkeys. */
export function openPasskeySetup(
  context: PeopleContext,
  { safe, challenges }: { safe: FactorSafe; challenges: Challenges },
) {
  const { db, clock, publicUrl } = context

  /** What a browser needs to make a passkey; null: none can be made at this address. */
  async function offerNew(person: Who): Promise<object | null> {
    const site = siteOf(publicUrl())
    if (site === undefined) return null
    const challenge = await challenges.make({ isNew: true, personId: person.id })
    return optionsForNew(site, person, { challenge, known: await readPasskeys(db, person.id) })
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
    { id, email }: Who,
    order: { credential: string; name: string; keptSession: string },
  ): Promise<string[] | null> {
    const name = oneLine(toStorable(order.name), nameMax)
    if (name === '')
      throw new Refusal('validation_failed', reason('Give the passkey a name', {}, 'name'))
    const made = await readNew(id, order.credential)
    if (made === undefined)
      throw new Refusal('validation_failed', 'The passkey could not be verified')
    const codes = newRecoveryCodes()
    const at = clock.now()
    return db.transaction(async (tx) => {
      const { isOn, passkeys: max } = await readFactorState(tx, id)
      if (max >= passkeysMax)
        throw new Refusal('conflict', reason('There are {max} passkeys already', { max }))
      if (!(await insertPasskey(tx, { ...made, name, createdAt: at, lastUsedAt: null })))
        throw new Refusal('conflict', 'This passkey is known already')
      const details = { email, name }
      await recordAudit(tx, { at, actor: email, action: 'passkey.add', details })
      if (isOn) return null
      await replaceRecoveryCodes(tx, id, codes.map(safe.hashOf))
      await deleteSessionsOf(tx, id, order.keptSession)
      return codes
    })
  }

  return {
    list: (personId: string) => readPasskeys(db, personId),
    offerNew,
    add,
    /** False: the person has no such passkey. */
    remove: (person: Omit<Who, 'name'>, id: string) => removePasskey(context, person, id),
  }
}

function removePasskey(
  { db, clock }: PeopleContext,
  { id: personId, email }: Omit<Who, 'name'>,
  id: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const name = await deletePasskey(tx, { personId, id })
    if (name === undefined) return false
    await deleteUnusedRecoveryCodes(tx, personId)
    const record = { at: clock.now(), actor: email, action: 'passkey.remove' }
    await recordAudit(tx, { ...record, details: { email, name } })
    return true
  })
}
