import type { BillPaid } from '../../bills/pay.ts'
import { Refusal } from '../../catalog/refusal.ts'
import { feeOn } from '../../clients/fees.ts'
import { wholeClient } from '../../clients/scope.ts'
import { queueFullAsRefusal } from '../../http/overload.ts'
import type { Recorded } from '../../transactions/intents.ts'
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
  const paid = await refusedAs(visit.language, () => send(context, visit, wanted, order))
  if ('problems' in paid) return back({ service: payWords[visit.language].down })
  switch (paid.done.kind) {
    case 'recorded':
      return shown(visit, paid.done.transaction)
    case 'duplicate':
      return shown(visit, paid.done.existing)
    case 'insufficient_funds': {
      const { available } = await context.ledger.balances(visit.client.id)
      return back(tooPoor(visit, wanted, amount + fee, available))
    }
    case 'refused':
      return billRefused(context, visit, { wanted, form, refusal: paid.done.refusal })
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

/** The same verbs as those of the interface, with the key of what people make by hand. */
async function send(
  { clients, subMerchants, transactions, bills }: DashboardContext,
  { client }: Visit,
  { kind, service, terms, to, clientName }: Wanted,
  { externalId, amount, fee, billReference }: Order,
): Promise<Recorded | BillPaid> {
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

async function billRefused(
  context: DashboardContext,
  visit: Visit,
  { wanted, form, refusal }: { wanted: Wanted; form: Form; refusal: Refusal },
): Promise<Screen> {
  if (refusal.kind === 'conflict') return reviewAgain(context, visit, wanted, form)
  if (refusal.kind === 'insufficient_funds') {
    const { amount } = seenBy(form)
    const needed = amount + feeOn(wanted.service, wanted.terms, amount)
    const { available } = await context.ledger.balances(visit.client.id)
    return formScreen(context, visit, form.fields, tooPoor(visit, wanted, needed, available))
  }
  const sentences = refusal.reasons.map((one) => sentenceOf(one, visit.language))
  return formScreen(context, visit, form.fields, { to: sentences.join(' · ') })
}
