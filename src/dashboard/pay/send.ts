import type { BillPaid } from '../../bills/pay.ts'
import { Refusal } from '../../catalog/refusal.ts'
import { feeOn } from '../../clients/fees.ts'
import { wholeClient } from '../../clients/scope.ts'
import { queueFullAsRefusal } from '../../http/overload.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { checkedPayee } from '../../wire/payee.ts'
import type { DashboardContext } from '../context.ts'
import type { Form } from '../frame/actions.ts'
import { statusFor } from '../frame/error-screens.ts'
import type { Problems } from '../frame/fields.ts'
import { refusedAs } from '../frame/interface-rules.ts'
import type { Screen } from '../frame/layout.ts'
import type { Done } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import { sentenceOf } from '../frame/words.ts'
import { formScreen, kindIn } from './form-screen.ts'
import { isToPhone } from './kinds.ts'
import type { Wanted } from './read-wanted.ts'
import { readWanted } from './read-wanted.ts'
import { reviewOf, tooPoor } from './review.ts'
import { reviewScreen, unsureScreen } from './review-screen.ts'
import { payWords } from './words.ts'

/** Pays what a person has reviewed, once for each form; `dash-…` ids are those of forms. */
export async function pay(
  context: DashboardContext,
  visit: Visit,
  form: Form,
): Promise<Done | Screen | undefined> {
  const externalId = `dash-${form.number}`
  try {
    // First of all: what it paid before may be the very reason why it would be refused now.
    const before = await context.transactions.find(wholeClient(visit.client.id), { externalId })
    return before === undefined
      ? await payNew(context, visit, form, externalId)
      : shown(visit, before)
  } catch (thrown) {
    const problem = queueFullAsRefusal(thrown)
    if (problem instanceof Refusal) throw problem
    // It may be recorded or not. The same form finds that out without paying twice.
    const { log, id: requestId } = visit.request
    log.error({ err: problem, requestId, externalId }, 'a payment by hand was not answered')
    return unsureScreen(visit, form.fields, statusFor(problem))
  }
}

async function payNew(
  context: DashboardContext,
  visit: Visit,
  form: Form,
  externalId: string,
): Promise<Done | Screen | undefined> {
  const kind = kindIn(form.fields)
  if (kind === undefined) return undefined
  const back = (problems: Problems) => formScreen(context, visit, form.fields, problems)
  const step = () => readWanted(context, visit, kind, form.get)
  const read = await refusedAs(visit.language, step)
  if ('problems' in read) return back(read.problems)
  if ('problems' in read.done) return back(read.done.problems)
  const { wanted } = read.done
  const { service, terms } = wanted
  const seen = seenBy(form)
  const amount = wanted.amount ?? seen.amount
  const fee = feeOn(service, terms, amount)
  if (seen.fee !== fee) return reviewAgain(context, visit, wanted, form)
  const order = { externalId, amount, fee, billReference: form.get('bill') }
  const paid = await send(context, visit, wanted, order)
  switch (paid.kind) {
    case 'recorded':
      return shown(visit, paid.transaction)
    case 'duplicate':
      return shown(visit, paid.existing)
    case 'refused': {
      if (paid.refusal.kind === 'conflict') return reviewAgain(context, visit, wanted, form)
      return back(await problemsOf(context, visit, wanted, { ...order, refusal: paid.refusal }))
    }
  }
}

/** Amount and fee that the person has agreed to. */
function seenBy(form: Form): { amount: number; fee: number } {
  const whole = (name: string) =>
    /^\d{1,9}$/.test(form.get(name)) ? Number(form.get(name)) : Number.NaN
  return { amount: whole('amount'), fee: whole('fee') }
}

interface Order {
  externalId: string
  amount: number
  fee: number
  billReference: string
}

/** Sends it; whatever is refused was not recorded. */
async function send(
  context: DashboardContext,
  visit: Visit,
  wanted: Wanted,
  order: Order,
): Promise<BillPaid> {
  try {
    const paid = await record(context, visit, wanted, order)
    return paid.kind === 'insufficient_funds' ? { kind: 'refused', refusal: noMoney } : paid
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    return { kind: 'refused', refusal: problem }
  }
}

const noMoney = new Refusal('insufficient_funds', 'Insufficient balance')

/** The same verbs as those of the interface, with the key of what people make by hand. */
async function record(
  { clients, subMerchants, transactions, bills }: DashboardContext,
  { client }: Visit,
  { kind, service, terms, to, clientName }: Wanted,
  { externalId, amount, fee, billReference }: Order,
): Promise<BillPaid | { kind: 'insufficient_funds' }> {
  const { id: clientId } = client
  const keyId = await clients.dashboardKey(clientId)
  const { payeeName, subMerchantId } = checkedPayee(
    await subMerchants.payeeFor({
      clientId,
      subMerchantId: undefined,
      country: service.country,
      fallbackName: clientName,
    }),
  )
  const common = { clientId, keyId, externalId, service, payeeName, subMerchantId }
  // Its event goes to the client's default address.
  const rest = { callbackUrl: null, customData: null }
  if (!isToPhone(kind))
    return bills.pay({
      ...common,
      ...rest,
      terms,
      account: to,
      amount: kind === 'meter' ? amount : null,
      billReference: kind === 'meter' ? null : billReference,
      reviewedAmount: amount,
    })
  const operation = kind === 'payout' ? 'CASHIN' : 'AIRTIME'
  const urls = { successUrl: '', failureUrl: '' }
  return transactions.init({ ...common, ...rest, ...urls, operation, amount, fee, phone: to })
}

/** Leads to the transaction, which tells what is to be known of it, also an unknown outcome. */
function shown({ language }: Visit, transaction: Transaction | undefined): Done {
  if (transaction === undefined) return { to: '/dashboard/transactions' }
  const { id, status, attemptState } = transaction
  const to = `/dashboard/transactions/${id}`
  const { done, sent } = payWords[language]
  if (status === 'SUCCESS') return { to, text: done }
  const isUnderWay = status === 'PENDING' || status === 'PROCESSING'
  const isKnown = attemptState !== 'unknown' && attemptState !== 'parked'
  return isUnderWay && isKnown ? { to, text: sent } : { to }
}

/** The fee of the contract is another one since the review. */
async function reviewAgain(
  context: DashboardContext,
  visit: Visit,
  wanted: Wanted,
  form: Form,
): Promise<Screen> {
  const asked = await reviewOf(context, visit, wanted, form.get('bill'))
  return 'problems' in asked
    ? formScreen(context, visit, form.fields, asked.problems)
    : reviewScreen(visit, asked.review, payWords[visit.language].priceChanged)
}

// What the sentence of a refusal is about; else it is the number.
const aboutService = new Set(['service_unavailable', 'under_maintenance', 'service_not_enabled'])
const aboutAmount = new Set(['daily_limit_reached', 'invalid_amount'])

/** Why nothing was paid, by field. */
async function problemsOf(
  { ledger, transactions }: DashboardContext,
  visit: Visit,
  wanted: Wanted,
  { amount, fee, refusal }: Order & { refusal: Refusal },
): Promise<Problems> {
  const { language, client } = visit
  const { down, nothingPaid } = payWords[language]
  const { kind, reasons } = refusal
  if (kind === 'insufficient_funds') {
    const { available } = await ledger.balances(client.id)
    return tooPoor(visit, wanted, amount + fee, available)
  }
  if (!transactions.isAvailable(wanted.service)) return { service: down }
  const sentences = reasons.map((one) => sentenceOf(one, language)).join(' · ')
  const hasAmount = wanted.kind !== 'bill'
  const field = aboutService.has(kind) ? 'service' : aboutAmount.has(kind) ? 'amount' : 'to'
  return { [field === 'amount' && !hasAmount ? 'to' : field]: `${sentences}. ${nothingPaid}` }
}
