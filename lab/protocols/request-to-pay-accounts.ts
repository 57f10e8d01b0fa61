import { lastNineDigits } from '../fields.ts'
import { floatAt } from '../float.ts'
import type { OrderBook } from '../order.ts'
import type { Answer, Call, Routes } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import { refusal, unknownResource } from './request-to-pay-errors.ts'

/** The balance of the client's account, and whether customers have one. */
export function requestToPayAccounts(
  book: OrderBook,
  guarded: (handle: (call: Call) => Answer) => (call: Call) => Answer,
): Routes {
  const ofProduct = (product: string): Routes => ({
    [`GET /${product}/v1_0/account/balance`]: guarded((call) => balance(book, call)),
    [`GET /${product}/v1_0/account/balance/:currency`]: guarded((call) =>
      call.params[0] === call.mount.currency
        ? balance(book, call)
        : refusal(500, 'INVALID_CURRENCY', call.mount.currency),
    ),
    [`GET /${product}/v1_0/accountholder/:type/:id/active`]: guarded((call) => ({
      status: 200,
      body: { result: isCustomer(call) },
    })),
    [`GET /${product}/v1_0/accountholder/:type/:id/basicuserinfo`]: guarded((call) => {
      if (!isCustomer(call)) return unknownResource()
      const family = `Test ${lastNineDigits(call.params[1] ?? '').slice(-4)}`
      const names = { given_name: 'Awa', family_name: family, name: `Awa ${family}` }
      return { status: 200, body: { sub: '0', ...names, locale: 'fr', status: 'ACTIVE' } }
    }),
  })
  return { ...ofProduct('collection'), ...ofProduct('disbursement') }
}

function balance(book: OrderBook, { mount }: Call): Answer {
  for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
  const availableBalance = String(Math.max(0, floatAt(book, mount.path)))
  return { status: 200, body: { availableBalance, currency: mount.currency } }
}

/** Whoever has a phone number has an account. */
function isCustomer({ params: [type = '', id = ''] }: Call): boolean {
  return type.toUpperCase() === 'MSISDN' && /^[0-9]{9,15}$/.test(id)
}
