import type { Party } from './statement.ts'

/**
 * `arriving`: its bytes are being stored. `ready`: a person looks at what is understood of it.
 * `waiting`: it is imported, now or soon. `refused`: it has problems, and nothing was imported.
 * `failed`: it could not be imported, and not for what is in it.
 */
export type FileState = 'arriving' | 'ready' | 'waiting' | 'refused' | 'imported' | 'failed'

/** What a file would import. */
export interface Survey {
  /** When the mapping was kept by which it was read; null: by a built-in one. */
  readBy: string | null
  lines: number
  /** Lines that are not understood: nothing would be imported. */
  problems: number
  from: string | null
  to: string | null
  /** What its lines have moved to the provider and from it, in francs, and their fees. */
  paidIn: number
  paidOut: number
  fees: number
  /** What the file says that the provider held before and after; null: it does not. */
  opening: number | null
  closing: number | null
  /** How much more it held after than before and these lines come to; 0 where it does not say. */
  unexplained: number
  /** Payments of it that were looked for among ours, and how many were found. */
  asked: number
  matched: number
  /** Why to ask again: few are ours, few lines make its time much longer, or balances differ. */
  doubts: ('few_match' | 'wide' | 'balance')[]
}

/** A file that came through a browser, kept until it is imported. */
export interface KeptFile extends Party {
  id: string
  name: string
  /** The time that it is about; null: that of its lines. */
  fromAt: Date | null
  toAt: Date | null
  state: FileState
  bytes: number
  /** How far its import is, of 1,000. */
  share: number
  /** How many problems its lines have. */
  problems: number
  /** What it became. */
  statementId: string | null
  uploadedBy: string
  uploadedAt: Date
  importedBy: string | null
  attempt: number
  version: number
  /** Null: nobody has looked at it yet. */
  survey: Survey | null
}
