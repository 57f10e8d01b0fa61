import { after } from '#base/kit/clock.ts'
import { type Operation, parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import type { DeclineCause } from '#money/providers/contract.ts'
import { type Draw, drawing } from './draw.ts'
import { customerOf, failureOf, meterOf, mixOf, priceOf } from './history-mix.ts'
import { demoTerms } from './terms.ts'

/** A payment of the demo merchant's past. */
export interface PlannedPayment {
  at: Date
  endedAt: Date
  service: Service
  amount: number
  fee: number
  phone: string
  /** Null: it succeeded. */
  failure: DeclineCause | null
  /** Which of the shops sold it; null: none of them. */
  shop: number | null
  refund: { at: Date; endedAt: Date; amount: number; reason: string } | null
}

/** A payment link of the demo merchant's past, with its tries. */
export interface PlannedLink {
  createdAt: Date
  endedAt: Date | null
  end: 'paid' | 'expired' | 'given_up' | 'open'
  itemName: string
  amount: number
  customerName: string
  tries: PlannedPayment[]
}

export interface HistoryPlan {
  payments: PlannedPayment[]
  links: PlannedLink[]
  /** Money that went to the merchant's bank, each Monday. */
  withdrawals: { at: Date; amount: number }[]
  /** By how much all of it has raised the merchant's balance. */
  net: number
}

export const historyDays = 30
const minuteMs = 60_000
const dayMs = 86_400_000
const seed = 20_260_115
const linkLifetimeMs = dayMs

// Sunday first: shops are busy on Fridays and Saturdays.
const paymentsByWeekday = [22, 40, 42, 44, 48, 62, 66]
// The hours of a day in UTC, which is the time of Dakar: noon and the evening are busy.
const weightsByHour = [
  1, 0, 0, 0, 0, 0, 1, 3, 6, 8, 9, 10, 13, 11, 8, 8, 9, 11, 14, 15, 13, 9, 5, 2,
]

/** What the demo merchant did in the 30 days before a time: the same at each call. */
export function planHistory(now: Date): HistoryPlan {
  const today = Math.floor(now.getTime() / dayMs)
  const payments: PlannedPayment[] = []
  const links: PlannedLink[] = []
  for (let day = today - historyDays; day <= today; day += 1) {
    const draw = drawing(seed + day)
    const weekday = new Date(day * dayMs).getUTCDay()
    const count = Math.round((paymentsByWeekday[weekday] ?? 40) * (0.85 + draw.below(30) / 100))
    for (let index = 0; index < count; index += 1) payments.push(planPayment(draw, day))
    links.push(planLink(draw, day), ...(weekday === 5 ? [planLink(draw, day)] : []))
  }
  // A payment is over before the merchant looks at it; a day without a refund loses nothing.
  const isPast = ({ endedAt, refund }: PlannedPayment) =>
    (refund?.endedAt ?? endedAt) < after(now, -minuteMs)
  const past = payments.filter(isPast).sort((one, other) => one.at.getTime() - other.at.getTime())
  const pastLinks = links
    .filter(({ createdAt, tries }) => createdAt < after(now, -minuteMs) && tries.every(isPast))
    .map((link) => closeLink(link, now))
  const moved = movesOf(past, pastLinks)
  const withdrawals = planWithdrawals(moved, now)
  const net = sumOf(moved) - sumOf(withdrawals)
  return { payments: past, links: pastLinks, withdrawals, net }
}

function sumOf(amounts: { amount: number }[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0)
}

function timeOf(draw: Draw, day: number): Date {
  const hour = draw.weighted(weightsByHour.map((weight, index) => [index, weight]))
  return new Date(day * dayMs + hour * 3_600_000 + draw.below(3_600_000))
}

function planPayment(draw: Draw, day: number): PlannedPayment {
  const at = timeOf(draw, day)
  const service = serviceOf(mixOf(draw))
  const amount = priceOf(draw, service.operation)
  const phone = service.operation === 'BILL' ? meterOf(draw) : customerOf(draw, service)
  const failure = failureOf(draw, service, day % 7 === 3 && at.getUTCHours() === 18)
  const shop = draw.weighted([
    [null, 55],
    [0, 20],
    [1, 15],
    [2, service.country === 'CI' ? 60 : 5],
  ])
  const payment = { at, service, amount, fee: feeFor(service, amount), phone, failure, shop }
  const endedAt = after(at, 1500 + draw.below(failure === 'payer_timeout' ? 180_000 : 45_000))
  const isRefunded =
    service.operation === 'CASHOUT' && failure === null && draw.below(100) < 2 && amount >= 1000
  const refund = isRefunded ? planRefund(draw, endedAt, amount) : null
  return { ...payment, endedAt, refund }
}

const refundReasons = ['Article épuisé', 'Double commande', 'Retour client', 'Erreur de montant']

function planRefund(draw: Draw, paidAt: Date, amount: number): PlannedPayment['refund'] {
  const at = after(paidAt, 20 * minuteMs + draw.below(300 * minuteMs))
  const part = draw.below(3) === 0 ? Math.floor(amount / 200) * 100 : amount
  const reason = draw.one(refundReasons)
  return { at, endedAt: after(at, 2000 + draw.below(20_000)), amount: part, reason }
}

const items = [
  'Robe wax',
  'Panier de légumes',
  'Sac en cuir',
  'Commande traiteur',
  'Acompte réservation',
  'Tissu bazin 5 m',
  'Abonnement mensuel',
]
const customers = ['Awa Diop', 'Moussa Koné', 'Fatou Ndiaye', 'Ibrahima Sow', 'Mariam Traoré']

function planLink(draw: Draw, day: number): PlannedLink {
  const createdAt = timeOf(draw, day)
  const amount = priceOf(draw, 'CASHOUT') + 2000
  const end = draw.weighted<PlannedLink['end']>([
    ['paid', 70],
    ['expired', 18],
    ['given_up', 12],
  ])
  const failedTries = end === 'expired' ? draw.below(2) : draw.below(5) === 0 ? 1 : 0
  const tries: PlannedPayment[] = []
  const tryOnce = (failure: DeclineCause | null) => {
    const at = after(tries.at(-1)?.endedAt ?? createdAt, 3 * minuteMs + draw.below(60 * minuteMs))
    const service = serviceOf(draw.one(['WALLETA_SN', 'WALLETB_SN', 'WALLETC_SN']), 'CASHOUT')
    const phone = customerOf(draw, service)
    const endedAt = after(at, 4000 + draw.below(40_000))
    const fee = feeFor(service, amount)
    tries.push({ at, endedAt, service, amount, fee, phone, failure, shop: null, refund: null })
  }
  for (let count = 0; count < failedTries; count += 1) tryOnce('balance_low')
  if (end === 'paid') tryOnce(null)
  const lastMs = tries.at(-1)?.endedAt ?? after(createdAt, 5 * minuteMs)
  const endedAt = {
    paid: lastMs,
    given_up: after(lastMs, 2 * minuteMs),
    expired: after(createdAt, linkLifetimeMs),
    open: null,
  }[end]
  const itemName = draw.one(items)
  return { createdAt, endedAt, end, itemName, amount, customerName: draw.one(customers), tries }
}

/** A link that would end later is still open. */
function closeLink(link: PlannedLink, now: Date): PlannedLink {
  const isOver = link.endedAt !== null && link.endedAt < after(now, -minuteMs)
  return isOver ? link : { ...link, end: 'open', endedAt: null }
}

/** How each payment and refund has moved the available balance. */
function movesOf(payments: PlannedPayment[], links: PlannedLink[]) {
  return [...payments, ...links.flatMap(({ tries }) => tries)]
    .filter(({ failure }) => failure === null)
    .flatMap(({ service, amount, fee, endedAt, refund }) => [
      { at: endedAt, amount: service.isDebit ? -(amount + fee) : amount - fee },
      ...(refund === null ? [] : [{ at: refund.endedAt, amount: -refund.amount }]),
    ])
}

const roundTo = 100_000

/** Each Monday at nine most of what the week before has brought. */
function planWithdrawals(moved: { at: Date; amount: number }[], now: Date) {
  const withdrawals: HistoryPlan['withdrawals'] = []
  const firstDay = Math.floor(now.getTime() / dayMs) - historyDays
  let sinceMs = 0
  for (let day = firstDay; day * dayMs < now.getTime(); day += 1) {
    const at = new Date(day * dayMs + 9 * 3_600_000)
    if (at.getUTCDay() !== 1 || at >= now) continue
    const week = moved.filter((one) => one.at.getTime() >= sinceMs && one.at < at)
    const amount = Math.floor(sumOf(week) / roundTo) * roundTo
    if (amount > 0) withdrawals.push({ at, amount })
    sinceMs = at.getTime()
  }
  return withdrawals
}

function feeFor(service: Service, amount: number): number {
  return feeOn(service, demoTerms(service.operation), amount)
}

function serviceOf(provider: string, operation?: Operation): Service {
  const code = operation === undefined ? provider : `${provider}_${operation}`
  const service = parseServiceCode(code)
  if (service === undefined) throw new Error(`there is no service ${code}`)
  return service
}
