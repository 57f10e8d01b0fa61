import { readStatementApart } from '../../statements/apart.ts'
import type { Mapping } from '../../statements/mapping.ts'
import type { StatementLine } from '../../statements/statement.ts'
import type { ReconContext } from '../context.ts'
import type { KeptFile, Survey } from './file.ts'
import { writeSurvey } from './file-store.ts'
import { findOurs } from './find-ours.ts'
import { readKeptFile } from './keep-file.ts'
import { findMapping } from './mapping-store.ts'
import { partyFacts } from './party.ts'
import { endOf, isOwn, paidOf } from './statement.ts'

const askedAtOnce = 1000
// Of a long file some lines are looked for among ours, evenly: an import looks for all.
const sampledMin = 2000

/** What a file would import, read to its end once for each way of reading it. */
export async function surveyFile(context: ReconContext, file: KeptFile): Promise<Survey> {
  const { db } = context
  const mapping = await findMapping(db, file)
  const readBy = mapping?.changedAt.toISOString() ?? null
  if (file.survey !== null && file.survey.readBy === readBy) return file.survey
  const survey: Survey = {
    readBy,
    lines: 0,
    problems: 0,
    from: null,
    to: null,
    paidIn: 0,
    paidOut: 0,
    fees: 0,
    asked: 0,
    matched: 0,
    doubts: [],
  }
  const [times, payments] = [sample<number>(), sample<StatementLine>()]
  const content = (mapping?.content ?? undefined) as Mapping | undefined
  const bytes = readKeptFile(db, file)
  for await (const item of readStatementApart(bytes, content, partyFacts(file))) {
    if (item.kind === 'problem') survey.problems += 1
    if (item.kind !== 'line') continue
    note(survey, item.line)
    times.add(item.line.at.getTime())
    if (!isOwn(item.line)) payments.add(item.line)
  }
  const asked = payments.all().map((line) => ({ ...line, isDay: line.isDay ?? false }))
  survey.asked = asked.length
  for (let at = 0; at < asked.length; at += askedAtOnce)
    survey.matched += (await findOurs(db, file, asked.slice(at, at + askedAtOnce))).size
  survey.doubts = doubtsIn(survey, times.all(), file)
  await writeSurvey(db, file.id, survey)
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
  { asked, matched }: Pick<Survey, 'asked' | 'matched'>,
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
  ]
}
