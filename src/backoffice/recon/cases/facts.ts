import type { Ours } from '../import/match-store.ts'
import type { LineKey, StoredLine } from '../import/statement.ts'

/** What a provider says of one movement of money, in all of its files. */
export interface Fact {
  lines: StoredLine[]
  /** 1; above it: some file has the same movement again. */
  number: number
  /** The line that counts: the next thing that is told, or a correction, replaces one before. */
  current: StoredLine
  /** The first line by which the money moved. */
  paid: StoredLine | undefined
}

/** What names a line. */
export function lineKey({ statementId, line }: LineKey): string {
  return `${statementId} ${line}`
}

/**
 * The facts in lines about one transaction of ours, or in lines that are known by the same. They
 * are the same in whichever order the lines come, with however many copies in other files. A file
 * that has a payment twice tells of two.
 */
export function factsOf(lines: StoredLine[], ours: Ours | undefined): Fact[] {
  const facts = new Map<string, StoredLine[]>()
  const add = (key: string, line: StoredLine) =>
    void facts.set(key, [...(facts.get(key) ?? []), line])
  const paidOfFile = new Map<string, number>()
  for (const line of lines.toSorted(byText)) {
    const name = nameOf(line, ours)
    const inFile = `${line.statementId} ${name}`
    const number = line.result === 'succeeded' ? (paidOfFile.get(inFile) ?? 0) + 1 : 1
    if (line.result === 'succeeded') paidOfFile.set(inFile, number)
    add(`${number} ${name}`, line)
  }
  return [...facts].map(([key, of]) => factOf(Number.parseInt(key, 10), of)).toSorted(byFirst)
}

/** A reference names a payment only together with what it is about. */
function nameOf({ kind, attemptId, reference, identity }: StoredLine, ours: Ours | undefined) {
  const isOurs = ours !== undefined && reference !== null
  return isOurs ? `${kind} ${attemptId ?? ours.attemptId} ${reference}` : `${kind} ${identity}`
}

function factOf(number: number, lines: StoredLine[]): Fact {
  const told: StoredLine[] = []
  for (const line of lines.toSorted(byTime)) {
    const last = told.at(-1)
    // A copy says nothing new.
    if (last === undefined || !saysSame(last, line)) told.push(line)
  }
  const current = told.at(-1)
  if (current === undefined) throw new Error('a fact has a line')
  return { lines, number, current, paid: told.find(({ result }) => result === 'succeeded') }
}

function saysSame(one: StoredLine, other: StoredLine): boolean {
  return (['amount', 'sign', 'result', 'fee'] as const).every((name) => one[name] === other[name])
}

const ranks = { pending: 0, failed: 1, succeeded: 1, reversed: 2 }

/** Which of two lines about one movement counts: the greater one. */
function byTime(one: StoredLine, other: StoredLine): number {
  return (
    ranks[one.result] - ranks[other.result] ||
    compare(one.statementId, other.statementId) ||
    // Two tries in one file.
    Number(one.result === 'succeeded') - Number(other.result === 'succeeded') ||
    byText(one, other)
  )
}

/** By what lines say, and not by where they stand. */
function byText(one: StoredLine, other: StoredLine): number {
  return (
    one.at.getTime() - other.at.getTime() ||
    one.amount - other.amount ||
    one.fee - other.fee ||
    compare(one.statementId, other.statementId) ||
    one.line - other.line
  )
}

function byFirst({ current: one, number }: Fact, { current: other, number: than }: Fact): number {
  return (
    number - than ||
    one.at.getTime() - other.at.getTime() ||
    compare(one.reference ?? '', other.reference ?? '') ||
    compare(one.identity, other.identity) ||
    compare(one.kind, other.kind)
  )
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
