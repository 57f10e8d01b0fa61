import { Refusal } from '#base/kit/refusal.ts'
import { readStatementApart } from '#formats/statements/apart.ts'
import type { Mapping } from '#formats/statements/mapping.ts'
import type { StatementLine } from '#formats/statements/statement.ts'
import { openTurns } from '#formats/tables/turns.ts'
import type { ReconContext } from '../context.ts'
import type { KeptFile, Survey } from './file.ts'
import { writeSurvey } from './file-store.ts'
import { findOurs } from './find-ours.ts'
import { noteBalance } from './import.ts'
import { readKeptFile } from './keep-file.ts'
import { findMapping } from './mapping-store.ts'
import { partyFacts } from './party.ts'
import { effectOf, endOf, isOwn, paidOf } from './statement.ts'

const askedAtOnce = 1000
// Of a long file some lines are looked for among ours, evenly: an import looks for all.
const sampledMin = 2000

interface UnderWay {
  survey: Promise<Survey>
  /** How many wait for it. */
  waiting: number
  giveUp: AbortController
}

const underWay = new Map<string, UnderWay>()
const inTurn = openTurns({ runningMax: 1, waitingMax: 10, ownMax: 10 })

/**
 * What a file that is kept would import, read to its end once for each way of reading it: one file
 * at a time, and once for all who ask meanwhile. It ends when all of them have left.
 */
export async function surveyKept(
  context: ReconContext,
  file: KeptFile,
  left: AbortSignal,
): Promise<Survey> {
  const going = underWay.get(file.id) ?? begin(context, file)
  going.waiting += 1
  const leave = () => {
    going.waiting -= 1
    if (going.waiting === 0) going.giveUp.abort()
  }
  left.addEventListener('abort', leave, { once: true })
  if (left.aborted) leave()
  try {
    return await going.survey
  } finally {
    left.removeEventListener('abort', leave)
  }
}

function begin(context: ReconContext, file: KeptFile): UnderWay {
  const giveUp = new AbortController()
  const end = () => {
    if (underWay.get(file.id) === begun) underWay.delete(file.id)
  }
  const survey = readSurvey(context, file, giveUp.signal).finally(end)
  const begun = { survey, waiting: 0, giveUp }
  // Who comes then asks for another one.
  giveUp.signal.addEventListener('abort', end)
  underWay.set(file.id, begun)
  return begun
}

async function readSurvey(
  context: ReconContext,
  file: KeptFile,
  left: AbortSignal,
): Promise<Survey> {
  const { db } = context
  const mapping = await findMapping(db, file)
  const readBy = mapping?.changedAt.toISOString() ?? null
  // The release before knew no balances.
  if (file.survey?.readBy === readBy && 'unexplained' in file.survey) return file.survey
  const content = (mapping?.content ?? undefined) as Mapping | undefined
  const survey = await surveyFile(context, {
    ...file,
    readBy,
    content,
    file: untilLeft(readKeptFile(db, file), left),
  })
  await writeSurvey(db, file.id, survey)
  return survey
}

async function* untilLeft(
  chunks: AsyncIterable<Buffer>,
  left: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (left.aborted) throw new Refusal('conflict', 'Nobody waits for this file any more')
    yield chunk
  }
}

interface SurveyOrder extends Pick<KeptFile, 'provider' | 'country' | 'fromAt' | 'toAt'> {
  file: AsyncIterable<Uint8Array>
  content: Mapping | undefined
  readBy: string | null
}

/** What a file would import; stores nothing. */
export async function surveyFile({ db }: ReconContext, order: SurveyOrder): Promise<Survey> {
  const { readBy, content, file } = order
  const survey: Survey = {
    readBy,
    lines: 0,
    problems: 0,
    from: null,
    to: null,
    paidIn: 0,
    paidOut: 0,
    fees: 0,
    opening: null,
    closing: null,
    unexplained: 0,
    asked: 0,
    matched: 0,
    doubts: [],
  }
  const [times, payments] = [sample<number>(), sample<StatementLine>()]
  let net = 0
  const items = () => readStatementApart(file, content, partyFacts(order))
  for await (const item of inTurn('survey', items)) {
    if (item.kind === 'problem') survey.problems += 1
    if (item.kind === 'balance') noteBalance(survey, item)
    if (item.kind !== 'line') continue
    note(survey, item.line)
    net += effectOf({ ...item.line, result: item.line.status })
    times.add(item.line.at.getTime())
    if (!isOwn(item.line)) payments.add(item.line)
  }
  const asked = payments.all().map((line) => ({ ...line, isDay: line.isDay ?? false }))
  survey.asked = asked.length
  for (let at = 0; at < asked.length; at += askedAtOnce)
    survey.matched += (await findOurs(db, order, asked.slice(at, at + askedAtOnce))).size
  const { opening, closing } = survey
  survey.unexplained = opening === null || closing === null ? 0 : closing - opening - net
  survey.doubts = doubtsIn(survey, times.all(), order)
  return survey
}

function note(survey: Survey, line: StatementLine): void {
  const paid = paidOf({ ...line, result: line.status })
  survey.lines += 1
  survey.paidIn += Math.max(paid, 0)
  survey.paidOut += Math.max(-paid, 0)
  survey.fees += line.fee
  const [from, to] = [line.at.toISOString(), endOf(line).toISOString()]
  if (survey.from === null || from < survey.from) survey.from = from
  if (survey.to === null || to > survey.to) survey.to = to
}

/** So many of a row, evenly, however long it is. */
function sample<T>() {
  let kept: T[] = []
  let [seen, step] = [0, 1]
  return {
    add(one: T): void {
      if (seen % step === 0) kept.push(one)
      seen += 1
      if (kept.length < 2 * sampledMin) return
      kept = kept.filter((_, index) => index % 2 === 0)
      step *= 2
    },
    all: () => kept,
  }
}

const dayMs = 86_400_000

/** Why a person should look again before the file is imported. */
export function doubtsIn(
  { asked, matched, unexplained }: Pick<Survey, 'asked' | 'matched' | 'unexplained'>,
  times: number[],
  { fromAt, toAt }: Pick<KeptFile, 'fromAt' | 'toAt'>,
): Survey['doubts'] {
  const sorted = times.toSorted((one, other) => one - other)
  // A hundredth of the lines, and at least one, that alone would make the time much longer.
  const few = Math.max(1, Math.floor(sorted.length / 100))
  const at = (index: number) => sorted.at(index) ?? 0
  const far = Math.max(2 * dayMs, (at(-1 - few) - at(few)) / 4)
  const isWider =
    sorted.length > 2 * few &&
    ((fromAt === null && at(few) - at(0) > far) || (toAt === null && at(-1) - at(-1 - few) > far))
  return [
    ...(2 * matched < asked ? (['few_match'] as const) : []),
    ...(isWider ? (['wide'] as const) : []),
    ...(unexplained === 0 ? [] : (['balance'] as const)),
  ]
}
