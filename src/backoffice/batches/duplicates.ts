import { after } from '#base/kit/clock.ts'
import { reason } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import type { BatchLine, PayableLine } from './batch.ts'
import { findEarlierPayouts, findUsedIds } from './duplicates-store.ts'

// How far back the same payout in another batch is noticed.
const recentMs = 30 * 86_400_000

/**
 * Flags what may be paid twice. The same number, wallet and amount, in the file or in a recent
 * batch, is a warning: it may be meant. An external id that is used already is an error.
 */
export async function flagDuplicates(
  tx: Tx,
  clientId: number,
  lines: BatchLine[],
  now: Date,
): Promise<void> {
  flagRepeatedIds(lines)
  for (const some of shares(lines)) await flagUsedIds(tx, clientId, some)
  const sound = lines.filter((line): line is PayableLine => line.state === 'waiting')
  flagRepeated(sound)
  for (const some of shares(sound))
    await flagEarlier(tx, clientId, some, { since: after(now, -recentMs) })
}

// Looked up at once: what else the thread has to do goes on in between.
const shareLines = 2000

function shares<Line>(lines: Line[]): Line[][] {
  const count = Math.ceil(lines.length / shareLines)
  return Array.from({ length: count }, (_, index) =>
    lines.slice(index * shareLines, (index + 1) * shareLines),
  )
}

async function flagUsedIds(tx: Tx, clientId: number, lines: BatchLine[]): Promise<void> {
  const ids = lines.flatMap(({ externalId }) => externalId ?? [])
  if (ids.length === 0) return
  const used = await findUsedIds(tx, clientId, ids)
  for (const line of lines)
    if (line.externalId !== null && used.has(line.externalId))
      addError(line, 'The external id {id} is already used', { id: line.externalId })
}

async function flagEarlier(
  tx: Tx,
  clientId: number,
  lines: PayableLine[],
  { since }: { since: Date },
): Promise<void> {
  const earlier = await findEarlierPayouts(tx, clientId, lines, since)
  const names = new Map(earlier.map((one) => [keyOf(one), one.batchName]))
  for (const line of lines) {
    const name = names.get(keyOf(line))
    if (name !== undefined)
      line.warnings.push(
        reason('The batch {name} has the same number, wallet and amount', { name }, 'number'),
      )
  }
}

function flagRepeatedIds(lines: BatchLine[]): void {
  const first = new Map<string, number>()
  for (const line of lines) {
    if (line.externalId === null) continue
    const earlier = first.get(line.externalId)
    if (earlier === undefined) first.set(line.externalId, line.line)
    else addError(line, 'Line {line} has the same external id', { line: earlier })
  }
}

function flagRepeated(lines: PayableLine[]): void {
  for (const group of Map.groupBy(lines, keyOf).values()) {
    const [first, second] = group
    if (first === undefined || second === undefined) continue
    for (const line of group) {
      const other = line === first ? second : first
      line.warnings.push(
        reason(
          'Line {line} has the same number, wallet and amount',
          { line: other.line },
          'number',
        ),
      )
    }
  }
}

function addError(line: BatchLine, text: string, values: Record<string, string | number>): void {
  line.errors.push(reason(text, values, 'externalId'))
  line.given ??= { externalId: line.externalId ?? '' }
  line.state = 'faulty'
}

function keyOf({ phone, serviceCode, amount }: Pick<PayableLine, PayoutKeys>): string {
  return `${phone} ${serviceCode} ${amount}`
}
type PayoutKeys = 'phone' | 'serviceCode' | 'amount'
