import type { Reason } from '../catalog/refusal.ts'
import type { StatementItem, StatementLine } from '../statements/statement.ts'

/** What was understood of a file. */
export interface Preview {
  /** Such as csv, xlsx, camt.053. */
  format: string
  /** The titles of its columns, and what each means; null: it is not used. */
  columns: { title: string; meaning: string | null }[]
  /** The first lines as they are understood. */
  lines: StatementLine[]
  problems: { line: number; reason: Reason }[]
  /** A mapping that its titles suggest; null: none. */
  proposal: unknown
}

/** Reads a file by a mapping, or by a built-in one. */
export function readFile(
  _file: AsyncIterable<Uint8Array>,
  _mapping: unknown,
  _options: { currency: string | undefined; onFormat: (format: string) => void },
): AsyncIterable<StatementItem> {
  throw new Error('no format is known yet')
}

/** Everything that is wrong with a mapping. */
export function problemsOf(_content: unknown): Reason[] {
  return []
}

/** What would be understood of a file. */
export function previewFile(_file: AsyncIterable<Uint8Array>, _mapping: unknown): Promise<Preview> {
  throw new Error('no format is known yet')
}
