import { randomBytes } from 'node:crypto'
import { openLog } from '#base/log/log.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { openPeople } from '#merchants/people/open.ts'
import type { OperatorRole, Role } from '#merchants/people/rights.ts'
import { testClock } from './clock.ts'
import { testDatabase } from './database.ts'

export const testOrigin = { address: '127.0.0.1', network: '127.0.0.1', agent: 'test' }

/** The room of people on a database of its own, without a gateway, at a time that stands still. */
export async function testPeople() {
  const { db } = await testDatabase()
  const clock = testClock()
  const people = openPeople({
    db,
    clock,
    log: openLog('silent'),
    secretKey: randomBytes(32),
    publicUrl: () => 'https://pay.example',
    hasSmtp: true,
  })
  const add = async (
    email: string,
    rest: {
      password?: string
      operatorRole?: OperatorRole
      membership?: { clientId: number; role: Role }
    },
  ) => {
    const order = { password: null, operatorRole: null, membership: null, ...rest }
    const named = {
      email,
      name: 'Awa',
      language: 'fr',
      needsSecondPerson: false,
      actor: 'test',
    } as const
    return people.users.add({ ...order, ...named })
  }
  return {
    db,
    clock,
    people,
    /** A person; without a password also the code with which they choose one. */
    add,
    addClient: (name: string) =>
      db.transaction((tx) => createClient(tx, { clock }, { name, actor: 'test' })),
    /** The values of a person's cookies; the person has no second factor. */
    signIn: async (email: string, password: string, device?: string) => {
      const result = await people.signIn({ email, password, device, ...testOrigin })
      if (result.kind !== 'in') throw new Error(`${email} is not in: ${result.kind}`)
      return result
    },
  }
}
