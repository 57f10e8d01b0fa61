import { Refusal } from '../catalog/refusal.ts'
import type { PeopleContext } from './context.ts'
import type { Factors } from './factors.ts'
import type { openOwnPassword } from './own-password.ts'
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
    /** The operator whose password, and code where a second factor is on, these are. */
    proveOperator: async ({ email, password, code }: Proof): Promise<Person> => {
      const person = await findPersonByEmail(db, email)
      const place = { network: 'command line', device: undefined }
      if (
        person === undefined ||
        person.operatorRole === null ||
        !(await checkPassword(person.id, password, place))
      )
        throw new Refusal('conflict', 'This is not an operator and their password')
      const { isOn } = await factors.stateOf(person.id)
      if (isOn && (await factors.check(person.id, code)) !== 'right')
        throw new Refusal('conflict', 'The code of the second factor is missing or wrong')
      return person
    },
  }
}
