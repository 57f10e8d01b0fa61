import { Refusal, reason } from '#base/kit/refusal.ts'
import type { PeopleParts } from '../context.ts'
import type { Factors } from '../factors/factors.ts'
import type { OwnPassword } from '../passwords/own.ts'
import { type Action, type AnyRole, may, type OpsAction } from '../rights.ts'
import { findPersonByEmail, type Person, readClientsOf } from '../store.ts'

/** What somebody gives to show who they are. */
export interface Proof {
  email: string
  password: string
  /** Of the second factor; empty: none was given. */
  code: string
}

/** Proving who one is without a session, as on the command line. */
export function openProving(
  { db }: PeopleParts,
  { ownPassword, factors }: { ownPassword: OwnPassword; factors: Factors },
) {
  /** Undefined: it is nobody who may do this in their role, or not their password. */
  async function prove(
    { email, password, code }: Proof,
    action: Action,
    roleOf: (person: Person) => Promise<AnyRole | null>,
  ): Promise<Person | undefined> {
    const person = await findPersonByEmail(db, email.trim())
    const role = person === undefined ? null : await roleOf(person)
    if (person === undefined || role === null || !may(role, action)) return undefined
    const given = { personId: person.id, password, network: 'command line', device: undefined }
    if (!(await ownPassword.check(given))) return undefined
    const { isOn } = await factors.stateOf(person.id)
    if (isOn && (await factors.check({ personId: person.id, code })) !== 'right')
      throw new Refusal('conflict', 'The code of two-step verification is missing or wrong')
    return person
  }

  return {
    /** An operator who may do something, by their password and the code of a second factor. */
    proveOperator: async ({ action, ...proof }: Proof & { action: OpsAction }): Promise<Person> => {
      const person = await prove(proof, action, async ({ operatorRole }) => operatorRole)
      if (person !== undefined) return person
      throw new Refusal(
        'conflict',
        'This operator is not allowed to do this, or the password is wrong',
      )
    },
    /** The same for a person of a client. */
    proveMember: async (order: Proof & { clientId: number; action: Action }): Promise<Person> => {
      const { clientId, action, ...proof } = order
      const roleOf = async ({ id }: Person) =>
        (await readClientsOf(db, id)).find((one) => one.clientId === clientId)?.role ?? null
      const person = await prove(proof, action, roleOf)
      if (person !== undefined) return person
      throw new Refusal(
        'conflict',
        reason('{email} is not allowed to do this for this client, or the password is wrong', {
          email: proof.email,
        }),
      )
    },
  }
}
