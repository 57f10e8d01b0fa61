import { isUuid } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { ReconContext } from '../context.ts'
import { pseudonymIn } from './identities.ts'
import { type LineRange, readLines } from './line-store.ts'
import type { Statement } from './statement.ts'
import { findStatement } from './statement-store.ts'

/** A statement; refuses one that there is not. */
export async function getStatement({ db }: ReconContext, id: string): Promise<Statement> {
  const found = isUuid(id) ? await findStatement(db, id) : undefined
  if (found === undefined) throw new Refusal('not_found', 'No statement found')
  return found
}

/** Lines in the order of the file. A number is looked for by what stands for it too. */
export function findLines(
  { db, pseudonymOf }: ReconContext,
  id: string,
  range: Omit<LineRange, 'pseudonym'>,
) {
  const pseudonym = range.text && pseudonymIn(range.text, pseudonymOf)
  return readLines(db, id, { ...range, pseudonym })
}
