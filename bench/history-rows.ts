import { randomUUID } from 'node:crypto'
import type { Service } from '../src/catalog/services.ts'
import { parseServiceCode } from '../src/catalog/services.ts'
import { digestOf, linkOf } from '../src/ledger/chain.ts'
import type { Posting } from '../src/ledger/postings.ts'
import { capture, collect, hold, release } from '../src/ledger/postings.ts'
import { escaped, line } from './copy.ts'

/** A merchant's account while its history is made up. */
export interface AccountState {
  balance: number
  version: number
  head: string
}

/** A merchant while its history is made up. */
export interface MerchantState {
  clientId: number
  keyId: string
  name: string
  available: AccountState
  held: AccountState
  /** The last position of its events. */
  position: number
}

/** What is written, table by table. */
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
  events: 'client_id id position record_kind record_id body created_at',
  deliveries: 'client_id id event_id endpoint url state tries created_at ended_at',
  delivery_attempts: 'client_id delivery_id number at http_status duration_ms excerpt',
} as const

export type HistoryTable = keyof typeof historyColumns

/** Where lines go. */
export type Put = (table: HistoryTable, line: string) => void

type Fate = 'SUCCESS' | 'FAILED' | 'CANCELLED'

const codes = {
  CASHOUT: ['WALLETA_SN', 'WALLETB_SN', 'WALLETA_CI', 'WALLETE_ML', 'WALLETF_CM'],
  CASHIN: ['WALLETA_SN', 'WALLETB_SN', 'WALLETA_CI', 'WALLETF_CI', 'WALLETE_CI'],
}
const services = new Map<string, Service>()

/**
 * Writes one payment of the past with all that it left behind: of a hundred, some 78 collections
 * and 22 payouts, 8 of them in vain.
 */
export function writePayment(merchant: MerchantState, index: number, at: Date, put: Put): void {
  const draw = (index * 7919) % 100
  const amount = 500 + ((index * 4973) % 49_500)
  const fee = Math.round(amount / 100)
  const isPayout = draw >= 78 && merchant.available.balance >= amount + fee
  const fate = fateOf(draw)
  const operation = isPayout ? 'CASHIN' : 'CASHOUT'
  const payment: Payment = {
    merchant,
    id: idAt(at),
    attemptId: idAt(at, '4'),
    externalId: `old-${merchant.clientId}-${index.toString(36)}`,
    service: serviceOf(`${codes[operation][index % 5]}_${operation}`),
    amount,
    fee,
    phone: `77${String((index * 104_729) % 10_000_000).padStart(7, '0')}`,
    fate,
    isPayout,
    at,
    endedAt: new Date(at.getTime() + 900 + (index % 700)),
  }
  const money = writeMoney(payment, put)
  writeRecord(payment, money, put)
  writeEvidence(payment, put)
  writeEvent(payment, money, put)
}

function fateOf(draw: number): Fate {
  if (draw % 25 === 3) return 'FAILED'
  return draw % 25 === 11 ? 'CANCELLED' : 'SUCCESS'
}

interface Payment {
  merchant: MerchantState
  id: string
  attemptId: string
  externalId: string
  service: Service
  amount: number
  fee: number
  phone: string
  fate: Fate
  isPayout: boolean
  at: Date
  endedAt: Date
}

interface Money {
  holdId: string | null
  before: number | null
  after: number | null
}

/** The postings that the payment means, and the balances that its merchant was told. */
function writeMoney(payment: Payment, put: Put): Money {
  const { merchant, id: ref, service, amount, fee, fate, isPayout, at, endedAt } = payment
  const { clientId, available } = merchant
  const head = (when: Date) => ({ clientId, id: idAt(when), ref })
  if (!isPayout && fate !== 'SUCCESS') return { holdId: null, before: null, after: null }
  const before = available.balance
  if (!isPayout) {
    writePosting(merchant, collect(head(endedAt), service, amount, fee), endedAt, put)
    return { holdId: null, before, after: available.balance }
  }
  const held = hold(head(at), amount + fee)
  writePosting(merchant, held, at, put)
  const low = available.balance
  const end =
    fate === 'SUCCESS'
      ? capture(head(endedAt), held.id, service, amount, fee)
      : release(head(endedAt), held.id, amount + fee)
  writePosting(merchant, end, endedAt, put)
  // Of a capture the merchant saw the hold move; of a release, the release.
  return fate === 'SUCCESS'
    ? { holdId: held.id, before, after: low }
    : { holdId: held.id, before: low, after: before }
}

function writePosting(merchant: MerchantState, posting: Posting, createdAt: Date, put: Put): void {
  const { clientId, id, kind, ref, resolves, lines } = posting
  const digest = digestOf({ ...posting, createdAt })
  put(
    'ledger_postings',
    line([clientId, id, kind, ref, resolves, createdAt.toISOString(), `\\\\x${digest}`]),
  )
  lines.forEach(({ account, currency, amount }, index) => {
    const start = [clientId, id, index, account, currency, amount]
    if (account !== 'available' && account !== 'held') {
      put('ledger_entries', line([...start, null, null, null, null]))
      return
    }
    const state = merchant[account]
    const before = state.balance
    const after = before + amount
    const version = state.version + 1
    const hash = linkOf(state.head, digest, { account, version, before, amount, after })
    Object.assign(state, { balance: after, version, head: hash })
    put('ledger_entries', line([...start, before, after, version, `\\\\x${hash}`]))
  })
}

const callbackUrl = 'https://shop.example.com/webhooks/passerelle'

function writeRecord(payment: Payment, money: Money, put: Put): void {
  const { merchant, id, attemptId, externalId, service, amount, fee, phone, fate } = payment
  const { clientId, keyId, name } = merchant
  const [at, endedAt] = [payment.at.toISOString(), payment.endedAt.toISOString()]
  const operation = service.operation
  const failure = { SUCCESS: null, FAILED: 'declined', CANCELLED: 'payer_refused' }[fate]
  put(
    'transactions',
    line([clientId, id, keyId, externalId, operation, service.code, amount, fee, phone, name,
      callbackUrl, 'https://shop.example.com/thanks', 'https://shop.example.com/sorry', fate,
      attemptId, 'taken', at, `T${attemptId.slice(0, 8)}`, money.holdId, money.before,
      money.after, at, endedAt, failure]), // biome-ignore format: a row
  )
  put('attempts', line([clientId, attemptId, id, 1, operation, at]))
  put('external_ids', line([clientId, externalId, 'transaction', id]))
  const triggers = {
    SUCCESS: 'provider_succeeded',
    FAILED: 'provider_declined',
    CANCELLED: 'payer_refused',
  }
  const step = (from: string, trigger: string, to: string, when: string) =>
    put('status_history', line([clientId, 'transaction', id, from, trigger, to, when]))
  if (payment.isPayout) step('PENDING', 'in_progress', 'PROCESSING', at)
  step(payment.isPayout ? 'PROCESSING' : 'PENDING', triggers[fate], fate, endedAt)
}

/** What the provider said: its answer, a callback nobody signed, and what it said when asked. */
function writeEvidence({ merchant, id, attemptId, fate, at, endedAt, amount }: Payment, put: Put) {
  const { clientId } = merchant
  const [first, last] = [at.toISOString(), endedAt.toISOString()]
  const start = (when: string) => [clientId, id, attemptId, when]
  const key = `${attemptId}:completed`
  const told = fate === 'SUCCESS' ? 'succeeded' : 'declined'
  put('evidence', line([...start(first), 'answer', 'accepted', accepted, null]))
  const callback = around(heardCallback, attemptId, amount)
  put('evidence', line([...start(last), 'callback', 'unknown', callback, key]))
  const asked = around(heardQuery, attemptId, amount)
  put('evidence', line([...start(last), 'query', told, asked, null]))
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
const accepted = escaped(
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
const heardCallback = split({
  kind: 'unknown',
  reason: 'a callback says completed',
  status: 200,
  excerpt,
  reference: null,
})
const heardQuery = split({ kind: 'succeeded', status: 200, excerpt, currency: 'XOF' })

type Parts = [string, string, string]

function split(details: object): Parts {
  return escaped(JSON.stringify(details)).split(/\{attempt\}|\{amount\}/) as Parts
}

function around([before, between, behind]: Parts, attemptId: string, amount: number): string {
  return before + attemptId + between + amount + behind
}

function writeEvent(payment: Payment, money: Money, put: Put): void {
  const { merchant, id, externalId, service, amount, fee, phone, fate, endedAt } = payment
  const { clientId, available } = merchant
  const ended = endedAt.toISOString()
  const [before, after] = [money.before ?? available.balance, money.after ?? available.balance]
  const body = JSON.stringify({
    id,
    externalTransactionId: externalId,
    transactionType: service.operation,
    AMOUNT: amount,
    FEE: fee,
    PHONE_NUMBER: phone,
    STATUS: fate,
    CUSTOM_DATA: '{}',
    COMPLETED_AT: ended,
    BALANCE: after,
    PREVIOUS_BALANCE: before,
    CURRENT_BALANCE: after,
  })
  merchant.position += 1
  const [eventId, deliveryId] = [idAt(endedAt), idAt(endedAt)]
  const endpoint = 'https://shop.example.com'
  put('events', line([clientId, eventId, merchant.position, 'transaction', id, body, ended]))
  put(
    'deliveries',
    line([clientId, deliveryId, eventId, endpoint, callbackUrl, 'delivered', 1, ended, ended]),
  )
  put('delivery_attempts', line([clientId, deliveryId, 1, ended, 200, 80, 'ok']))
}

function serviceOf(code: string): Service {
  const found = services.get(code) ?? parseServiceCode(code)
  if (found === undefined) throw new Error(`there is no service ${code}`)
  services.set(code, found)
  return found
}

/** As the kit's ids, which begin with their moment; quicker, for a history needs millions. */
function idAt(at: Date, version: '4' | '7' = '7'): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${randomUUID().slice(15)}`
}
