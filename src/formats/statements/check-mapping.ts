import { type Reason, reason } from '#base/kit/refusal.ts'
import { columnIndex } from './header.ts'
import { columnsOf, Mapping } from './mapping.ts'
import { exampleOf, momentFormat, momentReader } from './read-moment.ts'
import { violationsOf } from './violations.ts'
import { folded } from './words.ts'

/** Everything that is wrong with a mapping; nothing: it can be read by. */
export function mappingProblems(content: unknown): Reason[] {
  const violations = violationsOf(Mapping, content, '')
  // What the fields mean together is looked at once each is what it must be.
  if (violations.length > 0) return violations
  const mapping = content as Mapping
  return [
    ...columnProblems(mapping),
    ...amountProblems(mapping),
    ...wordProblems(mapping),
    ...dateProblems(mapping),
    ...ruleProblems(mapping),
  ]
}

function columnProblems(mapping: Mapping): Reason[] {
  const { columns, titles = true } = mapping
  const problems: Reason[] = []
  if (columns.reference === undefined && columns.ourReference === undefined)
    problems.push(reason('columns.reference or columns.ourReference is required'))
  if (titles) return problems
  const named = [
    ...columnsOf(mapping).map(([field, name]) => ({ field: `columns.${field}`, name })),
    ...(mapping.skip ?? []).flatMap(({ column: name }) =>
      name === undefined ? [] : [{ field: 'skip', name }],
    ),
  ]
  return [
    ...problems,
    ...named
      .filter(({ name }) => columnIndex(name) === undefined)
      .map((values) =>
        reason('{field} must be a letter such as C in a file without titles, not {name}', values),
      ),
  ]
}

/** Amounts need one place, and a direction that something tells. */
function amountProblems({ columns, sign, signs }: Mapping): Reason[] {
  const { amount, debit, credit } = columns
  const hasSides = debit !== undefined && credit !== undefined
  const hasOneSide = (debit === undefined) !== (credit === undefined)
  if (hasOneSide || hasSides === (amount !== undefined))
    return [reason('columns must have either amount, or both debit and credit')]
  if (columns.sign !== undefined && signs === undefined)
    return [reason('signs is required, such as {example}', { example: '{"C": "+", "D": "-"}' })]
  const isTold = hasSides || columns.sign !== undefined || sign === 'amount'
  if (isTold || columns.kind !== undefined) return []
  return [
    reason(
      'The direction of amounts is not told: columns must have debit and credit, sign or kind',
    ),
  ]
}

function wordProblems({ columns, kinds, statuses, signs, always }: Mapping): Reason[] {
  const problems: Reason[] = []
  if (columns.kind !== undefined && kinds === undefined)
    problems.push(
      reason('kinds is required, such as {example}', { example: '{"Paiement": "collect"}' }),
    )
  if (columns.kind === undefined && (always?.in === undefined || always.out === undefined))
    problems.push(
      reason('columns.kind is required, or always must have in and out, such as {example}', {
        example: '{"in": "collect", "out": "disburse"}',
      }),
    )
  if (columns.status !== undefined && statuses === undefined)
    problems.push(
      reason('statuses is required, such as {example}', { example: '{"Réussi": "succeeded"}' }),
    )
  for (const [field, words] of Object.entries({ kinds, statuses, signs }))
    problems.push(...sameWords(field, words ?? {}))
  return problems
}

/** Words that are compared as the same, but mean different things. */
function sameWords(field: string, words: Record<string, string>): Reason[] {
  const seen = new Map<string, string>()
  return Object.entries(words).flatMap(([word, meaning]) => {
    const before = seen.get(folded(word))
    seen.set(folded(word), meaning)
    return before === undefined || before === meaning
      ? []
      : [reason('{field}: {word} is there twice with different meanings', { field, word })]
  })
}

function dateProblems({ dates = ['iso'], timeZone = 'UTC' }: Mapping): Reason[] {
  const problems = dates
    .filter((format) => momentFormat(format) === undefined)
    .map((format) =>
      reason(
        'dates: {format} is not a format; write one such as dd/MM/yyyy HH:mm:ss, iso or excel',
        {
          format,
        },
      ),
    )
  if (!isTimeZone(timeZone))
    problems.push(
      reason('timeZone: {timeZone} is not known; write one such as Africa/Douala', { timeZone }),
    )
  return problems.length > 0 ? problems : ambiguousFormats(dates)
}

function isTimeZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Formats of which the same text is two dates: the first of February, or the second of January. */
function ambiguousFormats(dates: string[]): Reason[] {
  return dates.flatMap((format, index) => {
    const text = exampleOf(format, { day: '01', month: '02', shortYear: '03', monthName: 'Feb' })
    const own = momentReader([format], 'UTC')(text)
    return dates
      .slice(index + 1)
      .filter((other) => {
        const read = momentReader([other], 'UTC')(text)
        return read !== undefined && read.getTime() !== own?.getTime()
      })
      .map((other) =>
        reason('dates: {text} is two dates by {format} and {other}', { text, format, other }),
      )
  })
}

function ruleProblems({ skip = [], balances = {} }: Mapping): Reason[] {
  const problems = skip
    .filter(({ is, begins, isEmpty }) => !is && !begins && isEmpty === undefined)
    .map(() => reason('skip: each rule must have is, begins or isEmpty'))
  const [opening, closing] = [balances.opening, balances.closing].map((one) => folded(one ?? ''))
  const isMixed = opening && closing && (opening.startsWith(closing) || closing.startsWith(opening))
  if (isMixed) problems.push(reason('balances: opening and closing must not begin alike'))
  return problems
}
