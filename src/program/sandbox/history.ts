import { openBodySafe } from '#backoffice/webhooks/body-safe.ts'
import { type Ending, endingOfLink, endingOfTransaction } from '#backoffice/webhooks/ending.ts'
import { insertEvents } from '#backoffice/webhooks/store.ts'
import { newId } from '#base/kit/ids.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { insertSubMerchant } from '#merchants/sub-merchants/store.ts'
import { type SubMerchant, subMerchantIdOf } from '#merchants/sub-merchants/sub-merchant.ts'
import { claimBills } from '#money/bills/store.ts'
import { postDated } from '#money/ledger/post.ts'
import { type Posting, withdraw } from '#money/ledger/postings.ts'
import { move } from '#money/lifecycle/move.ts'
import type { Link } from '#money/links/link.ts'
import { insertLinks, updateLinks } from '#money/links/store.ts'
import { type EvidenceRow, insertEvidence } from '#money/transactions/evidence-store.ts'
import { carriedBy, claimExternalIds, insertTransactions } from '#money/transactions/store.ts'
import { openTokenSafe } from '#money/transactions/token-safe.ts'
import { isDebit } from '#money/transactions/transaction.ts'
import type { HistoryPlan, PlannedLink } from './history-plan.ts'
import {
  type PastMerchant,
  type PastPayment,
  pastLink,
  pastPayment,
  pastRefund,
  postingsOf,
  triggerOf,
} from './history-records.ts'

interface HistoryOrder {
  clientId: number
  /** The key that everything was created with. */
  keyId: string
  name: string
  secretKey: SecretKey
  plan: HistoryPlan
  /** When the shops were added. */
  since: Date
  actor: string
}

interface PastLink {
  plan: PlannedLink
  link: Link
  payments: PastPayment[]
}

/**
 * Writes the past of a merchant as payments would have left it: postings through the ledger,
 * statuses through the lifecycle, evidence and events. There are no deliveries, and no provider is
 * asked.
 */
export async function writeHistory(tx: Tx, order: HistoryOrder): Promise<void> {
  const { clientId, keyId, name, plan } = order
  const tokens = openTokenSafe(order.secretKey)
  const shops = await addShops(tx, order)
  const merchant: PastMerchant = { clientId, keyId, name, shops, tokens }
  const single = plan.payments.flatMap((one, number) => {
    const payment = pastPayment(merchant, one, number)
    return one.refund === null ? [payment] : [payment, pastRefund(payment, one.refund)]
  })
  const links = plan.links.map((one, number): PastLink => {
    const link = pastLink(merchant, one, number)
    const tries = one.tries.map((attempt, index) =>
      pastPayment(merchant, attempt, 90_000 + 10 * number + index, link),
    )
    return { plan: one, link, payments: tries }
  })
  const payments = [...single, ...links.flatMap((one) => one.payments)]
  const balanceAt = await postMoney(tx, order, payments)
  await recordPayments(tx, payments, links)
  await endLinks(tx, links)
  await insertEvidence(tx, payments.flatMap(evidenceOf), 'fail')
  const endings = [
    ...single.map(({ ended, plan: { endedAt } }) => ({
      at: endedAt,
      ending: endingOfTransaction(ended, tokens),
    })),
    ...links.flatMap(endingOfPastLink),
  ]
  await writeEvents(tx, order, endings, balanceAt)
}

const shopFacts = [
  ['Plateau', 'Boutique Démo', ['SN', 'CI', 'CM'], 'Dakar'],
  ['Almadies', 'Boutique Démo Almadies', ['SN'], 'Dakar'],
  ['Cocody', 'Boutique Démo Cocody', ['SN', 'CI', 'CM'], 'Abidjan'],
] as const

async function addShops(tx: Tx, { clientId, since }: HistoryOrder): Promise<SubMerchant[]> {
  const shops = shopFacts.map(([name, commercialName, countries, city], index): SubMerchant => {
    const unknown = { description: null, legalName: null, businessActivity: null }
    const contact = { managerName: null, websiteUrl: null, phoneNumber: null, address: null }
    return {
      clientId,
      id: subMerchantIdOf(newId(since)),
      name,
      commercialName,
      countries: [...countries],
      ...unknown,
      ...contact,
      city,
      zipcode: null,
      isActive: true,
      // As for every client: the first one that is created.
      isDefault: index === 0,
      createdAt: since,
    }
  })
  for (const shop of shops) await insertSubMerchant(tx, shop)
  return shops
}

/** Posts the money in the order of time; returns the balance that there was at a time. */
async function postMoney(
  tx: Tx,
  { clientId, plan, actor }: HistoryOrder,
  payments: PastPayment[],
): Promise<(at: Date) => number> {
  const dated: { posting: Posting; at: Date; payment: PastPayment | null }[] = [
    ...payments.flatMap((payment) => postingsOf(payment).map((one) => ({ ...one, payment }))),
    ...plan.withdrawals.map(({ at, amount }) => {
      const head = { clientId, id: newId(at), ref: `virement ${at.toISOString().slice(0, 10)}` }
      return { posting: withdraw(head, amount), at, payment: null }
    }),
  ].sort((one, other) => one.at.getTime() - other.at.getTime())
  const balances = await postDated(tx, dated)
  dated.forEach(({ posting, payment }, index) => {
    // A captured payment shows the balances around its hold; a released one moved none in the end.
    if (payment === null || posting.kind === 'capture') return
    const { before: first = null, after = null } = balances[index] ?? {}
    const before = posting.kind === 'release' ? after : first
    if (posting.kind === 'hold')
      Object.assign(payment.recorded, { balanceBefore: before, balanceAfter: after })
    Object.assign(payment.ended, { balanceBefore: before, balanceAfter: after })
  })
  for (const { at, amount } of plan.withdrawals)
    await recordAudit(tx, {
      at,
      actor,
      action: 'client.withdraw',
      clientId,
      details: { amount: -amount, ref: `virement ${at.toISOString().slice(0, 10)}` },
    })
  return (at) => {
    const next = dated.findIndex((one) => one.at > at)
    const last = next === -1 ? balances.length - 1 : next - 1
    return balances[Math.max(0, last)]?.[last < 0 ? 'before' : 'after'] ?? 0
  }
}

async function recordPayments(tx: Tx, payments: PastPayment[], links: PastLink[]): Promise<void> {
  const recorded = payments.map((one) => one.recorded)
  const named = recorded.flatMap(({ clientId, id, externalId }) =>
    externalId === null ? [] : [{ clientId, id, externalId }],
  )
  await claimExternalIds(tx, named)
  const created = links.map(({ link }) => link)
  await claimExternalIds(tx, created, 'link')
  await insertLinks(tx, created)
  await claimBills(
    tx,
    payments.flatMap(({ ended: { clientId, id, phone, billReference, serviceCode, status } }) =>
      billReference === null || status === 'FAILED'
        ? []
        : [{ clientId, transactionId: id, account: phone, billReference, serviceCode }],
    ),
  )
  await insertTransactions(tx, recorded)
  const ended = new Map(payments.map((one) => [`${one.ended.clientId} ${one.ended.id}`, one.ended]))
  const bills = payments.filter(({ recorded: { operation } }) => operation === 'BILL')
  const others = payments.filter(({ recorded: { operation } }) => operation !== 'BILL')
  const begun = others.filter((one) => isDebit(one.recorded))
  const kind = { resource: 'transaction' } as const
  await move(
    tx,
    begun.map((one) => {
      const step = { from: 'PENDING', trigger: 'in_progress' } as const
      return { ...kind, ...idOf(one), ...step, at: one.plan.at }
    }),
  )
  const isBegun = new Set(begun)
  await move(
    tx,
    others.map((one) => {
      const from = isBegun.has(one) ? ('PROCESSING' as const) : ('PENDING' as const)
      return { ...kind, ...idOf(one), from, trigger: triggerOf(one), at: one.plan.endedAt }
    }),
    carriedBy(ended),
  )
  await move(
    tx,
    bills.map((one) => {
      const trigger = one.ended.failure === null ? 'biller_succeeded' : 'biller_failed'
      const step = { resource: 'bill', from: 'PROCESSING', trigger } as const
      return { ...idOf(one), ...step, at: one.plan.endedAt }
    }),
    carriedBy(ended),
  )
}

function idOf({ recorded: { clientId, id } }: PastPayment) {
  return { clientId, id }
}

const linkTriggers = {
  paid: 'payment_succeeded',
  expired: 'lifetime_over',
  given_up: 'payer_gave_up',
} as const
const linkEnds = {
  paid: 'SUCCESS',
  expired: 'EXPIRED',
  given_up: 'FAILED',
  open: 'PENDING',
} as const

async function endLinks(tx: Tx, links: PastLink[]): Promise<void> {
  await move(
    tx,
    links.flatMap(({ plan: { end, endedAt }, link: { clientId, id } }) => {
      if (end === 'open' || endedAt === null) return []
      const step = { resource: 'link', from: 'PENDING', trigger: linkTriggers[end] } as const
      return [{ ...step, clientId, id, at: endedAt }]
    }),
  )
  for (const { plan, link, payments } of links) {
    const paid = payments.find(({ ended }) => ended.status === 'SUCCESS')
    link.attempts = payments.length
    link.paidId = paid?.recorded.id ?? null
    link.status = linkEnds[plan.end]
    link.completedAt = plan.endedAt
    if (plan.endedAt !== null) link.dueAt = null
  }
  await updateLinks(
    tx,
    links.map(({ link }) => link),
  )
}

function endingOfPastLink({ plan, link, payments }: PastLink): { at: Date; ending: Ending }[] {
  if (plan.endedAt === null) return []
  const last = plan.end === 'paid' ? (payments.at(-1)?.ended ?? null) : null
  return [{ at: plan.endedAt, ending: endingOfLink({ link, payment: last }) }]
}

/** What the provider said: that it took the order, and how it ended. */
function evidenceOf({ plan, ended }: PastPayment): EvidenceRow[] {
  const { clientId, id: transactionId, attemptId, reference, failure } = ended
  const rowOf = (at: Date, source: EvidenceRow['source'], outcome: string, details: object) => ({
    clientId,
    transactionId,
    attemptId,
    at,
    source,
    outcome,
    details: { kind: outcome, ...details },
    dedupeKey: null,
  })
  if (reference === null) {
    const reason = 'the provider could not be reached'
    return [rowOf(plan.endedAt, 'answer', 'not_sent', { reason })]
  }
  const taken = rowOf(plan.at, 'answer', 'accepted', { status: 202, reference, excerpt: '' })
  const end =
    failure === null
      ? rowOf(plan.endedAt, 'query', 'succeeded', { status: 200, reference, excerpt: '' })
      : rowOf(plan.endedAt, 'query', 'declined', {
          status: 200,
          cause: failure,
          reason: failure.replaceAll('_', ' '),
          reference,
          excerpt: '',
        })
  return [taken, end]
}

async function writeEvents(
  tx: Tx,
  { clientId, keyId, secretKey }: HistoryOrder,
  endings: { at: Date; ending: Ending }[],
  balanceAt: (at: Date) => number,
): Promise<void> {
  const safe = openBodySafe(secretKey)
  const inOrder = endings.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  await insertEvents(
    tx,
    inOrder.map(({ at, ending }, index) => {
      const { recordKind, recordId, isSecret } = ending
      const balance = balanceAt(at)
      const balances = ending.balances ?? { before: balance, after: balance }
      const body = JSON.stringify(ending.write({ balances, language: 'fr' }))
      const event = { clientId, id: newId(at), keyId, recordKind, recordId, body, createdAt: at }
      const laterInBatch = inOrder.length - 1 - index
      return { ...event, laterInBatch, body: isSecret ? safe.seal(event) : body }
    }),
  )
}
