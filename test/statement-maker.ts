import type { Db } from '#data/db/db.ts'

/** One line of a statement in the words of the provider lab. */
export interface MadeLine {
  moment: string
  reference: string
  our_reference: string
  kind: string
  number: string
  amount: number
  fee: number
  status: string
}

const titles = [
  'moment',
  'reference',
  'our_reference',
  'kind',
  'number',
  'amount',
  'fee',
  'status',
] as const

/** The first row of a file. */
export const titleRow = `${titles.join(';')}\n`

/** A line as a row of a file. */
export function rowOf(line: MadeLine): string {
  return `${titles.map((title) => line[title]).join(';')}\n`
}

/** A statement as a CSV file. */
export function csvOf(lines: MadeLine[]): string {
  return titleRow + lines.map(rowOf).join('')
}

/** A file that arrives in chunks. */
export async function* chunksOf(text: string, chunkBytes = 1000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

const kinds: Record<string, string> = {
  CASHOUT: 'collect',
  CASHIN: 'disburse',
  AIRTIME: 'top_up',
  BILL: 'bill',
  REFUND: 'reverse',
}

/** The line that a provider would write of a transaction of ours, paid, with some changes. */
export async function lineOf(
  db: Db,
  id: string,
  change: Partial<MadeLine> = {},
): Promise<MadeLine> {
  const [row] = await db<{
    clientId: number
    attemptId: string
    operation: string
    reference: string | null
    phone: string
    amount: number
    at: Date
  }>`
    select client_id as "clientId", attempt_id as "attemptId", operation, reference, phone, amount,
      coalesce(completed_at, created_at) as at
    from transactions where id = ${id}`
  if (row === undefined) throw new Error(`no transaction ${id}`)
  return {
    moment: row.at.toISOString(),
    reference: row.reference ?? `P-${row.attemptId.slice(-12)}`,
    our_reference: `${row.clientId}.${row.attemptId}`,
    kind: kinds[row.operation] ?? 'other',
    number: row.phone,
    amount: row.amount,
    fee: 0,
    status: 'succeeded',
    ...change,
  }
}
