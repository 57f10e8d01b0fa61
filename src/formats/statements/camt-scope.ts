import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { readXmlBoolean } from '#formats/tables/read-xml.ts'
import { readXmlFrancs } from './read-xml-francs.ts'
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
  const read = readXmlFrancs(text)
  return typeof read === 'string' ? scope.problem(key, element, read) : read
}

/** Which way an element says that money went; what is wrong with it otherwise. */
export function readCamtSide(scope: CamtScope, key: string): 1 | -1 | Reason {
  const side = scope.text(key)
  if (side === 'CRDT') return 1
  if (side === 'DBIT') return -1
  return scope.problem(key, 'CdtDbtInd', 'noSign', { known: 'CRDT, DBIT' })
}

/** What an element says is so or not; undefined: it is not there. */
export function readCamtBoolean(
  scope: CamtScope,
  key: string,
  element: string,
): boolean | undefined | Reason {
  const text = scope.text(key)
  if (text === undefined) return undefined
  return readXmlBoolean(text) ?? scope.problem(key, element, 'noBoolean')
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
  const isIncluded = readCamtBoolean(charge, 'isIncluded', 'ChrgInclInd') ?? true
  if (typeof isIncluded !== 'boolean') return isIncluded
  if (!isIncluded) return undefined
  const amount = readCamtAmount(charge, key, 'Amt', currency)
  if (typeof amount !== 'number') return amount
  const tax = charge.has('chargeTax') ? readCamtAmount(charge, 'chargeTax', 'Tax/Amt', currency) : 0
  if (typeof tax !== 'number') return tax
  const side = charge.has('chargeSide') ? readCamtSide(charge, 'chargeSide') : -1
  if (typeof side !== 'number') return side
  owner.charges -= side * (amount + tax)
  return undefined
}
