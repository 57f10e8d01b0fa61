import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db } from '#data/db/db.ts'
import { previewStatementApart } from '#formats/statements/apart.ts'
import { mappingProblems } from '#formats/statements/check-mapping.ts'
import type { Mapping } from '#formats/statements/mapping.ts'
import type { StatementPreview } from '#formats/statements/preview.ts'
import { type LineKind, lineKinds } from '#formats/statements/statement.ts'
import { TableProblem } from '#formats/tables/table.ts'
import type { ReconContext } from '../context.ts'
import type { Survey } from './file.ts'
import type { ImportOrder } from './import.ts'
import type { FeeTerm, FeeTerms, StoredMapping } from './mapping.ts'
import { findMapping, writeMapping } from './mapping-store.ts'
import { checkParty, partyFacts } from './party.ts'
import type { Party } from './statement.ts'
import { surveyFile } from './survey.ts'

/** What is left out stays; null removes it. */
export interface MappingOrder extends Party {
  content?: unknown
  fees?: FeeTerms | null | undefined
  actor: string
}

/** Keeps how the files of a provider are read, and which fees it is to take. */
export async function saveMapping(
  { db, clock }: ReconContext,
  order: MappingOrder,
): Promise<StoredMapping> {
  checkParty(order)
  const { provider, country, actor, content, fees } = order
  const problems = [
    ...(content === undefined || content === null ? [] : mappingProblems(content)),
    ...feeProblems(fees ?? {}),
  ]
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
  return db.transaction(async (tx) => {
    const known = await findMapping(tx, order)
    const at = clock.now()
    const saved: StoredMapping = {
      provider,
      country,
      content: content === undefined ? (known?.content ?? null) : content,
      fees: fees === undefined ? (known?.fees ?? null) : fees,
      changedBy: actor,
      changedAt: at,
    }
    await writeMapping(tx, saved)
    const details = { provider, country, content: saved.content, fees: saved.fees }
    await recordAudit(tx, { at, actor, action: 'statement.mapping', details })
    return saved
  })
}

function feeProblems(fees: FeeTerms): Reason[] {
  // It comes as JSON that anybody may have written.
  if (typeof fees !== 'object' || Array.isArray(fees))
    return [reason('The fees must be an object of JSON, by kind of line', {}, 'fees')]
  return Object.entries(fees).flatMap(([kind, term]) => {
    const { basisPoints, fixed } = (term ?? {}) as Partial<FeeTerm>
    const isKind = lineKinds.includes(kind as LineKind)
    if (isKind && isWhole(basisPoints) && isWhole(fixed) && Number(basisPoints) <= 10_000) return []
    return [
      reason(
        'The fee of {kind} must be whole basis points up to 10000 and whole francs',
        { kind },
        'fees',
      ),
    ]
  })
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

export interface PreviewOrder extends Party {
  file: AsyncIterable<Uint8Array>
  /** A mapping to try; absent: the one that is kept, or a built-in one. */
  content?: unknown
}

/** With the time that the file is about, where it is given. */
export type SurveyOrder = PreviewOrder & Pick<ImportOrder, 'from' | 'to'>

const linesShown = 20

/** What would be understood of a file; stores nothing. A mapping that is none is refused. */
export async function preview(
  { db }: ReconContext,
  order: PreviewOrder,
): Promise<StatementPreview> {
  const mapping = await mappingOf(db, order)
  return readable(previewStatementApart(order.file, mapping, linesShown, partyFacts(order)))
}

/** What the import of a file would be; stores nothing. */
export async function survey(context: ReconContext, order: SurveyOrder): Promise<Survey> {
  const content = await mappingOf(context.db, order)
  const { from: fromAt = null, to: toAt = null } = order
  const head = { readBy: null, content, fromAt, toAt }
  return readable(surveyFile(context, { ...order, ...head }))
}

async function mappingOf(db: Db, order: PreviewOrder): Promise<Mapping | undefined> {
  checkParty(order)
  const content = order.content ?? (await findMapping(db, order))?.content ?? undefined
  const problems = content === undefined ? [] : mappingProblems(content)
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
  return content as Mapping | undefined
}

/** What is read of a file; one that is no table is refused. */
export async function readable<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((problem: unknown) => {
    if (!(problem instanceof TableProblem)) throw problem
    throw new Refusal('validation_failed', reason(problem.text, problem.values))
  })
}
