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
}

/** What a provider tells, when it happened, and in which of its versions of that time. */
export interface Told {
  line: MadeLine
  at: Date
  isCorrection: boolean
  about: Ours | undefined
}

/** What a person has decided about a difference, and moved for it. */
export interface Decided {
  difference: number
  moved: number
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
export function expectedOf(files: File[], all: Ours[], decided: ReadonlyMap<string, Decided>) {
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
    const isLeft = (own ?? (missed?.moved ? missed : undefined))?.difference === difference
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
      differ(key, 'theirs_only', paid, reference)
      continue
    }
    told.add(about.id)
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
