import { type CaseKind, caseKinds } from '#backoffice/recon/cases/case.ts'
import { lastId } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { type MadeLine, rowOf, titleRow } from '#test/statement-maker.ts'

/** A difference that was put into a statement: its line, or for `ours_only` its transaction. */
export interface Planted {
  kind: CaseKind
  where: string
}

/** A difference that was found, as `passerelle recon cases --json` prints it. */
export interface FoundCase {
  kind: string
  line: number | null
  transactionId: string | null
}

/** Which differences were put in and not found, and which were found and not put in. */
export function compareFound(
  planted: Planted[],
  cases: FoundCase[],
): { missed: string[]; wrong: string[] } {
  const wanted = new Set(planted.map(({ kind, where }) => `${kind} ${where}`))
  const found = new Set(cases.map((one) => `${one.kind} ${one.line ?? one.transactionId}`))
  return {
    missed: [...wanted].filter((one) => !found.has(one)),
    wrong: [...found].filter((one) => !wanted.has(one)),
  }
}

/** The fees that lines have, and the terms that say so. */
export const statementFees = {
  collect: { basisPoints: 100, fixed: 0 },
  disburse: { basisPoints: 100, fixed: 0 },
}

interface PastRow {
  clientId: number
  id: string
  attemptId: string
  operation: string
  status: string
  phone: string
  amount: number
  at: Date
}

const readAtOnce = 5000

/**
 * Writes the statement that a provider would send of all transactions of a database, with so many
 * differences of every kind put in evenly. `planted` is complete once all was read.
 */
export async function* plantedStatement(
  db: Db,
  { count, planted, put }: { count: number; planted: number; put: (one: Planted) => void },
): AsyncGenerator<string> {
  yield titleRow
  let line = 1
  const every = Math.floor(count / (planted + 2))
  let index = 0
  let made = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await readRows(db, after)
    let text = ''
    for (const row of rows) {
      index += 1
      // What did not succeed cannot differ in every way, and the ends wait for the files around.
      const isPlanted = index > every * (made + 1) && made < planted && row.status === 'SUCCESS'
      const kind = isPlanted ? (caseKinds[made % caseKinds.length] ?? 'amount') : undefined
      if (isPlanted) made += 1
      for (const one of linesOf(row, kind, index)) {
        text += rowOf(one)
        line += 1
      }
      if (kind !== undefined) put({ kind, where: kind === 'ours_only' ? row.id : String(line) })
    }
    if (text !== '') yield text
    if (rows.length < readAtOnce) return
    after = rows.at(-1)?.id ?? lastId
  }
}

const dayMs = 86_400_000

function linesOf(row: PastRow, kind: CaseKind | undefined, index: number): MadeLine[] {
  const { clientId, attemptId, operation, status, phone, amount, at } = row
  const isPaid = status === 'SUCCESS'
  const line: MadeLine = {
    moment: at.toISOString(),
    reference: `P${attemptId.slice(-12)}`,
    // Some protocols are given the client too.
    our_reference: index % 2 === 0 ? attemptId : `${clientId}.${attemptId}`,
    kind: operation === 'CASHOUT' ? 'collect' : 'disburse',
    number: phone,
    amount,
    fee: isPaid ? feeOf(amount) : 0,
    status: isPaid ? 'succeeded' : 'failed',
  }
  const earlier = new Date(at.getTime() - 3 * dayMs).toISOString()
  const changes: Record<CaseKind, MadeLine[]> = {
    ours_only: [],
    theirs_only: [line, { ...line, reference: `X${index}`, our_reference: '' }],
    amount: [{ ...line, amount: amount + 100, fee: feeOf(amount + 100) }],
    status: [{ ...line, status: 'failed' }],
    fee: [{ ...line, fee: line.fee + 1 }],
    day: [{ ...line, moment: earlier }],
    duplicate: [line, line],
  }
  return kind === undefined ? [line] : changes[kind]
}

function feeOf(amount: number): number {
  return Math.floor((amount * statementFees.collect.basisPoints + 5000) / 10_000)
}

/** The next transactions of all clients, in the order of their ids. */
function readRows(db: Db, after: string): Promise<PastRow[]> {
  return db<PastRow>`
    select t.* from (
      select client_id as "clientId", id, attempt_id as "attemptId", operation, status,
        phone, amount, completed_at as at
      from transactions where id > ${after} order by id limit ${readAtOnce}
    ) t`
}
