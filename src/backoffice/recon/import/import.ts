import { createHash } from 'node:crypto'
import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { readStatementApart } from '#formats/statements/apart.ts'
import type { Mapping } from '#formats/statements/mapping.ts'
import type { StatementItem, StatementLine } from '#formats/statements/statement.ts'
import type { ReconContext } from '../context.ts'
import { findOurs } from './find-ours.ts'
import { finish, finishImport } from './finish.ts'
import { identityOf, unnamedMark } from './identities.ts'
import { insertLines, type NewLine, numberUnnamed } from './line-store.ts'
import { findMapping } from './mapping-store.ts'
import { checkParty, partyFacts } from './party.ts'
import { effectOf, endOf, type Party, type Statement } from './statement.ts'
import {
  findSameFile,
  findStatement,
  findUnfinished,
  insertStatement,
  removeUnread,
  writeRead,
  writeShare,
} from './statement-store.ts'
import { type ImportContext, whileLocked } from './turn.ts'

export interface ImportOrder extends Party {
  /** Of the file. */
  name: string
  file: AsyncIterable<Uint8Array>
  /** How many bytes it has, for the progress that is shown. */
  bytes?: number | undefined
  /** The time that it is about: without it, that of its lines. */
  from?: Date | undefined
  to?: Date | undefined
  actor: string
  /** Told each problem as it is found; the next one waits for it. */
  onProblem?: ((problem: LineProblem) => Promise<void> | void) | undefined
  /** Told how far it has come, of 1,000. */
  onProgress?: ((share: number) => void) | undefined
}

/** What is wrong with a line of a file. */
export interface LineProblem {
  line: number
  reason: Reason
}

/** A file that cannot be understood: nothing of it was kept. Has at most a thousand problems. */
export class UnreadableStatement extends Refusal {
  readonly problems: LineProblem[]
  readonly count: number

  constructor(problems: LineProblem[], count: number) {
    super('validation_failed', ...problems.slice(0, 100).map(sentenceOf))
    this.problems = problems
    this.count = count
  }
}

/** The sentence of a problem, with the line that it is about. */
export function sentenceOf({ line, reason: { text, values } }: LineProblem): Reason {
  if (line === 0 || text.includes('{line}')) return reason(text, { line, ...values })
  return reason(`Line {line}: ${text}`, { line, ...values })
}

/** Refuses a time that ends before it begins. */
export function checkTimes({ from, to }: Pick<ImportOrder, 'from' | 'to'>): void {
  if (from !== undefined && to !== undefined && from >= to)
    throw new Refusal('validation_failed', reason('The period must end after it begins', {}, 'to'))
}

/**
 * Reads a file of a provider, compares it with our records and records what it proves. The same
 * file a second time changes nothing. One import of a provider runs at a time; one whose process
 * dies is begun again, or gone on with, by the next import of the file.
 */
export async function importStatement(
  context: ReconContext,
  order: ImportOrder,
): Promise<Statement> {
  checkParty(order)
  checkTimes(order)
  return whileLocked(context, order, async (importing) => {
    // One after the other: what a file tells is judged beside all that was told before it. One that
    // cannot be gone on with keeps no other: in whichever order, the same is found in the end.
    for (const { id } of await findUnfinished(context.db, order))
      await finish(importing, id).catch((problem: unknown) =>
        context.log.error(
          { err: problem, statementId: id },
          'the import of a statement could not be resumed',
        ),
      )
    const stored = await storeFile(importing, order)
    if (stored.state === 'read') return stored
    await finishImport(importing, stored, order.onProgress)
    const done = await findStatement(context.db, stored.id)
    if (done === undefined) throw new Error(`statement ${stored.id} is gone`)
    return done
  })
}

/** What is learnt of a file while it is read. */
interface Reading {
  lines: number
  net: number
  first: Date | null
  last: Date | null
  opening: number | null
  closing: number | null
  /** Whether it has lines that only what they say tells apart. */
  hasUnnamed: boolean
  problems: LineProblem[]
  problemCount: number
}

const insertedAtOnce = 1000
const problemsKept = 1000

/** Stores the lines of a file; returns the statement of the same file if there is one. */
async function storeFile(context: ImportContext, order: ImportOrder): Promise<Statement> {
  const { db, clock, write } = context
  const { provider, country, actor } = order
  const mapping = await findMapping(db, order)
  const now = clock.now()
  const name = oneLine(order.name, 200) || '1'
  const head = { id: newId(now), provider, country, name, format: '' }
  const row = { ...head, importedBy: actor, importedAt: now }
  await write((tx) => insertStatement(tx, row))
  try {
    const hash = createHash('sha256')
    let format = ''
    const bytes = counting(order, hash, (share) => writeShare(db, head.id, share))
    // The mapping was checked when it was kept.
    const items = readStatementApart(
      bytes,
      (mapping?.content ?? undefined) as Mapping | undefined,
      {
        ...partyFacts(order),
        onFormat: (found) => void (format = found),
      },
    )
    const reading = await storeItems(context, order, head.id, items)
    if (reading.problemCount > 0)
      throw new UnreadableStatement(reading.problems, reading.problemCount)
    const fileHash = hash.digest('hex')
    const same = await findSameFile(db, order, fileHash)
    if (same !== undefined) {
      await removeUnread(db, head.id)
      return same
    }
    const read = { ...head, ...timesOf(order, reading), ...amountsOf(reading), fileHash, format }
    await write(async (tx) => {
      if (reading.hasUnnamed) await numberUnnamed(tx, head.id)
      await writeRead(tx, read)
    })
    const stored = await findStatement(db, head.id)
    if (stored === undefined) throw new Error(`statement ${head.id} is gone`)
    return stored
  } catch (problem) {
    // Lost with the connection: the next import removes it.
    await removeUnread(db, head.id).catch(() => {})
    throw problem
  }
}

async function* counting(
  { file, bytes = 0, onProgress }: ImportOrder,
  hash: ReturnType<typeof createHash>,
  write: (share: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let read = 0
  let shown = 0
  for await (const chunk of file) {
    hash.update(chunk)
    read += chunk.length
    // Reading is the first two fifths of the work.
    const share = bytes === 0 ? 0 : Math.min(400, Math.floor((400 * read) / bytes))
    if (share >= shown + 20) {
      shown = share
      onProgress?.(share)
      await write(share)
    }
    yield chunk
  }
}

async function storeItems(
  { db, write }: ImportContext,
  order: ImportOrder,
  id: string,
  items: AsyncIterable<StatementItem>,
): Promise<Reading> {
  const reading: Reading = {
    lines: 0,
    net: 0,
    first: null,
    last: null,
    opening: null,
    closing: null,
    hasUnnamed: false,
    problems: [],
    problemCount: 0,
  }
  const problem = async (one: LineProblem) => {
    reading.problemCount += 1
    if (reading.problems.length < problemsKept) reading.problems.push(one)
    await order.onProblem?.(one)
  }
  let waiting: NewLine[] = []
  const store = async () => {
    // A file with a problem is refused: what follows is only read for its other problems.
    const lines = waiting
    waiting = []
    if (lines.length === 0 || reading.problemCount > 0) return
    const asked = lines.map((line) => ({ ...line, isDay: line.isDay ?? false }))
    const found = await findOurs(db, order, asked)
    const owned = lines.map((line) => ({ ...line, ...found.get(line.line) }))
    await write((tx) => insertLines(tx, id, owned))
  }
  for await (const item of items) {
    if (item.kind === 'problem') await problem(item)
    else if (item.kind === 'balance') noteBalance(reading, item)
    else if (item.kind === 'line') {
      const outside = problemOf(item.line, order)
      if (outside !== undefined) await problem(outside)
      noteLine(reading, item.line)
      const identity = identityOf(item.line)
      reading.hasUnnamed ||= identity.startsWith(unnamedMark)
      waiting.push({ ...item.line, identity })
      if (waiting.length >= insertedAtOnce) await store()
    }
  }
  await store()
  if (reading.lines === 0 && reading.problemCount === 0)
    await problem({ line: 0, reason: reason('The file has no lines') })
  return reading
}

/** A line that is not of the time that was asked for. */
function problemOf({ line, at, isDay }: StatementLine, { from, to }: ImportOrder) {
  const isOutside =
    (from !== undefined && endOf({ at, isDay }) < from) || (to !== undefined && at >= to)
  if (!isOutside) return undefined
  const text = 'Line {line} is of {at}, which is outside of the time given'
  return { line, reason: reason(text, { line, at: at.toISOString() }) }
}

function noteLine(reading: Reading, { status: result, ...line }: StatementLine): void {
  const { at } = line
  reading.lines += 1
  reading.net += effectOf({ ...line, result })
  if (reading.first === null || at < reading.first) reading.first = at
  const until = endOf(line)
  if (reading.last === null || until > reading.last) reading.last = until
}

/** Of several days or pages, the first one opens and the last one closes. */
export function noteBalance(
  reading: Pick<Reading, 'opening' | 'closing'>,
  { which, amount }: StatementItem & { kind: 'balance' },
): void {
  if (which === 'opening') reading.opening ??= amount
  else reading.closing = amount
}

function timesOf({ from, to }: ImportOrder, { first, last }: Reading) {
  const fromAt = from ?? first
  const toAt = to ?? (last === null ? null : after(last, 1))
  return { fromAt, toAt }
}

function amountsOf({ lines, net, opening, closing }: Reading) {
  return { lines, net, opening, closing }
}
