import type { PurposeKeys, SecretKey } from '../sealing/seal.ts'
import { keysFor, readSealed, seal, unseal, writeSealed } from '../sealing/seal.ts'
import type { JsonRow, SealedField } from './tables.ts'

/** Opens with the keys of one side and seals with those of the other. */
export interface Resealing {
  from: SecretKey
  to: SecretKey
}

/**
 * The rows with their sealed values sealed anew. Between the cells they are sealed with a key that
 * is derived from the token that both have: no value is ever in clear on the way.
 */
export function resealRows(
  field: SealedField | undefined,
  rows: string[],
  { from, to }: Resealing,
): string[] {
  if (field === undefined) return rows
  const [opening, sealing] = [keysFor(from, field.purpose), keysFor(to, field.purpose)]
  return rows.map((text) => {
    const row = JSON.parse(text) as JsonRow
    const value = row[field.column]
    if (typeof value !== 'string') return text
    const resealed = resealText(value, field.context(row), opening, sealing)
    if (resealed === undefined) return text
    return JSON.stringify({ ...row, [field.column]: resealed })
  })
}

/** A sealed value as JSON has it: marked text, or bytes in hexadecimal digits. */
function resealText(
  value: string,
  context: string,
  opening: PurposeKeys,
  sealing: PurposeKeys,
): string | undefined {
  const again = (sealed: Buffer) => seal(sealing, unseal(opening, sealed, context), context)
  if (value.startsWith('\\x'))
    return `\\x${again(Buffer.from(value.slice(2), 'hex')).toString('hex')}`
  const sealed = readSealed(value)
  return sealed === undefined ? undefined : writeSealed(again(sealed))
}
