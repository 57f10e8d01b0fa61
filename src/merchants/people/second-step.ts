import type { Factors } from './factors.ts'
import type { Passkeys } from './passkeys.ts'
import type { Proofs } from './proofs.ts'
import type { Origin } from './sessions.ts'
import type { In } from './sign-in.ts'
import type { Person } from './store.ts'

interface Parts {
  factors: Factors
  passkeys: Passkeys
  proofs: Proofs
  begin(person: Person, origin: Origin): Promise<In>
  refuse(person: Person, step: 'code' | 'passkey'): { kind: 'wrong' }
}

type Refused = { kind: 'wrong' } | { kind: 'too many' } | { kind: 'over' }

/** The second step of signing in, after the password: with a code or a passkey. */
export function openSecondStep({ factors, passkeys, proofs, begin, refuse }: Parts) {
  return {
    /** What the step can be: a code, and what a browser needs to use a passkey. */
    offerSecondStep: async (
      proof: string,
    ): Promise<{ hasApp: boolean; passkey: object | null } | undefined> => {
      const person = await proofs.personOf(proof)
      if (person === undefined) return undefined
      const { hasApp } = await factors.stateOf(person.id)
      return { hasApp, passkey: await passkeys.offerUse(person.id) }
    },
    /** 'over': the first step is to be done again. */
    takeSecondStep: async (
      proof: string,
      given: { code: string; credential: string },
      origin: Origin,
    ): Promise<In | Refused> => {
      const person = await proofs.personOf(proof)
      if (person === undefined) return { kind: 'over' }
      if (given.credential !== '') {
        const isRight = (await passkeys.check(given.credential, person.id)) !== undefined
        return isRight ? begin(person, origin) : refuse(person, 'passkey')
      }
      const result = await factors.check(person.id, given.code)
      if (result === 'wrong') return refuse(person, 'code')
      return result === 'right' ? begin(person, origin) : { kind: result }
    },
  }
}
