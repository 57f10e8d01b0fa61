import { amountOfText } from '../fields.ts'
import type { OrderBook } from '../order.ts'
import { keepRecords } from '../order-journal.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import { seededRandom } from '../seeded-random.ts'
import type { Account } from './gsma-accounts.ts'
import { onAccount } from './gsma-accounts.ts'
import { alreadyProcessed, invalid, notFound } from './gsma-errors.ts'
import { listAnswer } from './gsma-lists.ts'
import type { OtherRequests } from './gsma-requests.ts'
import { headerProblem } from './gsma-requests.ts'

/** A code with which an account holder allows a payment beforehand. */
interface AuthorisationCode {
  code: string
  account: string
  amount: unknown
  currency: unknown
  createdAt: number
}

/** Authorisation codes; a payment may name one, which is not checked. */
export function gsmaAuthorisationCodes(book: OrderBook, requests: OtherRequests): Routes {
  const codes = new Map<string, AuthorisationCode[]>()
  let issued = 0
  function add(code: AuthorisationCode, mount: Call['mount']): void {
    issued++
    const key = `${mount.path} ${code.account}`
    codes.set(key, [...(codes.get(key) ?? []), code])
  }
  const save = keepRecords<AuthorisationCode>(book, 'gsma authorisation code', add)

  function create(call: Call, { type, id }: Account): Answer {
    const { mount, body } = call
    const { amount, currency } = body
    const problem = headerProblem(call)
    if (problem !== undefined) return problem
    if (amount !== undefined && amountOfText(amount) === undefined) return invalid('amount')
    if (amount !== undefined && currency !== mount.currency) return invalid('currency')
    if (requests.isKnown(call)) return alreadyProcessed()
    const digits = Math.floor(seededRandom(book.seed, issued, 5) * 1_000_000)
    // The count makes every code another one.
    const code = `${issued + 1}${String(digits).padStart(6, '0')}`
    const made = { code, account: `${type} ${id}`, amount, currency, createdAt: Date.now() }
    add(made, mount)
    save(mount, made)
    const link = `/accounts/${type}/${encodeURIComponent(id)}/authorisationcodes/${code}`
    return requests.accept(call, { reference: code, link, write: () => write(made) })
  }

  const codesOf = (call: Call, { type, id }: Account) =>
    codes.get(`${call.mount.path} ${type} ${id}`)
  return {
    ...onAccount('POST', '/authorisationcodes', create),
    ...onAccount('GET', '/authorisationcodes', (call, account) =>
      listAnswer(call, (codesOf(call, account) ?? []).map(write)),
    ),
    ...onAccount('GET', '/authorisationcodes/:code', (call, account, [code]) => {
      const found = codesOf(call, account)?.find((one) => one.code === code)
      return found ? { status: 200, body: write(found) } : notFound('No such code')
    }),
  }
}

function write({ code, amount, currency, createdAt }: AuthorisationCode): Body {
  const creationDate = new Date(createdAt).toISOString()
  return { authorisationCode: code, codeState: 'active', amount, currency, creationDate }
}
