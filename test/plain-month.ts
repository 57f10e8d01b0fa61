import type { MadeLine } from './statement-maker.ts'

export interface Ours {
  id: string
  operation: string
  status: string
  amount: number
  at: Date
  attemptId: string
  /** All of them have the same one: it names a payment only together with our own id. */
  reference: string | null
  clientId: number
  createdAt: Date
  completedAt: Date | null
}

/** What a provider tells, when it happened, and in which of its versions of that time. */
export interface Told {
  line: MadeLine
  at: Date
  isCorrection: boolean
  about: Ours | undefined
}

/** What a person has decided about a difference, and moved for it to a merchant or to suspense. */
export interface Decided {
  difference: number
  moved: number
  suspended: number
}

/** What a provider is to take for each of its lines, and where its days begin and end. */
export interface Terms {
  fee: ((amount: number) => number) | undefined
  dayOf: (at: Date) => string
  /** When a line says that it was: the first and the last moment. */
  momentsOf: (line: MadeLine) => [first: Date, last: Date]
}

export interface File {
  name: string
  told: Told[]
  from: Date
  to: Date
  isCorrection: boolean
}

const ranks: Record<string, number> = { pending: 0, failed: 1, succeeded: 1, reversed: 2 }

/** The plain function: what is open, and booked, after facts were told in an order. */
export function expectedOf(
  files: File[],
  all: Ours[],
  decided: ReadonlyMap<string, Decided>,
  terms: Terms,
) {
  const facts = new Map<string, { last: Told; count: number }>()
  for (const { told } of files) {
    const inFile = new Map<string, number>()
    for (const one of told) {
      const { reference, kind, status, amount } = one.line
      const text = `${reference} ${one.line.our_reference}`.trim() || `${one.line.moment} ${amount}`
      const again = status === 'succeeded' ? (inFile.get(`${kind} ${text}`) ?? 0) + 1 : 1
      if (status === 'succeeded') inFile.set(`${kind} ${text}`, again)
      const key = `${kind} ${text} ${again}`
      const known = facts.get(key)
      const isNext = (ranks[status] ?? 0) >= (ranks[known?.last.line.status ?? ''] ?? -1)
      if (known === undefined || isNext) facts.set(key, { last: one, count: again })
    }
  }
  const cases: string[] = []
  let left = 0
  let [fees, transfers, held] = [0, 0, 0]
  const told = new Set<string>()
  const holders = holdersOf([...facts.values()].map(({ last, count }) => ({ ...last, count })))
  /** What a payment differs by; undefined: nothing. */
  const differ = (key: string, kind: string | undefined, difference: number, subject: string) => {
    const [id = ''] = key.split(' ')
    const own = decided.get(key)
    const missed = holders.get(id) === key ? decided.get(id) : undefined
    const moved = (own?.moved ?? 0) + (missed?.moved ?? 0)
    const before = own?.suspended ? undefined : (own ?? (missed?.moved ? missed : undefined))
    const isLeft = before?.difference === difference
    const isOpen = difference !== moved || (kind !== undefined && moved === 0)
    if (!isOpen) return
    if (isLeft) left += difference - moved
    else cases.push(`${kind ?? 'amount'} ${difference - moved} ${subject}`)
  }
  for (const { last, count } of facts.values()) {
    const { line, about } = last
    const { status, amount, fee, kind, reference } = line
    const sign = kind === 'collect' ? 1 : -1
    const isPaid = status === 'succeeded'
    const isUnnamed = reference === ''
    const isAgain = count > 1 && !isUnnamed
    if (isPaid && kind === 'transfer') transfers += amount
    else if (isPaid && kind === 'fee') fees += amount
    else if (!isAgain && (isPaid || status === 'reversed')) fees += fee
    if (kind === 'transfer' || kind === 'fee') continue
    const paid = isPaid ? sign * amount : 0
    held += paid - (isAgain ? fee : 0)
    const key = `${about?.id ?? ''} ${reference} ${isAgain ? 2 : 1}`
    if (about === undefined) {
      const suspended = decided.get(key)?.suspended ?? 0
      const isBooked = suspended !== 0 && paid === suspended
      differ(key, isBooked ? undefined : 'theirs_only', paid - suspended, reference)
      continue
    }
    told.add(about.id)
    for (const text of besides(last, key, decided, terms)) cases.push(text)
    // Ended by its line, whatever it says.
    if (about.status === 'OPEN') continue
    if (isAgain) differ(key, 'duplicate', paid - fee, about.id)
    // Its money is in suspense.
    else if (reference.startsWith('S')) differ(key, 'duplicate', 0, about.id)
    else if (about.status !== 'SUCCESS') differ(key, isPaid ? 'status' : undefined, 0, about.id)
    else if (!isPaid) differ(key, 'status', -sign * about.amount, about.id)
    else if (amount !== about.amount)
      differ(key, 'amount', sign * (amount - about.amount), about.id)
    else differ(key, undefined, 0, about.id)
  }
  for (const { id, status, operation, amount } of all)
    if (status === 'SUCCESS' && !told.has(id))
      differ(id, 'ours_only', operation === 'CASHOUT' ? -amount : amount, id)
  const lines = [...facts.values()].map(({ last }) => last.line)
  return { cases: cases.toSorted(), left, fees, transfers, held: held - fees + transfers, lines }
}

/** The differences of fee and day: what they come to moves no money of the provider. */
function besides(
  { line, about }: Told,
  key: string,
  decided: ReadonlyMap<string, Decided>,
  { fee, dayOf, momentsOf }: Terms,
): string[] {
  if (about === undefined) return []
  const isPaid = line.status === 'succeeded'
  const expected = isPaid && fee !== undefined ? fee(line.amount) : line.fee
  const [first, last] = momentsOf(line)
  const { createdAt, completedAt } = about
  const isBefore = last.getTime() < createdAt.getTime() - edgeMs
  const isAfter = completedAt !== null && first.getTime() > completedAt.getTime() + edgeMs
  const limit = isBefore ? createdAt : completedAt
  const isOtherDay =
    isPaid && (isBefore || isAfter) && limit !== null && dayOf(first) !== dayOf(limit)
  const found: [kind: string, difference: number, isTold: boolean][] = [
    ['fee', expected - line.fee, expected !== line.fee],
    ['day', 0, isOtherDay],
  ]
  return found.flatMap(([kind, difference, isTold]) => {
    const own = decided.get(`${kind} ${key}`)
    const moved = own?.moved ?? 0
    const isOpen = difference !== moved || (isTold && moved === 0)
    return isOpen && own?.difference !== difference
      ? [`${kind} ${difference - moved} ${about.id}`]
      : []
  })
}

// Clocks differ, and lines are late.
const edgeMs = 600_000

/** Which payment stands for the success of each transaction. */
function holdersOf(facts: (Told & { count: number })[]): Map<string, string> {
  return new Map(
    facts.flatMap(({ about, line, count }): [string, string][] =>
      about === undefined || count > 1 || line.reference.startsWith('S')
        ? []
        : [[about.id, `${about.id} ${line.reference} 1`]],
    ),
  )
}
