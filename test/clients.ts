import type { Clock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { settle } from '#money/ledger/settlement.ts'
import { insertAccounts } from '#money/ledger/store.ts'

let clients = 0

/** A new client with open accounts and, if wanted, money to spend. */
export function newClient(db: Db, clock: Clock, funds = 0): Promise<number> {
  clients += 1
  const name = `Client ${clients}`
  return db.transaction(async (tx) => {
    const now = clock.now()
    const clientId = await createClient(tx, { clock }, { name, actor: 'test' })
    await insertAccounts(tx, clientId, now)
    if (funds > 0) await settle(tx, { clientId, amount: funds, ref: 'funds', now, actor: 'test' })
    return clientId
  })
}
