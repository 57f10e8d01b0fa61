/** A stored value that may be sealed. */
export interface SealedValue {
  /** Where it stands, in the order of reading. */
  place: string[]
  /** Null: this row has nothing that is sealed. */
  sealed: Buffer | string | null
  /** What sealing has bound it to. */
  context: string
}

/** A value that was sealed anew. */
export interface Resealed {
  place: string[]
  from: Buffer | string
  to: Buffer | string
}

/** A column with sealed values, as `passerelle secrets` walks along it; `Run` is the database. */
export interface SealedColumn<Run> {
  name: string
  purpose: string
  /** A place before all others. */
  start: string[]
  /** The next rows after a place, in the order of places; fewer than `limit`: there are no more. */
  read(run: Run, after: string[], limit: number): Promise<SealedValue[]>
  /** Replaces values that have not changed since they were read. */
  replace(run: Run, values: Resealed[]): Promise<void>
}

export const firstUuid = '00000000-0000-0000-0000-000000000000'
