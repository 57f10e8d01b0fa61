import { firstIdAt } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'

/** The balance of an account, merchants' accounts of one kind together. */
export interface AccountBalance {
  account: string
  currency: string
  /** Below zero: a debit, such as money that a provider holds for us. */
  balance: number
}

/**
 * The balances of all accounts before a time, by currency. All lines of the ledger are added up,
 * which takes about ten seconds for ten million payments. A posting is of the time that its id
 * begins with.
 */
export function readTrialBalance(db: Db, before: Date): Promise<AccountBalance[]> {
  return longRead(db, async (tx) => {
    await tx`select set_config('enable_seqscan', 'on', true)`
    return tx<AccountBalance>`
      select account, currency, sum(amount)::bigint as balance from ledger_entries
      where posting_id < ${firstIdAt(before)}
      group by account, currency
      order by currency, account`
  })
}
