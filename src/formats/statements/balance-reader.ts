import { reason } from '#base/kit/refusal.ts'
import type { TableRow } from '#formats/tables/table.ts'
import { signed } from './read-amounts.ts'
import { readFrancs } from './read-francs.ts'
import type { LineParts } from './read-line.ts'
import { sentences } from './sentences.ts'
import type { StatementItem, StatementLine } from './statement.ts'
import { folded } from './words.ts'

type Which = 'opening' | 'closing'

/** A balance that a line of its own tells, and its date where that line has one. */
interface Told {
  amount: number
  at: Date | undefined
}

/** Finds the opening and closing balance: in lines of their own, else by the running balance. */
export class BalanceReader {
  readonly #parts: LineParts
  readonly #labels: [which: Which, label: string][]
  readonly #told = new Map<Which, Told>()
  #first: StatementLine | undefined
  #last: StatementLine | undefined

  constructor(parts: LineParts) {
    this.#parts = parts
    const { opening, closing } = parts.mapping.balances ?? {}
    this.#labels = (
      [
        ['opening', opening],
        ['closing', closing],
      ] as const
    ).flatMap(([which, label]) => (label === undefined ? [] : [[which, folded(label)]]))
  }

  /** Undefined: the row is none that tells a balance. */
  take(row: TableRow): StatementItem[] | undefined {
    if (this.#labels.length === 0 || this.#isPayment(row)) return undefined
    for (const [which, label] of this.#labels) {
      const place = row.cells.findIndex((cell) => folded(cell).startsWith(label))
      if (place !== -1) return this.#tell(row, which, place)
    }
    return undefined
  }

  /** A text of a payer must not make a balance of a payment: those have references. */
  #isPayment({ cells }: TableRow): boolean {
    const { places } = this.#parts.header
    const named = [...(places.get('reference') ?? []), ...(places.get('ourReference') ?? [])]
    return named.some((place) => (cells[place] ?? '').trim() !== '')
  }

  #tell({ cells, line }: TableRow, which: Which, place: number): StatementItem[] {
    const { mapping, header, readMoment } = this.#parts
    const amount = [afterColon(cells[place] ?? ''), ...cells.slice(place + 1)]
      .map((cell) => readFrancs(cell.trim(), mapping.decimal))
      .find((read) => typeof read !== 'string')
    if (amount === undefined) {
      const label = mapping.balances?.[which] ?? ''
      return [{ kind: 'problem', line, reason: reason(sentences.noBalance, { line, label }) }]
    }
    const at = readMoment((cells[header.places.get('at')?.[0] ?? -1] ?? '').trim())
    // Pages may repeat them: the first opening and the last closing balance are the file's.
    if (which === 'closing' || !this.#told.has(which))
      this.#told.set(which, { amount: signed(amount), at })
    return []
  }

  /** Notes a line that was read. */
  follow(line: StatementLine): void {
    this.#first ??= line
    this.#last = line
  }

  finish(): StatementItem[] {
    const [oldest, newest] = this.#ends()
    if (oldest === undefined || newest === undefined) return this.#withoutLines()
    const opening = this.#told.get('opening') ?? { amount: before(oldest), at: undefined }
    const closing = this.#told.get('closing') ?? { amount: newest.balance, at: undefined }
    return [
      ...this.#checkOrder(),
      ...item('opening', opening.amount, earlier(opening.at, oldest.at)),
      ...item('closing', closing.amount, later(closing.at, newest.at)),
    ]
  }

  #ends(): [oldest: StatementLine | undefined, newest: StatementLine | undefined] {
    const ends = [this.#first, this.#last] as const
    const isNewestFirst = this.#parts.mapping.order === 'newest_first'
    return isNewestFirst ? [ends[1], ends[0]] : [ends[0], ends[1]]
  }

  #withoutLines(): StatementItem[] {
    return [...this.#told].flatMap(([which, { amount, at }]) => item(which, amount, at))
  }

  /** Running balances that are read backwards would give the wrong two. */
  #checkOrder(): StatementItem[] {
    const [oldest, newest] = this.#ends()
    if (oldest === undefined || newest === undefined || newest.balance === null) return []
    if (oldest.at <= newest.at) return []
    const order = this.#parts.mapping.order === 'newest_first' ? 'oldest_first' : 'newest_first'
    const line = this.#last?.line ?? 0
    const [first, last] = [this.#first, this.#last].map((one) => one?.at.toISOString() ?? '')
    const values = { line, first: first ?? '', last: last ?? '', order }
    return [{ kind: 'problem', line, reason: reason(sentences.wrongOrder, values) }]
  }
}

function item(which: Which, amount: number | null, at: Date | undefined): StatementItem[] {
  return amount === null || at === undefined ? [] : [{ kind: 'balance', which, amount, at }]
}

/** What was held before a line; null: the file does not tell. */
function before(line: StatementLine): number | null {
  return line.balance === null ? null : line.balance - effectOf(line)
}

/** What a line does to the running balance. */
function effectOf({ status, sign, amount, fee }: StatementLine): number {
  return status === 'succeeded' ? sign * amount - fee : 0
}

function afterColon(cell: string): string {
  return cell.slice(cell.indexOf(':') + 1)
}

function earlier(one: Date | undefined, other: Date): Date {
  return one !== undefined && one < other ? one : other
}

function later(one: Date | undefined, other: Date): Date {
  return one !== undefined && one > other ? one : other
}
