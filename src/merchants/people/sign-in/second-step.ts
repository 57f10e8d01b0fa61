import type { Factors } from '../factors/factors.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import type { Origin } from '../sessions/sessions.ts'
import type { In, SignIn } from './sign-in.ts'

interface Parts {
  signIn: SignIn
  factors: Factors
  passkeys: Passkeys
}

type Refused = { kind: 'wrong' } | { kind: 'too many' } | { kind: 'over' }

/** The second step of signing in, after the password: with a code or a passkey. */
export function openSecondStep({ signIn, factors, passkeys }: Parts) {
  const { proofs, begin, refuse } = signIn
  return {
    /** What the step can be: a code, and what a browser needs to use a passkey. */
    offer: async (
      proof: string,
    ): Promise<{ hasApp: boolean; passkey: object | null } | undefined> => {
      const person = await proofs.personOf(proof)
      if (person === undefined) return undefined
      const { hasApp } = await factors.stateOf(person.id)
      return { hasApp, passkey: await passkeys.offerUse(person.id) }
    },
    /** 'over': the first step is to be done again. */
    take: async (
      order: Origin & { proof: string; code: string; credential: string },
    ): Promise<In | Refused> => {
      const { proof, code, credential, ...origin } = order
      const person = await proofs.personOf(proof)
      if (person === undefined) return { kind: 'over' }
      if (credential !== '') {
        const signer = await passkeys.check({ credential, personId: person.id })
        return signer === undefined ? refuse(person, 'passkey') : begin({ person, ...origin })
      }
      const result = await factors.check({ personId: person.id, code })
      if (result === 'wrong') return refuse(person, 'code')
      return result === 'right' ? begin({ person, ...origin }) : { kind: result }
    },
  }
}
