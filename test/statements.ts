import { fillIn } from '#base/kit/refusal.ts'
import type { Mapping } from '#formats/statements/mapping.ts'
import { readStatement, type StatementOptions } from '#formats/statements/read-statement.ts'
import type { StatementItem, StatementLine } from '#formats/statements/statement.ts'

/** Everything that a file yields, by kind; problems and what was left out as sentences. */
export interface ReadStatement {
  lines: StatementLine[]
  problems: string[]
  skipped: string[]
  opening: number | undefined
  closing: number | undefined
  items: StatementItem[]
}

/** Reads a statement that arrives in chunks of a size. */
export async function statementOf(
  bytes: Buffer | string,
  mapping?: Mapping,
  { chunkBytes = 65_536, ...options }: StatementOptions & { chunkBytes?: number } = {},
): Promise<ReadStatement> {
  const items: StatementItem[] = []
  const file = Buffer.from(bytes as string)
  for await (const item of readStatement(chunksOf(file, chunkBytes), mapping, options))
    items.push(item)
  const sentencesOf = (kind: 'problem' | 'skipped') =>
    items.flatMap((item) =>
      item.kind === kind && 'reason' in item ? [fillIn(item.reason.text, item.reason.values)] : [],
    )
  const balanceOf = (which: 'opening' | 'closing') =>
    items.find((item) => item.kind === 'balance' && item.which === which)
  const [opening, closing] = [balanceOf('opening'), balanceOf('closing')]
  return {
    lines: items.flatMap((item) => (item.kind === 'line' ? [item.line] : [])),
    problems: sentencesOf('problem'),
    skipped: sentencesOf('skipped'),
    opening: opening?.kind === 'balance' ? opening.amount : undefined,
    closing: closing?.kind === 'balance' ? closing.amount : undefined,
    items,
  }
}

/** A file as it arrives. */
export async function* chunksOf(file: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes)
}
