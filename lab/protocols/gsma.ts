import type { BillerRecords } from '../biller-records.ts'
import { floatAt } from '../float.ts'
import type { OrderBook } from '../order.ts'
import type { Protocol } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import { gsmaBills } from './gsma-bills.ts'
import { invalid, notFound } from './gsma-errors.ts'
import { gsmaRequests } from './gsma-requests.ts'
import { gsmaTransactions } from './gsma-transactions.ts'

/** The GSMA Mobile Money API: payments, disbursements, reversals, the balance and bills. */
export function gsma(book: OrderBook, billers: BillerRecords): Protocol {
  return {
    malformed: () => invalid('body'),
    unknownPath: () => notFound(),
    routes: {
      ...gsmaTransactions(book),
      ...gsmaRequests(book),
      'GET /heartbeat': () => ({ status: 200, body: { serviceStatus: 'available' } }),
      'GET /accounts/balance': ({ mount }) => {
        for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
        const shown = String(Math.max(0, floatAt(book, mount.path)))
        const balances = { currentBalance: shown, availableBalance: shown, reservedBalance: '0' }
        const { currency } = mount
        return { status: 200, body: { accountStatus: 'available', ...balances, currency } }
      },
      ...gsmaBills(book, billers),
    },
  }
}
