import type { Order } from '../../approvals/approval.ts'
import type { Outcome } from '../../providers/contract.ts'
import { isMeterTopUp } from '../../transactions/transaction.ts'
import type { ReconContext } from '../context.ts'
import { holdProving, readHeld, readProving, sumProving } from './line-store.ts'
import type { FeeTerms } from './mapping.ts'
import type { Group, How } from './record-lines.ts'
import { keyOf, recordLines, transactionOf } from './record-lines.ts'
import type { Statement, StoredLine } from './statement.ts'
import { addEnded, writeCounts } from './statement-store.ts'
import type { ImportContext } from './turn.ts'

// Each group locks the accounts of its merchants while it is written.
const provenAtOnce = 50

/**
 * Records what lines prove about their transactions, a group at a time: the evidence, what it does,
 * and what the lines are found to be, together or not at all. Providers are asked first, and what
 * is left is an order of who imported the statement: it may wait for a second person.
 */
export async function proveAll(
  context: ImportContext,
  statement: Statement,
  fees: FeeTerms | undefined,
): Promise<void> {
  const read = (after: number) =>
    readProving(context.db, statement.id, { after, limit: provenAtOnce })
  const refuted = new Set<string>()
  await eachGroup(context, statement, { fees, refuted, how: 'sift', read })
  const how = await permit(context, statement)
  if (how !== undefined)
    await eachGroup(context, statement, { fees, refuted, how, read: () => read(0) })
}

/** Records what lines prove that a second person has let pass. */
export async function proveHeld(
  context: ImportContext,
  statement: Statement,
  { fees, approvalId }: { fees: FeeTerms | undefined; approvalId: string },
): Promise<void> {
  const read = () => readHeld(context.db, approvalId, { after: 0, limit: provenAtOnce })
  await eachGroup(context, statement, { fees, refuted: new Set(), how: 'prove', read })
  await context.write((tx) => writeCounts(tx, statement.id))
}

interface Pass extends Omit<Group, 'lines'> {
  /** Lines after one. */
  read(after: number): Promise<StoredLine[]>
}

async function eachGroup(context: ImportContext, statement: Statement, pass: Pass): Promise<void> {
  for (let after = 0; ; ) {
    const found = await pass.read(after)
    if (found.length === 0) return
    const lines = distinctTransactions(found)
    if (pass.how === 'sift') await askProviders(context, statement, lines, pass.refuted)
    const group = { ...pass, lines }
    const afterCommit = await context.write((tx) => recordLines(tx, context, statement, group))
    afterCommit()
    after = found.at(-1)?.line ?? after
  }
}

/**
 * Whether what the lines prove is recorded now, or waits for a second person: an order of who
 * imported the statement, decided once. Undefined: nothing is left to prove.
 */
async function permit(
  { db, approvals }: ReconContext,
  { id, name, importedBy: person }: Statement,
): Promise<How | undefined> {
  const sums = await sumProving(db, id)
  if (sums.length === 0) return undefined
  const amount = sums.reduce((sum, one) => sum + one.amount, 0)
  const lines = sums.reduce((sum, one) => sum + one.lines, 0)
  const clients = Object.fromEntries(sums.map((one) => [one.clientId, one.amount]))
  const order: Order = { kind: 'statement', clientId: null, id, name, lines, amount, clients }
  const asker = { person, actor: person }
  const requested = await approvals.request(
    order,
    asker,
    `statement ${id}`,
    async (tx, waiting) => {
      if (waiting !== null) await holdProving(tx, id, waiting.id)
    },
  )
  return requested.kind === 'done' ? 'prove' : 'hold'
}

const opposite: Partial<Record<StoredLine['result'], Outcome['kind'][]>> = {
  succeeded: ['declined'],
  failed: ['succeeded'],
  reversed: ['succeeded'],
}

/**
 * Asks providers about the transactions of lines before the lines end them; a statement may be
 * forged, and what the provider answers itself wins. Of a top-up the answer has the recharge codes,
 * which no statement has. Notes the transactions of which it tells the opposite.
 */
async function askProviders(
  { transactions, log, write }: ImportContext,
  statement: Statement,
  lines: StoredLine[],
  refuted: Set<string>,
): Promise<void> {
  let ended = 0
  const ask = async (line: StoredLine) => {
    const one = await transactions.findById(transactionOf(line))
    // Of what has ended a line is a contradiction, which ends nothing.
    if (one === undefined || one.completedAt !== null) return
    const { transaction, told } = await transactions.askOutcome(one)
    if (told !== undefined && opposite[line.result]?.includes(told)) refuted.add(keyOf(line))
    if (transaction.completedAt !== null) ended += 1
    else if (line.result === 'succeeded' && isMeterTopUp(transaction))
      await transactions.askForToken(transaction)
  }
  await Promise.all(
    lines.map((line) =>
      ask(line).catch((problem: unknown) => {
        log.error({ err: problem, line: line.line }, 'a provider could not be asked about a line')
      }),
    ),
  )
  if (ended > 0) await write((tx) => addEnded(tx, statement.id, ended))
}

/** The first line of each transaction: the next one sees what it did. */
function distinctTransactions(lines: StoredLine[]): StoredLine[] {
  const first = new Map<string, StoredLine>()
  for (const line of lines) {
    const key = keyOf(line)
    if (!first.has(key)) first.set(key, line)
  }
  return [...first.values()]
}
