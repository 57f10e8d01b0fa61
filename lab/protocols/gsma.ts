import type { BillerRecords } from '../biller-records.ts'
import type { OrderBook } from '../order.ts'
import type { Protocol } from '../router.ts'
import { gsmaAccounts } from './gsma-accounts.ts'
import { gsmaAuthorisationCodes } from './gsma-authorisation-codes.ts'
import { gsmaBatches } from './gsma-batches.ts'
import { gsmaBills } from './gsma-bills.ts'
import { invalid, notFound } from './gsma-errors.ts'
import { openOtherRequests } from './gsma-requests.ts'
import { gsmaTransactions } from './gsma-transactions.ts'

/** The GSMA Mobile Money API: payments, disbursements, reversals, batches, accounts and bills. */
export function gsma(book: OrderBook, billers: BillerRecords): Protocol {
  const requests = openOtherRequests(book)
  return {
    malformed: () => invalid('body'),
    unknownPath: () => notFound(),
    routes: {
      ...gsmaTransactions(book),
      ...requests.routes,
      'GET /heartbeat': () => ({ status: 200, body: { serviceStatus: 'available' } }),
      ...gsmaAccounts(book),
      ...gsmaBills(book, billers),
      ...gsmaBatches(book, requests),
      ...gsmaAuthorisationCodes(book, requests),
    },
  }
}
