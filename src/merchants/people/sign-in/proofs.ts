import { createHash } from 'node:crypto'
import { after } from '#base/kit/clock.ts'
import { keysFor, openText, sealText } from '#base/sealing/seal.ts'
import type { PeopleParts } from '../context.ts'
import { findPerson, type Person } from '../store.ts'

interface Proof {
  personId: string
  /** A change of the password ends what the old one has proved. */
  password: string
  until: number
}

const proofMs = 10 * 60_000

/** Sealed texts that say that a person's password was right, for the second step of signing in. */
export function openProofs({ db, clock, secretKey }: PeopleParts) {
  const keys = keysFor(secretKey, 'right passwords')

  function read(sealed: string): Proof | undefined {
    if (!sealed.startsWith('sealed:')) return undefined
    try {
      return JSON.parse(openText(keys, sealed, 'proof')) as Proof
    } catch {
      return undefined
    }
  }

  return {
    make: (person: Person): string => {
      const until = after(clock.now(), proofMs).getTime()
      const proof: Proof = { personId: person.id, password: digestOf(person), until }
      return sealText(keys, JSON.stringify(proof), 'proof')
    },
    /** The person whose password was right a moment ago; undefined: nobody's was. */
    personOf: async (sealed: string): Promise<Person | undefined> => {
      const proof = read(sealed)
      if (proof === undefined || proof.until < clock.now().getTime()) return undefined
      const person = await findPerson(db, proof.personId)
      return person !== undefined && digestOf(person) === proof.password ? person : undefined
    },
  }
}

function digestOf({ passwordHash }: Person): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
}
