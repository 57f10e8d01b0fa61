import type { Db } from '#data/db/db.ts'
import { balanceOf, balancesOf } from './balance.ts'

/** What requests ask of the ledger. Money moves by `post`, inside the caller's transaction. */
export type Ledger = ReturnType<typeof openLedger>

/** Opens the room. */
export function openLedger({ db }: { db: Db }) {
  return {
    balanceOf: (clientId: number) => balanceOf(db, clientId),
    balances: (clientId: number) => balancesOf(db, clientId),
  }
}
