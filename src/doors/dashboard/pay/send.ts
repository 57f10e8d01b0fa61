import { type Html, html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { queueFullAsRefusal } from '#edge/http/overload.ts'
import { checkedPayee } from '#edge/wire/payee.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { BillPaid } from '#money/bills/pay.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { DashboardContext } from '../context.ts'
import type { Done, Form } from '../frame/actions.ts'
import { statusFor } from '../frame/error-screens.ts'
import type { Problems } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import { WrongFields } from '../frame/problems.ts'
import type { Visit } from '../frame/visit.ts'
import { sentenceOf } from '../frame/words.ts'
import { kindIn } from './form-screen.ts'
import { isToPhone } from './kinds.ts'
import { readWanted, type Wanted } from './read-wanted.ts'
import { type Payment, reviewOf, tooPoor } from './review.ts'
import { reviewScreen, unsureScreen } from './review-screen.ts'
import { payWords } from './words.ts'

/**
 * What a review asks for, once for each form (`dash-…` ids are those of forms): what it has paid
 * before, a payment at the price of now, or that nothing is known of it.
 */
type Asked = { before: Transaction } | { payment: Payment } | { thrown: unknown }

/** Throws what is wrong with what was typed. */
export async function askedOf(
  context: DashboardContext,
  visit: Visit,
  form: Form,
): Promise<Asked | undefined> {
  const kind = kindIn(form.fields)
  if (kind === undefined) return undefined
  try {
    // First of all: what it paid before may be the very reason why it would be refused now.
    const externalId = externalIdOf(form)
    const before = await context.transactions.find(wholeClient(visit.client.id), { externalId })
    if (before !== undefined) return { before }
    const wanted = await readWanted(context, visit, kind, form.get)
    const amount = wanted.amount ?? wholeOf(form.get('amount'))
    const fee = feeOn(wanted.service, wanted.terms, amount)
    return { payment: { ...wanted, amount, fee, billReference: form.get('bill') } }
  } catch (thrown) {
    if (isSaid(thrown)) throw thrown
    return { thrown }
  }
}

/** The payment that is asked for; what kept it from being known is thrown. */
export function paymentIn(asked: Asked): Payment {
  if ('payment' in asked) return asked.payment
  throw 'thrown' in asked ? asked.thrown : new Error('this form has paid before')
}

/** Whether it says what is wrong, so that nothing was paid. */
function isSaid(thrown: unknown): boolean {
  return thrown instanceof Refusal || thrown instanceof WrongFields
}

function externalIdOf({ number }: Form): string {
  return `dash-${number}`
}

/** Of a bill, whose amount nobody types. */
function wholeOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}

/** Pays what a person has reviewed, once for each form. */
export async function pay(
  context: DashboardContext,
  visit: Visit,
  form: Form,
  asked: Asked,
): Promise<Done | Screen | undefined> {
  if ('before' in asked) return shown(visit, asked.before)
  const externalId = externalIdOf(form)
  try {
    return await payNew(context, visit, { ...paymentIn(asked), externalId })
  } catch (thrown) {
    const problem = queueFullAsRefusal(thrown)
    if (isSaid(problem)) throw problem
    // It may be recorded or not. The same form finds that out without paying twice.
    const { log, id: requestId } = visit.request
    log.error({ err: problem, requestId, externalId }, 'a payment by hand was not answered')
    return unsureScreen(visit, form.fields, statusFor(problem))
  }
}

type Order = Payment & { externalId: string }

async function payNew(
  context: DashboardContext,
  visit: Visit,
  order: Order,
): Promise<Done | Screen> {
  const paid = await send(context, visit, order)
  switch (paid.kind) {
    case 'recorded':
      return shown(visit, paid.transaction)
    case 'duplicate':
      return shown(visit, paid.existing)
    case 'refused': {
      if (paid.refusal.kind === 'conflict') {
        const { priceChanged } = payWords[visit.language]
        const notice = html`<p class="notice bad narrow" role="alert">${priceChanged}</p>`
        return reviewAgain(context, visit, order, notice)
      }
      throw new WrongFields(await problemsOf(context, visit, order, paid.refusal))
    }
  }
}

/** Sends it; whatever is refused was not recorded. */
async function send(context: DashboardContext, visit: Visit, order: Order): Promise<BillPaid> {
  try {
    const paid = await record(context, visit, order)
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
  { kind, service, terms, to, clientName, externalId, amount, fee, billReference }: Order,
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

/** The review at the price of now; a bill has the amount that its biller now says. */
export async function reviewAgain(
  context: DashboardContext,
  visit: Visit,
  payment: Payment,
  notice?: Html,
): Promise<Screen> {
  const { kind, amount, billReference } = payment
  const wanted: Wanted = { ...payment, amount: kind === 'bill' ? null : amount }
  return reviewScreen(visit, await reviewOf(context, visit, wanted, billReference), notice)
}

// What the sentence of a refusal is about; else it is the number.
const aboutService = new Set(['service_unavailable', 'under_maintenance', 'service_not_enabled'])
const aboutAmount = new Set(['daily_limit_reached', 'invalid_amount'])

/** Why nothing was paid, by field. */
async function problemsOf(
  { ledger, transactions }: DashboardContext,
  visit: Visit,
  payment: Payment,
  refusal: Refusal,
): Promise<Problems> {
  const { language, client } = visit
  const { down, nothingPaid } = payWords[language]
  const { kind, reasons } = refusal
  if (kind === 'insufficient_funds') {
    const { available } = await ledger.balances(client.id)
    return tooPoor(visit, payment, payment.amount + payment.fee, available)
  }
  if (!transactions.isAvailable(payment.service)) return { service: down }
  const sentences = reasons.map((one) => sentenceOf(one, language)).join(' · ')
  const hasAmount = payment.kind !== 'bill'
  const field = aboutService.has(kind) ? 'service' : aboutAmount.has(kind) ? 'amount' : 'to'
  return { [field === 'amount' && !hasAmount ? 'to' : field]: `${sentences}. ${nothingPaid}` }
}
