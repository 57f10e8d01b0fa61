import { isPhone, lastNineDigits, object, text } from '../fields.ts'
import { floatAt } from '../float.ts'
import type { Order, OrderBook } from '../order.ts'
import type { Answer, Call, Handler, Routes } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import { notFound } from './gsma-errors.ts'
import { listAnswer } from './gsma-lists.ts'
import { partyOf, writeTransaction } from './gsma-transactions.ts'

/** An identifier of an account: its type and its value. */
export interface Account {
  type: string
  id: string
}

const openingBalance = 1_000_000
const numberWithoutFunds = '770000001'

/** Balances, names and transactions of accounts. Whoever is named has an account. */
export function gsmaAccounts(book: OrderBook): Routes {
  return {
    'GET /accounts/balance': ({ mount }) => {
      for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
      return balanceAnswer(mount.currency, floatAt(book, mount.path))
    },
    ...onAccount('GET', '/balance', (call, account) => balance(book, call, account)),
    ...onAccount('GET', '/status', () => ({ status: 200, body: { accountStatus: 'available' } })),
    ...onAccount('GET', '/accountname', (_call, { id }) => {
      const [firstName, lastName] = ['Awa', `Test ${id.slice(-4)}`]
      const fullName = `${firstName} ${lastName}`
      return { status: 200, body: { name: { firstName, lastName, fullName } } }
    }),
    ...onAccount('GET', '/transactions', (call, account) => {
      const found = ordersOf(book, call, account).filter((order) => isWanted(call, order))
      return listAnswer(
        call,
        found.map((order) => writeTransaction(order, order)),
      )
    }),
  }
}

/**
 * The routes of something that an account has. An account is named by one identifier, as in
 * `/accounts/msisdn/221771234567`, or by several, as in `/accounts/msisdn@221771234567$walletid@1`.
 */
export function onAccount(
  method: string,
  path: string,
  handle: (call: Call, account: Account, params: string[]) => ReturnType<Handler>,
): Routes {
  const answer = (call: Call, account: Account, params: string[]) =>
    account.id === '' || (account.type === 'msisdn' && !isPhone(account.id))
      ? notFound('No such account')
      : handle(call, account, params)
  return {
    [`${method} /accounts/:type/:id${path}`]: (call) => {
      const [type = '', id = '', ...params] = call.params
      return answer(call, { type: type.toLowerCase(), id }, params)
    },
    [`${method} /accounts/:account${path}`]: (call) => {
      const [identifiers = '', ...params] = call.params
      const [type = '', id = ''] = (identifiers.split('$')[0] ?? '').split('@')
      return answer(call, { type: type.toLowerCase(), id }, params)
    },
  }
}

function balance(book: OrderBook, call: Call, account: Account): Answer {
  const paid = ordersOf(book, call, account).map((order) => {
    const credit = isParty(order, 'creditParty', account) ? order.paid : 0
    return isParty(order, 'debitParty', account) ? credit - order.paid : credit
  })
  const isEmpty = lastNineDigits(account.id) === numberWithoutFunds
  return balanceAnswer(call.mount.currency, (isEmpty ? 0 : openingBalance) + sum(paid))
}

function balanceAnswer(currency: string, amount: number): Answer {
  const shown = String(Math.max(0, amount))
  const balances = { currentBalance: shown, availableBalance: shown, reservedBalance: '0' }
  return { status: 200, body: { accountStatus: 'available', ...balances, currency } }
}

/** The orders to which an account is a party, newest first. */
function ordersOf(book: OrderBook, { mount }: Call, account: Account): Order[] {
  const isOfAccount = (order: Order) =>
    order.mount === mount &&
    (isParty(order, 'debitParty', account) || isParty(order, 'creditParty', account))
  return book.orders
    .filter(isOfAccount)
    .map((order) => runDueSteps(book, order))
    .toReversed()
}

function isParty(order: Order, side: 'debitParty' | 'creditParty', { type, id }: Account): boolean {
  const party = partyOf(order, side)
  const plain = (value: string) => (type === 'msisdn' ? lastNineDigits(value) : value)
  return (
    Array.isArray(party) &&
    party
      .map(object)
      .some(
        ({ key, value }) => text(key).toLowerCase() === type && plain(text(value)) === plain(id),
      )
  )
}

function isWanted({ query }: Call, order: Order): boolean {
  const { transactionStatus, type } = writeTransaction(order, order)
  const [from, to] = [query.get('fromDateTime'), query.get('toDateTime')]
  return (
    [transactionStatus, null].includes(query.get('transactionStatus')) &&
    [type, null].includes(query.get('transactionType')) &&
    !(from !== null && order.createdAt < Date.parse(from)) &&
    !(to !== null && order.createdAt > Date.parse(to))
  )
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
