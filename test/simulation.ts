import { after } from '#base/kit/clock.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { genesis } from '#money/ledger/chain.ts'
import {
  type Account,
  decidePostings,
  type KnownPostings,
  postingKey,
} from '#money/ledger/decide.ts'
import { hold, type Posting } from '#money/ledger/postings.ts'
import type { Attempt, Capability, Connector, Outcome } from '#money/providers/contract.ts'
import { paidOf } from '#money/providers/outcomes.ts'
import { type Applied, applyReports, keyOf } from '#money/transactions/apply.ts'
import type { Bound } from '#money/transactions/binding.ts'
import type { OutcomeReport } from '#money/transactions/decide.ts'
import type { DriveContext } from '#money/transactions/drive.ts'
import { draft, type Intent } from '#money/transactions/intents.ts'
import type { Payments } from '#money/transactions/payments.ts'
import {
  ownLeaseMs,
  providerOperation,
  serviceOf,
  type Transaction,
} from '#money/transactions/transaction.ts'
import { trustedAttemptedAt } from '#money/transactions/waits.ts'

/** A process that died between two steps. */
export class Crash extends Error {}

export interface Faults {
  /** Share of provider calls that go wrong, and of database calls at which the process dies. */
  provider: number
  crash: number
  /** The provider makes a second order of the same id: it does not deduplicate. */
  isForgetful: boolean
  /** Share of new orders whose process stands still, for minutes, before it sends them. */
  standstill: number
  /** Share of steps at which the gateway's clock jumps an hour ahead, or back. */
  jump: number
  /**
   * A search finds sessions later than the connector declares: some are asked for twice, and some
   * are taken for never sent.
   */
  isSearchLate: boolean
}

export interface Order {
  attempt: Attempt
  reference: string
  executed: number
  /** Queries find it from then on: providers read from replicas that lag behind. */
  visibleAt: number
  /** Queries find it only later than the connector declares. */
  isHidden: boolean
  endsAt: number
  end: 'success' | 'decline' | 'refuse' | 'other_amount'
}

const capability: Capability = {
  idempotency: 'rejects',
  canFindByOurId: true,
  notFoundIsFinalAfterMs: 30_000,
  payerStep: 'push',
  deadlineMs: 8000,
  pollMs: [2000, 5000, 30_000],
}

/** Of a provider that makes another session, payable too, of a repeated request. */
const sessions: Capability = {
  ...capability,
  idempotency: 'duplicates',
  notFoundIsFinalAfterMs: 5000,
  payerStep: 'redirect',
}

/**
 * Database, ledger and provider in memory, fast enough for thousands of runs; the seed decides all.
 */
export class World {
  readonly rows = new Map<string, Transaction>()
  /** By the provider's reference. */
  readonly orders = new Map<string, Order>()
  readonly history = new Map<string, string[]>()
  /** The transaction of each attempt. */
  readonly owners = new Map<string, string>()
  readonly conflicts: string[] = []
  /** The transaction that has claimed each bill; below, the order that has paid it. */
  readonly claims = new Map<string, string>()
  private readonly paidBills = new Map<string, string>()
  /** All evidence and conflicts recorded. */
  readonly evidence: unknown[] = []
  readonly trace: string[] = []
  readonly postings: Posting[] = []
  accounts: Account[]
  faults: Faults
  nowMs = Date.UTC(2026, 0, 15, 10)
  private aheadMs = 0
  private jumpedAt: Date | undefined
  /** The provider cannot be reached; what was ordered before goes on. */
  isAway = false
  private readonly clock = { now: () => this.now(), jumpedAt: () => this.jumpedAt }
  private readonly byAttempt = new Map<string, Order[]>()
  private readonly payments: Payments = new Map()
  private readonly known: KnownPostings = { postedKeys: new Set(), holds: new Map() }
  private readonly externalIds = new Set<string>()
  private seed: number
  private ids = 0

  constructor(seed: number, faults: Faults) {
    this.seed = seed
    this.faults = faults
    this.accounts = [1, 2, 3].flatMap((clientId) => [
      { clientId, kind: 'available', balance: 20_000, version: 0, head: genesis },
      { clientId, kind: 'held', balance: 0, version: 0, head: genesis },
    ])
  }

  /** Mulberry32: small, fast, the same everywhere. */
  random(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  /** The time of the gateway's clock, which may be wrong; providers go by `nowMs`. */
  now(): Date {
    return new Date(this.nowMs + this.aheadMs)
  }

  /** Sets the gateway's clock so far ahead of the true time. */
  jump(aheadMs: number): void {
    if (aheadMs === this.aheadMs) return
    this.aheadMs = aheadMs
    this.jumpedAt = this.now()
    this.log(`jump ${aheadMs}`)
  }

  /** Records an intent as the database would: all of it, or nothing. */
  init(): Transaction | undefined {
    const clientId = 1 + Math.floor(this.random() * 3)
    const externalId = `order-${Math.floor(this.random() * 400)}`
    const intent = this.intend(clientId, externalId)
    const { transaction } = draft(intent, this.now())
    this.ids += 1
    Object.assign(transaction, { id: `t${this.ids}`, attemptId: `a${this.ids}` })
    if (this.externalIds.has(`${clientId} ${externalId}`)) return undefined
    const { billReference } = transaction
    if (billReference !== null && this.claims.has(billReference)) return undefined
    if (intent.service.isDebit) {
      const holding = hold(
        { clientId, id: `h${this.ids}`, ref: transaction.id },
        transaction.amount + transaction.fee,
      )
      if (!this.post([holding])[0]?.isPosted) return undefined
      transaction.holdId = holding.id
    }
    this.externalIds.add(`${clientId} ${externalId}`)
    if (billReference !== null) this.claims.set(billReference, transaction.id)
    this.rows.set(keyOf(clientId, transaction.id), transaction)
    this.history.set(transaction.id, [transaction.status])
    this.log(`init ${transaction.id} ${intent.service.code} ${transaction.amount}`)
    return { ...transaction }
  }

  private intend(clientId: number, externalId: string): Intent {
    const service = parseServiceCode(this.pick(codes))
    if (service === undefined) throw new Error('no such service')
    // Few bills, so that many orders are for the same one.
    const bill = Math.floor(this.random() * 12)
    const isBill = service.operation === 'BILL' && !service.isPrepaid
    return {
      clientId,
      keyId: 'key',
      externalId,
      service,
      operation: service.operation,
      amount: isBill ? 200 + 10 * bill : 200 + Math.floor(this.random() * 5000),
      fee: Math.floor(this.random() * 50),
      phone: '771234567',
      payeeName: 'Shop',
      billReference: isBill ? `bill-${bill}` : null,
      callbackUrl: '',
      successUrl: '',
      failureUrl: '',
    }
  }

  driveContext(): DriveContext {
    return {
      clock: this.clock,
      bind: async (transaction) => this.bind(transaction),
      record: (report) => this.atomic(() => this.record(report)),
      beginAttempt: (transaction) => this.atomic(() => this.beginAttempt(transaction)),
      endUntaken: async () => undefined,
      park: async (transaction) => this.log(`park ${transaction.id}`),
    }
  }

  bind(transaction: Transaction): Bound {
    this.owners.set(transaction.attemptId, transaction.id)
    const service = serviceOf(transaction)
    const attempt: Attempt = {
      ...transaction,
      id: transaction.attemptId,
      operation: providerOperation(transaction.operation, false),
      service,
      currency: service.currency,
      originalReference: null,
      callbackUrl: '',
    }
    return { connector: this.connector, capability: this.capabilityOf(attempt), attempt }
  }

  private capabilityOf({ service }: Attempt): Capability {
    return service.provider === 'WALLETB' ? sessions : capability
  }

  /** Runs a commit; the process may die before or after it, and other flows run in between. */
  private async atomic<T>(commit: () => T): Promise<T> {
    await Promise.resolve()
    if (this.chance(this.faults.crash)) throw new Crash('before commit')
    const answer = commit()
    if (this.chance(this.faults.crash)) throw new Crash('after commit')
    await Promise.resolve()
    return answer
  }

  record(plain: OutcomeReport): Applied {
    const report = withSealed(plain)
    // A copy, as from a database: changes that are not written back are lost.
    const name = keyOf(report.clientId, report.transactionId)
    const row = { ...(this.rows.get(name) as Transaction) }
    if (row.completedAt === null) row.attemptedAt = trustedAttemptedAt(row, this.clock, this.now())
    const rows = new Map([[name, row]])
    // As `lockRows` does: an ordinary success reads nothing.
    const isPaid = row.completedAt !== null || row.attemptState === 'parked'
    const payments: Payments = new Map([[name, new Set(isPaid ? this.payments.get(name) : [])]])
    const { applied, effects } = applyReports(rows, [report], this.now(), payments)
    this.keepPayments(name, payments.get(name) ?? new Set())
    this.evidence.push(effects.evidence, effects.conflicts)
    for (const { billReference, status, id } of effects.ended)
      if (billReference !== null && status === 'FAILED' && this.claims.get(billReference) === id)
        this.claims.delete(billReference)
    const posted = this.post(effects.postings.map(({ posting }) => posting))
    effects.postings.forEach(({ transaction }, index) => {
      if (transaction !== null && !posted[index]?.isPosted)
        throw new Error(`${transaction.id} could not be settled`)
    })
    for (const [key, row] of effects.changed) this.rows.set(key, { ...row })
    for (const { id } of effects.moves) {
      const row = rows.get(keyOf(report.clientId, id))
      if (row !== undefined) this.history.get(id)?.push(row.status)
    }
    for (const { transactionId, kind } of effects.conflicts)
      this.conflicts.push(`${kind} ${transactionId}`)
    const [one] = applied
    if (one === undefined) throw new Error('nothing was applied')
    const { status, attemptState } = one.transaction
    this.log(
      `${report.source} ${report.transactionId} ${report.outcome.kind} ${status} ${attemptState}`,
    )
    return { ...one, transaction: { ...one.transaction } }
  }

  private keepPayments(name: string, reported: Set<string>): void {
    const known = this.payments.get(name) ?? new Set()
    for (const one of reported) known.add(one)
    this.payments.set(name, known)
  }

  private beginAttempt(stale: Transaction): Transaction | undefined {
    const row = this.rows.get(keyOf(stale.clientId, stale.id))
    if (row?.attemptId !== stale.attemptId || row.attemptState !== 'not_sent') return undefined
    this.ids += 1
    Object.assign(row, {
      attemptId: `a${this.ids}`,
      attemptNumber: row.attemptNumber + 1,
      attemptState: 'recorded',
      attemptedAt: after(this.now(), ownLeaseMs),
      reference: null,
      dueAt: after(this.now(), ownLeaseMs),
    })
    this.log(`anew ${row.id} ${row.attemptId}`)
    return { ...row }
  }

  private post(postings: Posting[]) {
    const { results, accepted, movedAccounts } = decidePostings(
      this.accounts,
      this.known,
      postings,
      this.now(),
    )
    for (const { posting } of accepted) {
      this.postings.push(posting)
      this.known.postedKeys.add(postingKey(posting))
    }
    this.accounts = this.accounts.map(
      (account) =>
        movedAccounts.find(
          (one) => one.clientId === account.clientId && one.kind === account.kind,
        ) ?? account,
    )
    return results
  }

  private readonly connector: Connector = {
    name: 'simulated',
    capabilities: { collect: capability, disburse: capability, pay_bill: capability },
    submit: async (attempt) => {
      await Promise.resolve()
      return this.submit(attempt)
    },
    query: async (attempt) => {
      await Promise.resolve()
      if (this.isAway) return { ...unknown, isUnreached: true }
      if (this.chance(this.faults.provider)) return unknown
      return this.outcomeOf(attempt)
    },
    readCallback: () => undefined,
  }

  private submit(attempt: Attempt): Outcome {
    if (this.isAway) return this.chance(0.5) ? { kind: 'not_sent', reason: 'refused' } : unknown
    if (this.chance(this.faults.provider / 2)) return { kind: 'not_sent', reason: 'refused' }
    if (this.chance(this.faults.provider / 2)) return unknown
    // Whoever has carried out an order may decline its repetition.
    if (this.ordersOf(attempt.id).length > 0 && this.chance(this.faults.provider))
      return { kind: 'declined', cause: 'balance_low', reason: 'no', reference: null }
    const payer = this.paidBills.get(attempt.billReference ?? '')
    // The biller may check the bill before the id; a forgetful one checks neither.
    const isRefused = payer !== undefined && (payer !== attempt.id || this.chance(0.5))
    if (isRefused && !this.faults.isForgetful)
      return { kind: 'declined', cause: 'already_paid', reason: 'paid', reference: null }
    const reference = this.take(attempt)
    if (this.chance(this.faults.provider)) return unknown
    return { kind: 'accepted', reference }
  }

  private take(attempt: Attempt): string {
    const others = this.ordersOf(attempt.id)
    const [known] = others
    const isSession = this.capabilityOf(attempt) === sessions
    if (known !== undefined && !isSession) {
      if (this.faults.isForgetful && known.end === 'success') known.executed += 1
      return known.reference
    }
    const end = this.chance(0.7)
      ? 'success'
      : this.pick(['decline', 'refuse', 'other_amount'] as const)
    const endsAt = this.nowMs + Math.floor(this.random() * 60_000)
    const lagMaxMs = isSession ? (this.faults.isSearchLate ? 15_000 : 4500) : 25_000
    const isPrompt = this.faults.isForgetful && !isSession
    const lagMs = isPrompt ? 0 : Math.floor(this.random() * lagMaxMs)
    const visibleAt = this.nowMs + lagMs
    const { notFoundIsFinalAfterMs } = this.capabilityOf(attempt)
    const isHidden = lagMs > (notFoundIsFinalAfterMs ?? Infinity)
    const executed = end === 'success' ? 1 : 0
    if (executed === 1 && attempt.billReference !== null)
      this.paidBills.set(attempt.billReference, attempt.id)
    const reference = isSession ? `${attempt.id}-session-${others.length + 1}` : attempt.id
    const order: Order = { attempt, reference, executed, visibleAt, isHidden, endsAt, end }
    this.orders.set(reference, order)
    this.byAttempt.set(attempt.id, [...others, order])
    return reference
  }

  /** The orders of an attempt. */
  private ordersOf(attemptId: string): Order[] {
    return this.byAttempt.get(attemptId) ?? []
  }

  outcomeOf(attempt: Attempt): Outcome {
    const { reference } = attempt
    const isKnown = this.capabilityOf(attempt) === sessions && reference !== null
    const found = this.ordersOf(attempt.id).filter((order) =>
      isKnown ? order.reference === reference : this.nowMs >= order.visibleAt,
    )
    const outcomes = found.map(
      (order): Outcome =>
        this.nowMs < order.endsAt
          ? { kind: 'accepted', reference: order.reference }
          : this.endOf(order),
    )
    const best = paidOf(outcomes) ?? outcomes.findLast(({ kind }) => kind !== 'declined')
    return best ?? outcomes.at(-1) ?? { kind: 'not_found' }
  }

  /** The final outcome of an order. */
  endOf(order: Order): Outcome {
    const { attempt, end, reference } = order
    const { amount, currency } = attempt
    if (end === 'decline') return { kind: 'declined', cause: 'declined', reason: 'no', reference }
    if (end === 'refuse')
      return { kind: 'declined', cause: 'payer_refused', reason: 'no', reference }
    const paid = end === 'other_amount' ? amount + 7 : amount
    const tokens = attempt.service.isPrepaid ? [codeOf(reference), codeOf(`${reference}-2`)] : []
    return { kind: 'succeeded', reference, amount: paid, currency, tokens }
  }

  log(step: string): void {
    this.trace.push(`${this.nowMs} ${step}`)
  }
}

const unknown: Outcome = { kind: 'unknown', reason: 'lost', reference: null }

const codes = [
  'WALLETA_SN_CASHOUT',
  'WALLETA_SN_CASHIN',
  'WALLETB_SN_CASHOUT',
  'WATER_SN_BILL',
  'PREPAID_SN_BILL',
]

/** The recharge code that the provider issues for an order. */
export function codeOf(attemptId: string): string {
  return `code-of-${attemptId}`
}

/** Marks where the recorder would seal the codes: here they stay readable, for the checks. */
function withSealed(report: OutcomeReport): OutcomeReport {
  const { outcome } = report
  if (outcome.kind !== 'succeeded' || outcome.tokens.length === 0) return report
  return { ...report, sealedToken: outcome.tokens.join(' ') }
}
