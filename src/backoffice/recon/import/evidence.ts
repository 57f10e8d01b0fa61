import type { Order } from '#backoffice/approvals/approval.ts'
import { firstUuid } from '#base/sealing/sealed-column.ts'
import type { Outcome } from '#money/providers/contract.ts'
import { isMeterTopUp } from '#money/transactions/transaction.ts'
import { lineKey } from '../cases/facts.ts'
import type { ReconContext } from '../context.ts'
import { bookApproved } from './own-money.ts'
import { holdProving, readApproved, readHeld, readProving, sumProving } from './proof-store.ts'
import { type Group, type How, recordLines, transactionOf } from './record-lines.ts'
import type { LineKey, Statement, StoredLine } from './statement.ts'
import { addEnded, findStatement } from './statement-store.ts'
import { type ImportContext, whenFree } from './turn.ts'

// Each group locks the accounts of its merchants while it is written.
const provenAtOnce = 50

/**
 * Records what lines prove about their transactions, a group at a time: the evidence, what it does,
 * and what the lines are found to be, together or not at all. Providers are asked first, and what
 * is left is an order of who imported the statement: it may wait for a second person.
 */
export async function proveAll(context: ImportContext, statement: Statement): Promise<void> {
  const read = (after: LineKey) => readProving(context.db, statement, after, provenAtOnce)
  await eachGroup(context, statement, { how: 'sift', read })
  const how = await permit(context, statement)
  if (how !== undefined) await eachGroup(context, statement, { how, read: () => read(firstLine) })
}

const firstLine: LineKey = { statementId: firstUuid, line: 0 }

/** Records and books what a second person has let pass, as far as it is not done yet. */
export async function proveApproved(context: ReconContext): Promise<void> {
  const { db } = context
  for (const approved of await readApproved(db)) {
    const { approvalId, statementId } = approved
    const statement = await findStatement(db, statementId)
    if (statement === undefined) continue
    if (approved.isOwn) {
      await whenFree(context, statement, ({ write }) =>
        write((tx) => bookApproved(tx, context, approved)),
      )
      continue
    }
    const read = () => readHeld(db, approvalId, { after: 0, limit: provenAtOnce })
    await whenFree(context, statement, (importing) =>
      eachGroup(importing, statement, { how: 'prove', read }),
    )
  }
}

interface Pass extends Omit<Group, 'lines' | 'refuted'> {
  /** Lines after one. */
  read(after: LineKey): Promise<StoredLine[]>
}

async function eachGroup(context: ImportContext, statement: Statement, pass: Pass): Promise<void> {
  for (let after = firstLine; ; ) {
    const lines = await pass.read(after)
    const last = lines.at(-1)
    if (last === undefined) return
    const refuted =
      pass.how === 'sift' ? await askProviders(context, statement, lines) : new Set<string>()
    const group = { ...pass, lines, refuted }
    const afterCommit = await context.write((tx) => recordLines(tx, context, statement, group))
    afterCommit()
    after = last
  }
}

/**
 * Whether what the lines prove is recorded now, or waits for a second person: an order of who
 * imported the statement, decided once. Undefined: nothing is left to prove.
 */
async function permit(
  { db, approvals }: ReconContext,
  statement: Statement,
): Promise<How | undefined> {
  const { id, name, importedBy: person, readAt } = statement
  const sums = await sumProving(db, statement)
  if (sums.length === 0) return undefined
  const amount = sums.reduce((sum, one) => sum + one.amount, 0)
  const lines = sums.reduce((sum, one) => sum + one.lines, 0)
  const clients = Object.fromEntries(sums.map((one) => [one.clientId, one.amount]))
  const order: Order = { kind: 'statement', clientId: null, id, name, lines, amount, clients }
  const asker = { person, actor: person }
  const requested = await approvals.request(
    order,
    asker,
    // Judged anew, it is another order.
    readAt === null ? `statement ${id}` : `statement ${id} ${readAt.getTime()}`,
    async (tx, waiting) => {
      if (waiting !== null) await holdProving(tx, statement, waiting.id)
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
 * which no statement has. Returns the lines of which it tells the opposite.
 */
async function askProviders(
  { transactions, log, write }: ImportContext,
  statement: Statement,
  lines: StoredLine[],
): Promise<Set<string>> {
  let ended = 0
  const refuted = new Set<string>()
  const ask = async (about: StoredLine[]) => {
    const [first] = about
    const one = first && (await transactions.findById(transactionOf(first)))
    // Of what has ended a line is a contradiction, which ends nothing.
    if (one === undefined || one.completedAt !== null) return
    const { transaction, told } = await transactions.askOutcome(one)
    for (const line of about)
      if (told !== undefined && opposite[line.result]?.includes(told)) refuted.add(lineKey(line))
    if (transaction.completedAt !== null) ended += 1
    else if (about.some(({ result }) => result === 'succeeded') && isMeterTopUp(transaction))
      await transactions.askForToken(transaction)
  }
  const byTransaction = Map.groupBy(lines, (one) => `${one.clientId} ${one.transactionId}`)
  await Promise.all(
    [...byTransaction.values()].map((about) =>
      ask(about).catch((problem: unknown) => {
        const line = about[0]?.line
        log.error({ err: problem, line }, 'a provider could not be asked about a line')
      }),
    ),
  )
  if (ended > 0) await write((tx) => addEnded(tx, statement.id, ended))
  return refuted
}
