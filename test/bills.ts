import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Gateway, Told } from './live.ts'
import { call } from './live.ts'

export type Caller = { url: string; secret: string }

let made = 0

/** A body that pays a water bill, under an id of its own. */
export function payBody(change: object = {}) {
  made += 1
  return {
    serviceCode: 'WATER_SN_BILL',
    reference_client: '100000001',
    externalTransactionId: `bill-${made}`,
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

/** Pays as a merchant. */
export function pay(
  caller: Caller,
  body: object = payBody(),
  headers: Record<string, string> = {},
): Promise<Told> {
  return call(caller, 'POST /api/v1/billing/pay', body, headers)
}

/** Asks what a customer owes. */
export function inquire(
  caller: Caller,
  serviceCode: string,
  customer: string,
  headers: Record<string, string> = {},
): Promise<Told> {
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

/** What was done with a merchant's money for a transaction: `hold`, `capture`, `release`. */
export async function postingsOf({ db }: Pick<Gateway, 'db'>, id: string): Promise<string[]> {
  const rows = await db<{ kind: string }>`
    select kind from ledger_postings where ref = ${id} order by created_at, kind desc`
  return rows.map(({ kind }) => kind)
}

type Words = [status: number, body: unknown]

/** A biller of the gsma kind that says what it is told to; `heard` is what it was asked. */
export async function openBiller(answer: (said: string) => Words | Promise<Words>) {
  const biller = { url: '', heard: [] as string[], answer }
  const server = createServer((request, response) => {
    const said = `${request.method} ${request.url}`
    biller.heard.push(said)
    request.resume()
    void Promise.resolve(biller.answer(said)).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  biller.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return biller
}

/** A bill as such a biller lists it. */
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

/** What such a biller says of a payment that it took. */
export function paidBill(amountPaid = '7500', change: object = {}): object {
  return {
    serviceProviderPaymentReference: `P${amountPaid}`,
    billPaymentStatus: 'completed',
    amountPaid,
    currency: 'XOF',
    ...change,
  }
}
