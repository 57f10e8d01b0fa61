import { newId, newIdVersion4 } from '#base/kit/ids.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { digestOf, linkOf } from '#money/ledger/chain.ts'
import { capture, collect, hold, type Posting, release } from '#money/ledger/postings.ts'
import { callbackUrl, writeEvent } from './history-events.ts'
import { copyRow, escapeCopyText } from './postgres-copy.ts'

/** The state of a merchant's account after the generated rows so far. */
export interface AccountState {
  balance: number
  version: number
  head: string
}

/** The state of a merchant after the generated rows so far. */
export interface MerchantState {
  clientId: number
  keyId: string
  name: string
  available: AccountState
  held: AccountState
  /** The position of its last event. */
  position: number
}

/** The columns that are written, by table. */
export const historyColumns = {
  transactions:
    'client_id id key_id external_id operation service_code amount fee phone payee_name ' +
    'callback_url success_url failure_url status attempt_id attempt_state attempted_at ' +
    'reference hold_id balance_before balance_after created_at completed_at failure',
  attempts: 'client_id id transaction_id number operation created_at',
  external_ids: 'client_id external_id record_kind record_id',
  evidence: 'client_id transaction_id attempt_id at source outcome details dedupe_key',
  ledger_postings: 'client_id id kind ref resolves created_at digest',
  ledger_entries: 'client_id posting_id line account currency amount before after version hash',
  status_history: 'client_id resource record_id from_status trigger to_status at',
  events: 'client_id id key_id position record_kind record_id body created_at',
  deliveries: 'client_id id event_id endpoint url state tries created_at ended_at',
  delivery_attempts: 'client_id delivery_id number at http_status duration_ms excerpt',
} as const

export type HistoryTable = keyof typeof historyColumns

/** Takes a row of a table in COPY's text format. */
export type PutRow = (table: HistoryTable, row: string) => void

type FinalStatus = 'SUCCESS' | 'FAILED' | 'CANCELLED'

const servicePrefixes = {
  CASHOUT: ['WALLETA_SN', 'WALLETB_SN', 'WALLETA_CI', 'WALLETE_ML', 'WALLETF_CM'],
  CASHIN: ['WALLETA_SN', 'WALLETB_SN', 'WALLETA_CI', 'WALLETF_CI', 'WALLETE_CI'],
}
const servicesByCode = new Map<string, Service>()

/**
 * Writes one payment with all rows that the gateway would have left: of a hundred payments some 78
 * are collections and 22 payouts, and 8 do not succeed. `ofProvider`: all of one, as WALLETA_SN.
 */
export function writePayment(
  merchant: MerchantState,
  index: number,
  at: Date,
  putRow: PutRow,
  ofProvider?: string,
): void {
  const draw = (index * 7919) % 100
  const amount = 500 + ((index * 4973) % 49_500)
  const fee = Math.round(amount / 100)
  const isPayout = draw >= 78 && merchant.available.balance >= amount + fee
  const finalStatus = finalStatusOf(draw)
  const operation = isPayout ? 'CASHIN' : 'CASHOUT'
  const payment: Payment = {
    merchant,
    id: newId(at),
    attemptId: newIdVersion4(at),
    externalId: `old-${merchant.clientId}-${index.toString(36)}`,
    service: serviceOf(`${ofProvider ?? servicePrefixes[operation][index % 5]}_${operation}`),
    amount,
    fee,
    phone: `77${String((index * 104_729) % 10_000_000).padStart(7, '0')}`,
    finalStatus,
    isPayout,
    at,
    endedAt: new Date(at.getTime() + 900 + (index % 700)),
  }
  const money = writeMoney(payment, putRow)
  writeRecord(payment, money, putRow)
  writeEvidence(payment, putRow)
  writeEvent(payment, money, putRow)
}

function finalStatusOf(draw: number): FinalStatus {
  if (draw % 25 === 3) return 'FAILED'
  return draw % 25 === 11 ? 'CANCELLED' : 'SUCCESS'
}

export interface Payment {
  merchant: MerchantState
  id: string
  attemptId: string
  externalId: string
  service: Service
  amount: number
  fee: number
  phone: string
  finalStatus: FinalStatus
  isPayout: boolean
  at: Date
  endedAt: Date
}

export interface Money {
  holdId: string | null
  before: number | null
  after: number | null
}

/** Writes the payment's postings; returns the balances that its merchant was shown. */
function writeMoney(payment: Payment, putRow: PutRow): Money {
  const { merchant, id: ref, service, amount, fee, finalStatus, isPayout, at, endedAt } = payment
  const { clientId, available } = merchant
  const headOf = (createdAt: Date) => ({ clientId, id: newId(createdAt), ref })
  if (!isPayout && finalStatus !== 'SUCCESS') return { holdId: null, before: null, after: null }
  const before = available.balance
  if (!isPayout) {
    writePosting(merchant, collect(headOf(endedAt), service, amount, fee), endedAt, putRow)
    return { holdId: null, before, after: available.balance }
  }
  const held = hold(headOf(at), amount + fee)
  writePosting(merchant, held, at, putRow)
  const afterHold = available.balance
  const end =
    finalStatus === 'SUCCESS'
      ? capture(headOf(endedAt), held.id, service, amount, fee)
      : release(headOf(endedAt), held.id, amount + fee)
  writePosting(merchant, end, endedAt, putRow)
  // A captured payment shows the balances around its hold; a released one moved none in the end.
  return finalStatus === 'SUCCESS'
    ? { holdId: held.id, before, after: afterHold }
    : { holdId: held.id, before, after: before }
}

function writePosting(
  merchant: MerchantState,
  posting: Posting,
  createdAt: Date,
  putRow: PutRow,
): void {
  const { clientId, id, kind, ref, resolves, lines } = posting
  const digest = digestOf({ ...posting, createdAt })
  putRow(
    'ledger_postings',
    copyRow([clientId, id, kind, ref, resolves, createdAt.toISOString(), `\\\\x${digest}`]),
  )
  lines.forEach(({ account, currency, amount }, index) => {
    const start = [clientId, id, index, account, currency, amount]
    if (account !== 'available' && account !== 'held') {
      putRow('ledger_entries', copyRow([...start, null, null, null, null]))
      return
    }
    const state = merchant[account]
    const before = state.balance
    const after = before + amount
    const version = state.version + 1
    const hash = linkOf(state.head, digest, { account, version, before, amount, after })
    Object.assign(state, { balance: after, version, head: hash })
    putRow('ledger_entries', copyRow([...start, before, after, version, `\\\\x${hash}`]))
  })
}

function writeRecord(payment: Payment, money: Money, putRow: PutRow): void {
  const { merchant, id, attemptId, externalId, service, amount, fee, phone, finalStatus } = payment
  const { clientId, keyId, name } = merchant
  const [at, endedAt] = [payment.at.toISOString(), payment.endedAt.toISOString()]
  const operation = service.operation
  const failure = { SUCCESS: null, FAILED: 'declined', CANCELLED: 'payer_refused' }[finalStatus]
  putRow(
    'transactions',
    copyRow([clientId, id, keyId, externalId, operation, service.code, amount, fee, phone, name,
      callbackUrl, 'https://shop.example.com/thanks', 'https://shop.example.com/sorry', finalStatus,
      attemptId, 'taken', at, referenceOf(attemptId), money.holdId, money.before,
      money.after, at, endedAt, failure]), // biome-ignore format: a row
  )
  putRow('attempts', copyRow([clientId, attemptId, id, 1, operation, at]))
  putRow('external_ids', copyRow([clientId, externalId, 'transaction', id]))
  const triggers = {
    SUCCESS: 'provider_succeeded',
    FAILED: 'provider_declined',
    CANCELLED: 'payer_refused',
  }
  const putStep = (from: string, trigger: string, to: string, stepAt: string) =>
    putRow('status_history', copyRow([clientId, 'transaction', id, from, trigger, to, stepAt]))
  if (payment.isPayout) putStep('PENDING', 'in_progress', 'PROCESSING', at)
  putStep(payment.isPayout ? 'PROCESSING' : 'PENDING', triggers[finalStatus], finalStatus, endedAt)
}

/** Writes three rows of evidence: the provider's response, an unsigned callback, a status query. */
function writeEvidence(
  { merchant, id, attemptId, finalStatus, at, endedAt, amount }: Payment,
  putRow: PutRow,
) {
  const { clientId } = merchant
  const [first, last] = [at.toISOString(), endedAt.toISOString()]
  const startOf = (recordedAt: string) => [clientId, id, attemptId, recordedAt]
  const dedupeKey = `${attemptId}:completed`
  const outcome = finalStatus === 'SUCCESS' ? 'succeeded' : 'declined'
  putRow('evidence', copyRow([...startOf(first), 'answer', 'accepted', accepted, null]))
  const callback = fillTemplate(callbackTemplate, attemptId, amount)
  putRow('evidence', copyRow([...startOf(last), 'callback', 'unknown', callback, dedupeKey]))
  const query = fillTemplate(queryTemplate, attemptId, amount)
  putRow('evidence', copyRow([...startOf(last), 'query', outcome, query, null]))
}

const excerpt = JSON.stringify({
  transactionReference: 'T****',
  requestingOrganisationTransactionReference: '1.{attempt}',
  amount: '{amount}',
  currency: 'XOF',
  type: 'merchantpay',
  transactionStatus: 'completed',
  debitParty: [{ key: 'msisdn', value: '+77*****67' }],
  creditParty: [{ key: 'organisationid', value: 'passerelle' }],
  creationDate: '2026-01-15T07:16:25.721Z',
  modificationDate: '2026-01-15T07:16:26.781Z',
})
const accepted = escapeCopyText(
  JSON.stringify({
    kind: 'accepted',
    status: 202,
    excerpt: JSON.stringify({
      serverCorrelationId: '****-604b7034eb90',
      status: 'pending',
      notificationMethod: 'callback',
      objectReference: 'T****',
      pollLimit: 100,
      pendingReason: 'Waiting for the other party',
    }),
    reference: '00000006-0000-4000-8000-604b7034eb90',
  }),
)
const callbackTemplate = splitTemplate({
  kind: 'unknown',
  reason: 'a callback says completed',
  status: 200,
  excerpt,
  reference: null,
})
const queryTemplate = splitTemplate({
  kind: 'succeeded',
  status: 200,
  excerpt,
  currency: 'XOF',
  reference: '{reference}',
})

type Template = [beforeAttempt: string, beforeAmount: string, ...rest: string[]]

/** What a provider calls a payment. */
function referenceOf(attemptId: string): string {
  return `T${attemptId.slice(0, 8)}`
}

/** Escaped once for all payments. */
function splitTemplate(details: object): Template {
  return escapeCopyText(JSON.stringify(details)).split(
    /\{attempt\}|\{amount\}|\{reference\}/,
  ) as Template
}

function fillTemplate(template: Template, attemptId: string, amount: number): string {
  const [beforeAttempt, beforeAmount, ...rest] = template
  return beforeAttempt + attemptId + beforeAmount + amount + rest.join(referenceOf(attemptId))
}

function serviceOf(code: string): Service {
  const found = servicesByCode.get(code) ?? parseServiceCode(code)
  if (found === undefined) throw new Error(`there is no service ${code}`)
  servicesByCode.set(code, found)
  return found
}
