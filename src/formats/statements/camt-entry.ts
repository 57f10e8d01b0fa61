import type { Reason } from '#base/kit/refusal.ts'
import {
  type CamtCurrency,
  type CamtScope,
  readCamtAmount,
  readCamtBoolean,
  readCamtSide,
} from './camt-scope.ts'
import type { MomentReader } from './read-moment.ts'
import type { LineKind, LineStatus, StatementLine } from './statement.ts'
import type { Vocabulary } from './vocabulary.ts'
import { folded } from './words.ts'

/** What all transactions of an entry have in common. */
export interface CamtEntry {
  scope: CamtScope
  amount: number
  sign: 1 | -1
  isReversal: boolean
  at: Date
  isDay: boolean
  status: LineStatus | 'information'
}

export interface EntryParts {
  readMoment: MomentReader
  isDay(text: string): boolean
  vocabulary: Vocabulary
  currency: CamtCurrency
}

const statuses: Record<string, CamtEntry['status']> = {
  BOOK: 'succeeded',
  PDNG: 'pending',
  FUTR: 'pending',
  INFO: 'information',
}

/** Reads an entry without its transactions, or everything that is wrong with it. */
export function readEntry(scope: CamtScope, parts: EntryParts): CamtEntry | Reason[] {
  const problems: Reason[] = []
  const amount = readCamtAmount(scope, 'amount', 'Amt', parts.currency)
  if (typeof amount !== 'number') problems.push(amount)
  else if (amount === 0) problems.push(scope.problem('amount', 'Amt', 'zero'))
  const sign = readCamtSide(scope, 'side')
  if (typeof sign !== 'number') problems.push(sign)
  const isReversal = readCamtBoolean(scope, 'isReversal', 'RvslInd') ?? false
  if (typeof isReversal !== 'boolean') problems.push(isReversal)
  const status = statuses[scope.text('status') ?? '']
  if (status === undefined)
    problems.push(
      scope.problem('status', 'Sts', 'noStatus', { known: Object.keys(statuses).join(', ') }),
    )
  const dated = readAt(scope, parts, problems)
  if (typeof amount !== 'number' || typeof sign !== 'number' || !status || !dated) return problems
  if (typeof isReversal !== 'boolean' || problems.length > 0) return problems
  return { scope, amount, sign, isReversal, ...dated, status }
}

function readAt(scope: CamtScope, { readMoment, isDay }: EntryParts, problems: Reason[]) {
  const key = ['bookedAt', 'bookedOn', 'valueAt', 'valueOn'].find((one) => scope.has(one))
  const text = key === undefined ? '' : (scope.text(key) ?? '')
  const read = readMoment(text)
  if (read === undefined)
    problems.push(
      scope.problem(key ?? 'bookedAt', 'BookgDt', 'noDate', {
        formats: 'ISO 8601',
        example: '2026-11-16T10:30:00Z',
      }),
    )
  return read && { at: read, isDay: isDay(text) }
}

/** A transaction of an entry; without one, the entry itself. */
export interface CamtTransaction {
  scope: CamtScope | undefined
  /** Which one of several of the entry; undefined: the only one. */
  number: number | undefined
  /** What was booked for it. */
  booked: number
  sign: 1 | -1
  charges: number
}

/** The line of a transaction, but for its number; what is wrong with it otherwise. */
export function lineOf(
  entry: CamtEntry,
  { scope, number, booked, sign, charges }: CamtTransaction,
  parts: EntryParts,
): Omit<StatementLine, 'line'> | Reason {
  const own = scope ?? entry.scope
  if (charges < 0) return own.problem('charges', 'Chrgs', 'negative', { value: charges })
  const gross = booked + sign * charges
  // A debit that is all charges is a line of fees itself.
  const isFee = gross <= 0
  const kind = isFee ? 'fee' : kindOf(entry, scope, sign, parts.vocabulary)
  const reference = referenceOf(entry, scope, number)
  const ourReference = ourReferenceOf(scope)
  const isPayment = !['fee', 'transfer', 'other'].includes(kind)
  if (isPayment && reference === null && ourReference === null)
    return own.problem('reference', 'AcctSvcrRef', 'empty', { example: 'MP261116.1030.A12345' })
  return {
    ...preciseAt(entry, scope, parts.readMoment),
    reference,
    ourReference,
    kind,
    phone: phoneOf(scope, sign),
    amount: isFee ? booked : gross,
    sign,
    fee: isFee ? 0 : charges,
    status: entry.status === 'information' ? 'pending' : entry.status,
    balance: null,
  }
}

const feeCodes = new Set(['CHRG', 'FEES', 'COMM'])
const transferCodes = new Set(['BOOK', 'ZABA', 'SWEP', 'TOPG', 'FICT'])

function kindOf(
  { scope: entry, isReversal }: CamtEntry,
  scope: CamtScope | undefined,
  sign: 1 | -1,
  { kinds }: Vocabulary,
): LineKind {
  const textOf = (key: string) => scope?.text(key) ?? entry.text(key) ?? ''
  const given = kinds.get(folded(textOf('code')))
  if (given !== undefined) return given.kind
  if (isReversal || scope?.has('returnReason')) return 'reverse'
  const subFamily = textOf('subFamily')
  if (feeCodes.has(subFamily)) return sign === -1 ? 'fee' : 'other'
  const isNamed = ourReferenceOf(scope) !== null
  if (!isNamed && transferCodes.has(subFamily)) return 'transfer'
  return sign === 1 ? 'collect' : 'disburse'
}

/** The provider's reference: of several transactions of an entry, each has its own. */
function referenceOf(
  { scope: entry }: CamtEntry,
  scope: CamtScope | undefined,
  number: number | undefined,
): string | null {
  const own = scope?.text('reference') ?? scope?.text('transactionId')
  const shared = entry.text('reference') ?? entry.text('entryReference')
  if (own !== undefined && (number === undefined || own !== shared)) return own
  if (shared === undefined) return null
  return number === undefined ? shared : `${shared}/${number}`
}

const notProvided = /^not ?provided$/i

function ourReferenceOf(scope: CamtScope | undefined): string | null {
  const found = ['endToEndId', 'instructionId']
    .map((key) => scope?.text(key))
    .find((text) => text !== undefined && !notProvided.test(text))
  return found ?? null
}

/** The other side of the transaction: the number of a wallet, or of a phone. */
function phoneOf(scope: CamtScope | undefined, sign: 1 | -1): string | null {
  const side = sign === 1 ? 'debtor' : 'creditor'
  const found = scope?.text(`${side}Phone`) ?? scope?.text(`${side}Account`)
  return found?.slice(0, 40) ?? null
}

/** An entry often has its day only, and its transaction the time on that day. */
function preciseAt(
  { at, isDay }: CamtEntry,
  scope: CamtScope | undefined,
  readMoment: MomentReader,
): Pick<StatementLine, 'at' | 'isDay'> {
  const text = scope?.text('acceptedAt') ?? scope?.text('transactionAt')
  const moment = text === undefined ? undefined : readMoment(text)
  const sinceStart = moment === undefined ? -1 : moment.getTime() - at.getTime()
  if (moment !== undefined && sinceStart >= 0 && sinceStart < dayMs) return { at: moment }
  return isDay ? { at, isDay } : { at }
}

const dayMs = 86_400_000
