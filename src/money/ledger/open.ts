import type { SecretKey } from '#base/sealing/seal.ts'
import type { DbParts } from '#data/db/db.ts'
import { balanceOf, balancesOf } from './balance.ts'
import { type AccountOrder, openAccount } from './new-client.ts'
import { readBalances } from './store.ts'

interface LedgerParts extends DbParts {
  secretKey: SecretKey
}

/** What can be done with the ledger. Money moves by `post`, inside the caller's transaction. */
export type Ledger = ReturnType<typeof openLedger>

/** Opens the room. */
export function openLedger(parts: LedgerParts) {
  const { db } = parts
  return {
    balanceOf: (clientId: number) => balanceOf(db, clientId),
    balances: (clientId: number) => balancesOf(db, clientId),
    /** Of every client, or of these. */
    balancesOf: (clientIds: number[] | null = null) => readBalances(db, clientIds),
    /** Creates a client with empty accounts, no services, and a webhook secret to be shown once. */
    openAccount: (order: AccountOrder) => openAccount(db, parts, order),
  }
}
