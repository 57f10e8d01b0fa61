import { isUuid, newId } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { ReconContext } from '../context.ts'
import { pseudonymIn } from '../import/identities.ts'
import { findLine } from '../import/line-store.ts'
import type { Case, CaseFilter, Note } from './case.ts'
import { findCase, insertNote, readNotes, updatePerson } from './case-store.ts'
import { lockUnclosed } from './filter-store.ts'
import { reasonOf } from './mend.ts'
import { lockKnownCase, moveCases, noCase } from './move-case.ts'

/** A difference with its notes and its line. */
export async function getCase({ db }: ReconContext, id: string) {
  const one = isUuid(id) ? await findCase(db, id) : undefined
  if (one === undefined) throw noCase()
  const line = one.line === null ? undefined : await findLine(db, one.statementId, one.line)
  return { case: one, line, notes: await readNotes(db, id) }
}

/** A filter whose number is looked for by what stands for it too. */
export function withPseudonym({ pseudonymOf }: ReconContext, filter: CaseFilter): CaseFilter {
  return filter.text ? { ...filter, pseudonym: pseudonymIn(filter.text, pseudonymOf) } : filter
}

export function assign(
  { db, clock }: ReconContext,
  order: { id: string; person: string | null; actor: string },
): Promise<Case> {
  return db.transaction(async (tx) => {
    const one = await lockKnownCase(tx, order.id)
    const person = order.person?.trim().toLowerCase() || null
    await updatePerson(tx, one.id, person)
    const details = { id: one.id, person }
    const at = clock.now()
    await recordAudit(tx, { at, actor: order.actor, action: 'recon.assign', details })
    return { ...one, person, version: one.version + 1 }
  })
}

const noteLengthMax = 2000

export async function addNote(
  { db, clock }: ReconContext,
  order: { id: string; text: string; person: string },
): Promise<Note> {
  const text = order.text.trim()
  if (text === '' || text.length > noteLengthMax)
    throw new Refusal(
      'validation_failed',
      reason('A note has 1 to {max} characters', { max: noteLengthMax }, 'text'),
    )
  return db.transaction(async (tx) => {
    const { id } = await lockKnownCase(tx, order.id)
    const at = clock.now()
    const note = { id: newId(at), at, person: order.person, text }
    await insertNote(tx, id, note)
    await recordAudit(tx, { at, actor: order.person, action: 'recon.note', details: { id } })
    return note
  })
}

export interface ClosingAll {
  reason: string
  person: string
  /** How many were seen. */
  count: number
}

const closedAtOnce = 1000

/** Leaves all open differences that pass a filter as they are, if they are as many as were seen. */
export function closeAll(
  { db, clock }: ReconContext,
  filter: CaseFilter,
  { reason: given, person: actor, count }: ClosingAll,
): Promise<number> {
  const closing = { closing: 'ignored', reason: reasonOf(given) } as const
  return db.transaction(async (tx) => {
    const move = { trigger: 'closed', actor, at: clock.now(), ...closing } as const
    for (let left = count; ; ) {
      const some = await lockUnclosed(tx, { state: 'open', ...filter }, closedAtOnce)
      left -= some.length
      if (left < 0 || (some.length === 0 && left > 0))
        throw new Refusal('conflict', 'This has changed since you saw it: check it again')
      if (some.length === 0) return count
      await moveCases(tx, some, move)
    }
  })
}
