import { toStorable } from '#data/db/storable-text.ts'
import type { PeopleContext } from '../context.ts'
import type { Challenges } from './challenges.ts'
import { optionsForUse, readSigned, siteOf, verifyUse } from './protocol.ts'
import { findPasskey, readPasskeys, usePasskey } from './store.ts'

const quarterMs = 15 * 60_000
// Each challenge is a row until it expires; a town behind one address has many who sign in.
const challengesPerNetwork = 200

export type Passkeys = ReturnType<typeof openPasskeys>

/**
 * Passkeys: keys of a device, which unlocks them by a finger, a face or a PIN. Each is a second
 * factor, and by itself enough to sign in: having the device is one proof, unlocking it another.
 */
export function openPasskeys(
  { db, clock, tries, publicUrl }: PeopleContext,
  challenges: Challenges,
) {
  /** What a browser needs to sign in: as one person, or (null) as whoever has a passkey. */
  async function offerUse(personId: string | null): Promise<object | null> {
    const site = siteOf(publicUrl())
    if (site === undefined) return null
    const known = personId === null ? [] : await readPasskeys(db, personId)
    if (personId !== null && known.length === 0) return null
    const challenge = await challenges.make({ isNew: false, personId })
    return optionsForUse(site, { challenge, known })
  }

  /** The id of the person whose passkey has signed; undefined: it is wrong, or came too late. */
  async function check({
    credential,
    personId,
  }: {
    credential: string
    personId: string | null
  }): Promise<string | undefined> {
    const site = siteOf(publicUrl())
    const signed = readSigned(credential)
    if (site === undefined || signed === undefined) return undefined
    const challenge = await challenges.take(signed, { isNew: false, personId })
    const passkey = await findPasskey(db, toStorable(signed.id))
    if (challenge === undefined || passkey === undefined) return undefined
    if (personId !== null && passkey.personId !== personId) return undefined
    const counter = await verifyUse(signed, { ...site, challenge, passkey })
    if (counter === undefined) return undefined
    const { id, counter: before } = passkey
    const isUsed = await usePasskey(db, { id, before, counter, now: clock.now() })
    return isUsed ? passkey.personId : undefined
  }

  return {
    /** Whether browsers allow passkeys at the public address. */
    isOffered: () => siteOf(publicUrl()) !== undefined,
    offerUse,
    check,
    /** As `offerUse` for whoever has a passkey; null too when a network asks too often. */
    offerSignIn: async (network: string): Promise<object | null> => {
      const limit: [string[], number][] = [[['passkey challenges', network], challengesPerNetwork]]
      return (await tries.take(limit, quarterMs)) === undefined ? null : offerUse(null)
    },
  }
}
