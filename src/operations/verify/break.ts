/** A check that failed: which one, on which record, and how. */
export interface Break {
  promise:
    | 'balanced'
    | 'untouched'
    | 'continuous'
    | 'balance'
    | 'hold'
    | 'anchor'
    | 'transaction'
    | 'link'
    | 'event'
    | 'bill'
    | 'batch'
    | 'summary'
    | 'audit'
    | 'approval'
    | 'limit'
    | 'statement'
  clientId: number | null
  where: string
  what: string
}

/** Adds a break to the verdict. */
export type ReportBreak = (one: Break) => void
