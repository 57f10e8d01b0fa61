import { setTimeout as sleep } from 'node:timers/promises'
import { randomText } from '#base/kit/ids.ts'
import { type Gateway, refusal, unreachable } from './gateway.ts'
import { labCode } from './one-time-code.ts'
import { sendForm } from './payer-page.ts'
import type { Looked } from './payments.ts'

/** What a scenario works with. */
export interface TriggerContext {
  gateway: Gateway
  amount: number
  signal: AbortSignal
  /** Tells the person what was done. */
  tell(step: string): void
}

/** How an event is made to happen: by the numbers of the lab, over the interface of merchants. */
export interface Scenario {
  event: string
  /** Its FAILURE_CODE; the first scenario of an event is the one without --cause. */
  cause?: string
  about: string
  /** Makes the record, and returns the id that its event will carry. */
  make(context: TriggerContext): Promise<string>
}

const usual = '771234567'
const addresses = {
  callBackURL: 'http://127.0.0.1:9000/webhooks',
  successUrl: 'http://127.0.0.1:9000/thanks',
  failureUrl: 'http://127.0.0.1:9000/sorry',
}

/** Every event that can be made, in the order of the list. */
export const scenarios: Scenario[] = [
  ...payments('cashout.success', [['', 'WALLETA_SN_CASHOUT', usual, 'a customer pays']]),
  ...payments('cashout.failed', [
    ['PAYER_BALANCE_LOW', 'WALLETA_SN_CASHOUT', '770000001', 'the customer lacks money'],
    ['PAYER_BLOCKED', 'WALLETF_CI_CASHOUT', '770000013', 'the wallet is blocked; 5 s'],
    ['PROVIDER_DECLINED', 'WALLETA_SN_CASHOUT', '770000013', 'declined without a reason; 5 s'],
  ]),
  ...payments('cashout.cancelled', [
    ['PAYER_REFUSED', 'WALLETA_SN_CASHOUT', '770000002', 'the customer refuses'],
    ['PAYER_NO_ANSWER', 'WALLETA_SN_CASHOUT', '770000003', 'the prompt expires; 3 s'],
    ['CODE_EXPIRED', 'WALLETD_SN_CASHOUT', '770000003', 'no one-time code comes; 3 s'],
  ]),
  ...payments('cashin.success', [['', 'WALLETA_SN_CASHIN', usual, 'you pay a customer']]),
  ...payments('cashin.failed', [
    ['PAYER_BLOCKED', 'WALLETF_CI_CASHIN', '770000002', 'the receiver is not allowed'],
    ['PROVIDER_DECLINED', 'WALLETA_SN_CASHIN', '770000001', 'our account there lacks money'],
  ]),
  ...payments('airtime.success', [['', 'OPERATOR1_SN_AIRTIME', usual, 'a phone is recharged']]),
  ...payments('airtime.failed', [
    ['PAYER_BLOCKED', 'OPERATOR1_SN_AIRTIME', '770000002', 'the number takes no credit'],
  ]),
  { event: 'refund.success', about: 'a customer pays, and gets it back', make: refundOne },
  ...bills('bill.success', [['', 'WATER_SN_BILL', '100000001', 'a water bill is paid']]),
  ...bills('bill.token', [
    ['', 'PREPAID_SN_BILL', '200000001', 'a meter is topped up: bill.success with its TOKEN'],
  ]),
  ...bills('bill.failed', [
    ['METER_REFUSED', 'PREPAID_SN_BILL', '200000003', 'a top-up is taken, and fails after 2 s'],
    ['BILL_REFUSED', 'WATER_SN_BILL', '100000005', 'the biller refuses'],
  ]),
  { event: 'payment.success', about: 'a customer pays a link', make: payLink },
  {
    event: 'payment.failed',
    cause: 'LINK_GIVEN_UP',
    about: 'a customer abandons a link',
    make: giveUpLink,
  },
  {
    event: 'payment.expired',
    cause: 'LINK_EXPIRED',
    about: 'nobody pays a link; 5 minutes, so give --timeout 6m',
    make: async (context) => (await makeLink(context, { expiresIn: 300 })).id,
  },
]

type Row = [cause: string, service: string, number: string, about: string]

function payments(event: string, rows: Row[]): Scenario[] {
  return rows.map(([cause, serviceCode, number, about]) => ({
    event,
    ...(cause === '' ? {} : { cause }),
    about,
    make: (context) => payOne(context, serviceCode, number),
  }))
}

function bills(event: string, rows: Row[]): Scenario[] {
  return rows.map(([cause, serviceCode, reference, about]) => ({
    event,
    ...(cause === '' ? {} : { cause }),
    about,
    make: (context) => payBill(context, serviceCode, reference),
  }))
}

async function payOne(
  context: TriggerContext,
  serviceCode: string,
  number: string,
): Promise<string> {
  const { amount } = context
  const order = { externalTransactionId: newExternalId(), serviceCode, amount, number }
  const body = await post(context, '/api/v1/transaction/init', { ...order, ...addresses })
  const { transactionId, nextStep } = body.transaction
  const isCodeComing = nextStep?.type === 'otp' && number === usual
  if (isCodeComing)
    await post(context, '/api/v1/transaction/confirm/walletd', { transactionId, otp: labCode })
  return transactionId
}

async function payBill(
  context: TriggerContext,
  serviceCode: string,
  reference: string,
): Promise<string> {
  const order = { serviceCode, reference_client: reference, amount: context.amount }
  const id = newExternalId()
  const path = '/api/v1/billing/pay'
  // A refused bill is a payment that failed: its event follows too.
  const body = await post(context, path, { ...order, externalTransactionId: id }, [400])
  if (body.transaction.transactionId !== undefined) return body.transaction.transactionId
  return (await look(context, id)).transactionId
}

async function refundOne(context: TriggerContext): Promise<string> {
  const paid = await payOne(context, 'WALLETA_SN_CASHOUT', usual)
  while ((await look(context, paid)).Completed_at === null)
    await sleep(pollMs, undefined, { signal: context.signal })
  const body = await post(context, `/api/v1/transaction/refund/${paid}`, {})
  return body.transaction.transactionId
}

const pollMs = 500

async function look({ gateway }: TriggerContext, id: string): Promise<Looked> {
  return (await gateway.get(`/api/v1/transaction/${id}`)).transaction
}

async function makeLink(
  context: TriggerContext,
  more: object = {},
): Promise<{ id: string; url: string }> {
  const item = { ItemName: 'Panier de légumes', ItemPrice: context.amount }
  const order = { externalTransactionId: newExternalId(), ...item, ...addresses, ...more }
  const body = await post(context, '/api/v1/transaction/merchant/get-link', order)
  return { id: body.transactionId, url: body.PaymentUrl }
}

async function payLink(context: TriggerContext): Promise<string> {
  const { id, url } = await makeLink(context)
  const serviceCode = 'WALLETA_SN_CASHOUT'
  await sendForm(url, 'pay', { phone: usual, country: 'SN', serviceCode })
  context.tell(`POST ${url}/pay, as the payer`)
  return id
}

async function giveUpLink(context: TriggerContext): Promise<string> {
  const { id, url } = await makeLink(context)
  await sendForm(url, 'give-up', { sure: 'yes' })
  context.tell(`POST ${url}/give-up, as the payer`)
  return id
}

function newExternalId(): string {
  return `trigger-${randomText(6)}`
}

/** What matters of a body. */
function withoutAddresses(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !(name in addresses)))
}

/** Sends a request; throws unless it is accepted or has one of the other expected statuses. */
async function post(
  { gateway, tell }: TriggerContext,
  path: string,
  body: object,
  also: number[] = [],
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const answer = await gateway.ask('POST', path, body)
  if (answer.kind !== 'answered') throw unreachable(gateway)
  tell(`POST ${path} ${JSON.stringify(withoutAddresses(body))} -> ${answer.status}`)
  const isExpected = answer.status < 300 || also.includes(answer.status)
  if (isExpected && answer.body.transaction !== undefined) return answer.body
  throw refusal(gateway, answer)
}
