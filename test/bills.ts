import { createServer } from 'node:http'
import { after } from 'node:test'
import { listen } from './listen.ts'
import { type Answer, call, type Gateway } from './live.ts'

export type Caller = { url: string; secret: string }

let bodyCount = 0

/** A body that pays a water bill, under an id of its own. */
export function payBody(change: object = {}) {
  bodyCount += 1
  return {
    serviceCode: 'WATER_SN_BILL',
    reference_client: '100000001',
    externalTransactionId: `bill-${bodyCount}`,
    ...change,
  }
}

/** A body that tops a meter up, under an id of its own. */
export function topUpBody(change: object = {}) {
  return payBody({
    serviceCode: 'PREPAID_SN_BILL',
    reference_client: '200000001',
    amount: 5000,
    ...change,
  })
}

/** Pays a bill as a merchant. */
export function pay(
  caller: Caller,
  body: object = payBody(),
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(caller, 'POST /api/v1/billing/pay', body, headers)
}

/** Asks as a merchant what a customer owes. */
export function inquire(
  caller: Caller,
  serviceCode: string,
  customer: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = { serviceCode, reference_client: customer }
  return call(caller, 'POST /api/v1/billing/inquiry', body, headers)
}

/** The references of a customer's bills that are not paid, as the biller lists them. */
export async function unpaidOf(
  caller: Caller,
  customer: string,
  serviceCode = 'WATER_SN_BILL',
): Promise<string[]> {
  const { body } = await inquire(caller, serviceCode, customer)
  const bills: { paid: boolean; referenceFacture: string }[] = body.bills
  return bills.filter(({ paid }) => !paid).map((bill) => bill.referenceFacture)
}

/** The kinds of a transaction's postings, in order: `hold`, `capture`, `release`. */
export async function postingsOf({ db }: Pick<Gateway, 'db'>, id: string): Promise<string[]> {
  const rows = await db<{ kind: string }>`
    select kind from ledger_postings where ref = ${id} order by created_at, kind desc`
  return rows.map(({ kind }) => kind)
}

type Canned = [status: number, body: unknown]

/** A biller of the gsma protocol that answers as `answer` decides and records its requests. */
export async function openBiller(answer: (request: string) => Canned | Promise<Canned>) {
  const biller = { url: '', requests: [] as string[], answer }
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`
    biller.requests.push(name)
    request.resume()
    void Promise.resolve(biller.answer(name)).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  biller.url = await listen(server)
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return biller
}

/** A bill in the list that such a biller returns. */
export function listedBill(change: object = {}): object {
  return {
    billReference: 'E1',
    billStatus: 'unpaid',
    amountDue: '7500',
    currency: 'XOF',
    dueDate: '2026-02-01',
    ...change,
  }
}

/** What such a biller answers to a payment that it accepts. */
export function paidBill(amountPaid = '7500', change: object = {}): object {
  return {
    serviceProviderPaymentReference: `P${amountPaid}`,
    billPaymentStatus: 'completed',
    amountPaid,
    currency: 'XOF',
    ...change,
  }
}
