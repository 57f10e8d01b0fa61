/** A broken promise of the ledger, and exactly where. */
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
  clientId: number | null
  where: string
  what: string
}
