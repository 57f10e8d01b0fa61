/** One thing that must hold, as two statements over the database and the journals. */
export interface Invariant {
  name: string
  says: string
  /** Counts what is looked at. */
  checked: string
  /** Selects what breaks it, as a column `what` that a person can follow up. */
  broken: string
}
