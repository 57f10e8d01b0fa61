import type { Currency } from '../catalog/countries.ts'
import type { Reason } from '../catalog/refusal.ts'
import { Refusal } from '../catalog/refusal.ts'
import { mappingProblems } from '../statements/check-mapping.ts'
import type { Mapping } from '../statements/mapping.ts'
import type { StatementPreview } from '../statements/preview.ts'
import { previewStatement } from '../statements/preview.ts'
import { readStatement } from '../statements/read-statement.ts'
import type { StatementItem } from '../statements/statement.ts'

/** What was understood of a file. */
export type Preview = StatementPreview

const linesShown = 20

/** Reads a file by a mapping, or by a built-in one. */
export function readFile(
  file: AsyncIterable<Uint8Array>,
  mapping: unknown,
  options: { currency: Currency | undefined; onFormat: (format: string) => void },
): AsyncIterable<StatementItem> {
  // It was checked when it was kept.
  return readStatement(file, mapping as Mapping | undefined, options)
}

/** Everything that is wrong with a mapping. */
export function problemsOf(content: unknown): Reason[] {
  return mappingProblems(content)
}

/** What would be understood of a file; a mapping that is none is refused. */
export function previewFile(
  file: AsyncIterable<Uint8Array>,
  mapping: unknown,
  currency: Currency | undefined,
): Promise<Preview> {
  const problems = mapping === undefined ? [] : mappingProblems(mapping)
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
  return previewStatement(file, mapping as Mapping | undefined, linesShown, { currency })
}
