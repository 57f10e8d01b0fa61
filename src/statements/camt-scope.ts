import type { Reason } from '../catalog/refusal.ts'
import { reason } from '../catalog/refusal.ts'
import { oneLine } from '../kit/one-line.ts'
import { readFrancs } from './read-francs.ts'
import { sentences } from './sentences.ts'

/** The texts of an element that were kept, and the charges in it. */
export class CamtScope {
  /** Where the element begins. */
  readonly line: number
  /** How sentences name it: Ntry[12]. */
  readonly name: string
  /** What the provider kept, by all charges together. */
  charges = 0
  hasCharge = false
  readonly #texts = new Map<string, string>()

  constructor(name: string, line: number) {
    this.name = name
    this.line = line
  }

  keep(key: string, text: string, currency: string | undefined): void {
    this.#texts.set(key, text)
    if (currency !== undefined) this.#texts.set(`${key}Currency`, currency)
  }

  text(key: string): string | undefined {
    return this.#texts.get(key)
  }

  has(key: string): boolean {
    return this.#texts.has(key)
  }

  /** The sentence for what is wrong with one of its elements. */
  problem(
    key: string,
    element: string,
    sentence: keyof typeof sentences,
    values: Reason['values'] = {},
  ): Reason {
    const value = oneLine(this.#texts.get(key) ?? '', 60)
    const column = `${this.name}/${element}`
    return reason(sentences[sentence], { line: this.line, column, value, ...values })
  }
}

/** Which francs the file is in: the account's, or those of its first amount. */
export class CamtCurrency {
  #currency: string | undefined

  constructor(currency: string | undefined) {
    this.#currency = currency
  }

  /** Whether an amount is in the one currency of the file. */
  isOwn(currency: string): boolean {
    if (this.#currency === undefined && francs.includes(currency)) this.#currency = currency
    return currency === this.#currency
  }

  get known(): string {
    return this.#currency ?? francs.join(', ')
  }
}

const francs = ['XOF', 'XAF']

/** An amount of an element in whole francs; what is wrong with it otherwise. */
export function readCamtAmount(
  scope: CamtScope,
  key: string,
  element: string,
  currency: CamtCurrency,
): number | Reason {
  const text = scope.text(key)
  if (text === undefined) return scope.problem(key, element, 'empty', { example: '15000' })
  const own = scope.text(`${key}Currency`) ?? ''
  if (!currency.isOwn(own))
    return scope.problem(key, element, 'otherCurrency', { value: own, known: currency.known })
  // XML has no groups of digits, and its amounts have no sign.
  const read = /^\d+(\.\d+)?$/.test(text) ? readFrancs(text, '.') : 'unreadable'
  return typeof read === 'string' ? scope.problem(key, element, read) : read.amount
}

/** Adds a charge to the element that it is of; what is wrong with it otherwise. */
export function addCharge(
  charge: CamtScope,
  owner: CamtScope,
  currency: CamtCurrency,
): Reason | undefined {
  const key = charge.has('chargeAmount') ? 'chargeAmount' : 'chargeTotal'
  if (!charge.has(key)) return undefined
  owner.hasCharge = true
  // Charges that the amount does not include are booked elsewhere, and here for information only.
  if (charge.text('isIncluded') === 'false') return undefined
  const amount = readCamtAmount(charge, key, 'Amt', currency)
  if (typeof amount !== 'number') return amount
  const tax = charge.has('chargeTax') ? readCamtAmount(charge, 'chargeTax', 'Tax/Amt', currency) : 0
  if (typeof tax !== 'number') return tax
  owner.charges += charge.text('chargeSide') === 'CRDT' ? -amount - tax : amount + tax
  return undefined
}
