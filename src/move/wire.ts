import { createHash } from 'node:crypto'
import type { Mode } from '../config/config.ts'
import type { Digest } from './row-store.ts'
import type { InState } from './state-store.ts'

/** What the cell that a client leaves asks of the one that it comes to, and the answers. */
export interface Steps {
  /** Whether the client could come, and how far it has. */
  hello: {
    asked: { clientId: number; name: string; schema: string; mode: Mode }
    answer: { state: InState | null; now: string }
  }
  begin: { asked: { clientId: number; peerUrl: string }; answer: Done }
  rows: { asked: { clientId: number; table: string }; answer: { lacksParents: boolean } }
  deletions: { asked: { clientId: number; table: string }; answer: Done }
  /** The lines are keys of rows; `isAll`: there are none, and all rows count. */
  digest: { asked: { clientId: number; table: string; isAll: boolean }; answer: Digest }
  /** The lines are the tables that are copied last. */
  prepare: { asked: Preparation; answer: Done }
  /** The lines are audit records. */
  activate: { asked: { clientId: number }; answer: Done }
  undo: { asked: { clientId: number }; answer: Done }
}

export type Step = keyof Steps

export interface Done {
  isDone: boolean
}

export interface Preparation {
  clientId: number
  cutAt: string
  /** The last number that the old cell has given to evidence: the new one goes on behind it. */
  lastEvidence: number
  /** The key of the client's callback addresses, sealed for the way. */
  callbackKey: string
}

/** One table of a preparation: its rows as JSON texts. */
export interface TableCargo {
  table: string
  rows: string[]
}

export const callbackKeyPurpose = 'callback key'

/** The key for the way between two cells, of the token that both have. */
export function transitKey(token: string): Buffer {
  return createHash('sha256').update(`cells ${token}`).digest()
}

/** The lines of a body: what is asked, then rows, each as JSON. */
export function writeBody(asked: object, lines: string[]): string {
  return [JSON.stringify(asked), ...lines].join('\n')
}

export function readBody(body: string): { asked: unknown; lines: string[] } {
  const [first = '', ...lines] = body.split('\n')
  return { asked: JSON.parse(first), lines: lines.filter((line) => line !== '') }
}
