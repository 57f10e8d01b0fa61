import { type Reason, reason } from '#base/kit/refusal.ts'
import { CamtBalances } from './camt-balances.ts'
import {
  type CamtEntry,
  type CamtTransaction,
  type EntryParts,
  lineOf,
  readEntry,
} from './camt-entry.ts'
import { addCharge, CamtCurrency, CamtScope, readCamtAmount, readCamtSide } from './camt-scope.ts'
import type { CamtNode } from './camt-tree.ts'
import type { Mapping } from './mapping.ts'
import { dayTest, momentReader } from './read-moment.ts'
import { sentences } from './sentences.ts'
import type { StatementItem } from './statement.ts'
import { vocabularyOf } from './vocabulary.ts'

type Whole = NonNullable<CamtNode['ends']>

/** An entry whose transactions come one by one: there may be very many. */
interface OpenEntry {
  read: CamtEntry | undefined
  /** The first one, kept until it is known whether there is another. */
  first: CamtScope | undefined
  transactions: number
  /** With their signs. */
  booked: number
}

// With and without time and zone, as XML writes them.
const formats = ['iso', 'yyyy-MM-dd', 'yyyy-MM-ddXXX']

/** Makes lines, balances and problems of the elements of a document as they end. */
export class CamtStatements {
  readonly #parts: EntryParts
  readonly #balances: CamtBalances
  #items: StatementItem[] = []
  readonly #scopes: CamtScope[] = []
  #entry: OpenEntry | undefined
  #entries = 0
  #entriesOfStatement = 0
  #lines = 0

  constructor(
    mapping: Mapping | undefined,
    { currency, timeZone }: { currency?: string | undefined; timeZone?: string | undefined },
  ) {
    const vocabulary = vocabularyOf(mapping ?? noWords)
    const readMoment = momentReader(formats, mapping?.timeZone ?? timeZone ?? 'UTC')
    const dates = { readMoment, isDay: dayTest(formats) }
    this.#parts = { ...dates, vocabulary, currency: new CamtCurrency(currency) }
    this.#balances = new CamtBalances(this.#parts)
  }

  takeItems(): StatementItem[] {
    const items = this.#items
    this.#items = []
    return items
  }

  /** A text of the whole that is open. */
  keep(key: string, text: string, currency: string | undefined): void {
    this.#scopes.at(-1)?.keep(key, text, currency)
  }

  begin(whole: Whole, line: number): void {
    if (whole === 'statement') this.#entriesOfStatement = 0
    if (whole === 'entry') {
      this.#entries += 1
      this.#entriesOfStatement += 1
      this.#entry = { read: undefined, first: undefined, transactions: 0, booked: 0 }
    }
    this.#scopes.push(new CamtScope(this.#nameOf(whole), line))
  }

  end(whole: Whole): void {
    const scope = this.#scopes.pop()
    const owner = this.#scopes.at(-1)
    if (scope === undefined) return
    if (whole === 'charge' && owner !== undefined)
      this.#note(addCharge(scope, owner, this.#parts.currency))
    else if (whole === 'charges' && owner !== undefined) this.#endCharges(scope, owner)
    else if (whole === 'transaction' && owner !== undefined) this.#endTransaction(scope, owner)
    else if (whole === 'entry') this.#endEntry(scope)
    else if (whole === 'balance') this.#note(this.#balances.take(scope))
    else if (whole === 'statement') this.#endStatement(scope)
  }

  finish(): void {
    this.#items.push(...this.#balances.items())
  }

  #nameOf(whole: Whole): string {
    const entry = `Ntry[${this.#entries}]`
    const number = (this.#entry?.transactions ?? 0) + 1
    if (whole === 'entry') return entry
    if (whole === 'transaction') return `${entry}/TxDtls[${number}]`
    const within = this.#scopes.at(-1)?.name ?? ''
    return whole === 'charge' ? `${within}/Rcrd` : whole === 'charges' ? `${within}/Chrgs` : whole
  }

  #note(problem: Reason | undefined): void {
    if (problem === undefined) return
    const line = Number(problem.values.line ?? 0)
    this.#items.push({ kind: 'problem', line, reason: problem })
  }

  /** Records of charges, where there are some; else the one charge or the total. */
  #endCharges(scope: CamtScope, owner: CamtScope): void {
    if (scope.hasCharge) {
      owner.hasCharge = true
      owner.charges += scope.charges
    } else this.#note(addCharge(scope, owner, this.#parts.currency))
  }

  #endTransaction(scope: CamtScope, owner: CamtScope): void {
    const entry = this.#entry
    if (entry === undefined) return
    entry.transactions += 1
    if (entry.transactions === 1) {
      entry.first = scope
      return
    }
    if (entry.transactions === 2) {
      entry.read = this.#readEntry(owner)
      if (entry.first !== undefined) this.#addOneOfMany(entry, entry.first, 1)
    }
    this.#addOneOfMany(entry, scope, entry.transactions)
  }

  /** Undefined: something is wrong with it, or it was not booked; both are noted. */
  #readEntry(scope: CamtScope): CamtEntry | undefined {
    const read = readEntry(scope, this.#parts)
    if (Array.isArray(read)) for (const problem of read) this.#note(problem)
    else if (read.status === 'information') {
      const { line } = scope
      const why = reason(sentences.skippedInformation, { line, column: scope.name })
      this.#items.push({ kind: 'skipped', line, reason: why })
    } else return read
    return undefined
  }

  #addOneOfMany(entry: OpenEntry, scope: CamtScope, number: number): void {
    if (entry.read === undefined) return
    const problems: Reason[] = []
    const key = scope.has('amount') ? 'amount' : 'transactionAmount'
    const amount = readCamtAmount(scope, key, 'Amt', this.#parts.currency)
    if (typeof amount !== 'number') problems.push(amount)
    else if (amount === 0) problems.push(scope.problem(key, 'Amt', 'zero'))
    const sign = scope.has('side') ? readCamtSide(scope, 'side') : entry.read.sign
    if (typeof sign !== 'number') problems.push(sign)
    for (const problem of problems) this.#note(problem)
    if (typeof amount !== 'number' || typeof sign !== 'number' || problems.length > 0) return
    entry.booked += sign * amount
    this.#add(entry.read, { scope, number, booked: amount, sign, charges: scope.charges })
  }

  #endEntry(scope: CamtScope): void {
    const { transactions, first, read, booked } = this.#entry ?? emptyEntry
    this.#entry = undefined
    if (transactions > 1) {
      if (read !== undefined) this.#endMany(read, booked)
      return
    }
    const entry = this.#readEntry(scope)
    if (entry === undefined) return
    const charges = scope.hasCharge ? scope.charges : (first?.charges ?? 0)
    const { amount, sign } = entry
    this.#add(entry, { scope: first, number: undefined, booked: amount, sign, charges })
  }

  /** Several transactions must be the entry, but for charges of the entry as a whole. */
  #endMany(entry: CamtEntry, booked: number): void {
    const { scope } = entry
    const whole = entry.sign * entry.amount
    if (booked === whole) return
    const charges = booked - whole
    if (charges !== scope.charges) {
      this.#note(scope.problem('amount', 'Amt', 'otherSum', { sum: booked }))
      return
    }
    this.#add(entry, { scope: undefined, number: undefined, booked: charges, sign: -1, charges })
  }

  #add(entry: CamtEntry, transaction: CamtTransaction): void {
    const line = lineOf(entry, transaction, this.#parts)
    if ('text' in line) {
      this.#note(line)
      return
    }
    this.#lines += 1
    this.#items.push({ kind: 'line', line: { line: this.#lines, ...line } })
  }

  #endStatement(scope: CamtScope): void {
    for (const problem of this.#balances.endStatement(scope)) this.#note(problem)
    const told = scope.text('entryCount')
    const isRight = /^\d+$/.test(told ?? '') && Number(told) === this.#entriesOfStatement
    if (told === undefined || isRight) return
    const { line } = scope
    const values = { line, told, count: this.#entriesOfStatement }
    this.#note(reason(sentences.otherCount, values))
  }
}

const emptyEntry: OpenEntry = { read: undefined, first: undefined, transactions: 0, booked: 0 }
const noWords: Mapping = { version: 1, columns: { at: '-' } }
