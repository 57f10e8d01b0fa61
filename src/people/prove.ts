import { Refusal } from '../catalog/refusal.ts'
import type { PeopleContext } from './context.ts'
import type { Factors } from './factors.ts'
import type { openOwnPassword } from './own-password.ts'
import type { OpsAction } from './rights.ts'
import { may } from './rights.ts'
import type { Person } from './store.ts'
import { findPersonByEmail } from './store.ts'

interface Proof {
  email: string
  password: string
  /** Of the second factor; empty: none was given. */
  code: string
}

type CheckPassword = ReturnType<typeof openOwnPassword>['checkPassword']

/** Proving who one is without a session, as on the command line. */
export function openProving(
  { db }: PeopleContext,
  { checkPassword, factors }: { checkPassword: CheckPassword; factors: Factors },
) {
  return {
    /** An operator who may do something, by their password and the code of a second factor. */
    proveOperator: async (action: OpsAction, proof: Proof): Promise<Person> => {
      const { email, password, code } = proof
      const person = await findPersonByEmail(db, email)
      const place = { network: 'command line', device: undefined }
      if (
        person === undefined ||
        person.operatorRole === null ||
        !may(person.operatorRole, action) ||
        !(await checkPassword(person.id, password, place))
      )
        throw new Refusal('conflict', 'This is not an operator who may do this and their password')
      const { isOn } = await factors.stateOf(person.id)
      if (isOn && (await factors.check(person.id, code)) !== 'right')
        throw new Refusal('conflict', 'The code of the second factor is missing or wrong')
      return person
    },
  }
}
