import type { Language } from '../kit/language.ts'
import type { AnyRole } from '../people/rights.ts'

export const exportKinds = ['transactions', 'statement'] as const
export const exportForms = ['csv', 'xlsx', 'pdf'] as const

export interface ExportId {
  clientId: number
  id: string
}

/** What somebody asked for. */
export interface ExportOrder {
  clientId: number
  personId: string
  /** Named in the list of exports. */
  askedBy: string
  role: AnyRole
  kind: (typeof exportKinds)[number]
  form: (typeof exportForms)[number]
  /** What is exported, as the address of its list says it: status=SUCCESS&from=2026-01-01. */
  query: string
  language: Language
  timeZone: string
}

export const exportStates = ['waiting', 'running', 'ready', 'failed', 'cancelled'] as const

/** Why a file could not be made. */
export type ExportProblem = 'rows' | 'bytes' | 'error'

/** A file that is made in the background, or was. */
export interface Export extends ExportOrder {
  id: string
  state: (typeof exportStates)[number]
  /** How often it was begun. Only the last attempt writes. */
  attempt: number
  rows: number
  /** Per mille of what is to be read. */
  share: number
  /** The time of the last row that was written; rows are newest first. */
  reachedAt: Date | null
  bytes: number
  problem: ExportProblem | null
  /** Changes with each change. */
  version: number
  createdAt: Date
  completedAt: Date | null
  /** When the file is removed. */
  expiresAt: Date
}

/** How far the making of a file is. */
export type Progress = Pick<Export, 'rows' | 'share' | 'reachedAt'>

/** Makes the file of an export: reports as it reads, and yields the file's bytes in order. */
export type MakeFile = (
  order: Export,
  report: (progress: Progress) => Promise<void>,
) => AsyncIterable<Buffer>
