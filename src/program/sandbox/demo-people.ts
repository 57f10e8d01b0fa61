import type { Clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Tx } from '#data/db/db.ts'
import { insertPerson, type Person, upsertMembership } from '#merchants/people/store.ts'

// Argon2id of public passwords, computed once and cheaply: they protect nothing.
const hashes = {
  demo:
    '$argon2id$v=19$m=1024,t=1,p=1$cGFzc2VyZWxsZSBkZW1vIA$' +
    'ePp1uLRSGf44e508mzJgvCEFE0t7kF9v1dkZgT+9CLQ',
  ops:
    '$argon2id$v=19$m=1024,t=1,p=1$cGFzc2VyZWxsZSBvcHMgIA$' +
    'Z+E/MrL3lzQbLsOuxZZOIGzPpi/WFhImGejaeIBgsKs',
}

/** The demo logins of the dashboard, which exist in sandboxes only. */
export const demoLogins = [
  { email: 'demo@passerelle.test', password: 'demo', of: 'Boutique Démo' },
  { email: 'temoin@passerelle.test', password: 'demo', of: 'Marché Témoin' },
  { email: 'ops@passerelle.test', password: 'ops', of: null },
] as const

const names: Record<string, string> = {
  demo: 'Awa Démo',
  temoin: 'Moussa Témoin',
  ops: 'Opératrice',
}

/** Creates the demo people: an owner of each demo merchant, and an operator. */
export async function createDemoPeople(
  tx: Tx,
  clock: Clock,
  clientIds: Map<string, number>,
): Promise<void> {
  for (const { email, password, of } of demoLogins) {
    const createdAt = clock.now()
    const person: Person = {
      id: newId(createdAt),
      email,
      name: names[email.split('@')[0] ?? ''] ?? email,
      passwordHash: hashes[password],
      language: 'fr',
      operatorRole: of === null ? 'operator' : null,
      isDemo: true,
      createdAt,
    }
    await insertPerson(tx, person)
    const clientId = clientIds.get(of ?? '')
    if (clientId !== undefined)
      await upsertMembership(tx, { personId: person.id, clientId, role: 'owner', createdAt })
  }
}
