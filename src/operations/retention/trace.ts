/** A payer's number, in the forms in which it can be stored. */
export interface Wanted {
  country: string
  /** As transactions have it. */
  phone: string
  pseudonym: string
  /** The digits of every way to write it in its country. */
  written: string[]
}

/** Tables that can have a payer's number, as a file names them. */
export const traceTables = [
  'transactions',
  'events',
  'links',
  'mails',
  'delivery_attempts',
  'batch_lines',
  'statement_lines',
  'recon_cases',
  'blocked_numbers',
] as const

/**
 * `plain`: the number stands there; `open`: and is still needed; `forgotten`: a pseudonym stands
 * there; `kept`: the number stays.
 */
export type TraceState = 'plain' | 'open' | 'forgotten' | 'kept'

/** Something that a number took part in. */
export interface Trace {
  table: (typeof traceTables)[number]
  id: string
  /** Null: of no client. */
  clientId: number | null
  serviceCode: string | null
  /** Whole francs. */
  amount: number | null
  status: string | null
  at: Date
  state: TraceState
  /** Where its rule forgets it; null: it goes with another one, or not at all. */
  place: string | null
}
