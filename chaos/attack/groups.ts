/** How dear an input is, as the search found it. */
export interface Cost {
  /** Time on the thread that serves payments, for each second of a flood. */
  msPerSecond: number
  /** How many requests of a flood go out in a second. */
  perSecond: number
  tookMs: number
}

// What a group takes of the thread is at least that, and more than its dearest member alone.
const leastMsPerSecond = 400
const stronger = 1.25
const perSecondMax = 600
// Answered so late that something beside the thread worked: it is sent as often as one can.
const lateMs = 100
const lateMax = 4

/** Deals inputs out to so many groups, each of like ones: the dearest together. */
export function groupsOf<One extends Cost>(found: One[], count: number): One[][] {
  const sorted = found.toSorted((one, other) => costOf(other) - costOf(one))
  const each = Math.ceil(sorted.length / Math.max(1, count))
  const groups: One[][] = []
  for (let at = 0; at < sorted.length; at += each) groups.push(sorted.slice(at, at + each))
  return groups
}

export const costOf = ({ msPerSecond, tookMs }: Cost) => msPerSecond + tookMs

/**
 * Which part of all that one attacker can send goes to each address of a group. The dearest one
 * gets all, as if it were alone; the others together add to it.
 */
export function sharesOf(group: Cost[]): number[] {
  const late = group.filter(({ tookMs }) => tookMs >= lateMs)
  const [dearest, ...others] = group
    .filter((one) => !late.includes(one))
    .toSorted((one, other) => other.msPerSecond - one.msPerSecond)
  const most = dearest?.msPerSecond ?? 0
  const share = Math.min(
    1,
    Math.max(leastMsPerSecond - most, (stronger - 1) * most) /
      Math.max(1, sum(others.map(({ msPerSecond }) => msPerSecond))),
    perSecondMax / Math.max(1, sum(others.map(({ perSecond }) => perSecond))),
  )
  const lateShare = Math.min(1, lateMax / Math.max(1, late.length))
  return group.map((one) => {
    if (one === dearest) return 1
    return late.includes(one) ? lateShare : share
  })
}

/** The two halves of a group that failed, in which the dear ones are apart. */
export function halvesOf<One>(group: One[]): One[][] {
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)].filter(({ length }) => length > 0)
}

// Measured on two cores: of one address of one party, and around each group.
const searchSeconds = { thorough: 0.7, short: 0.3 }
const aroundSeconds = { group: 6, run: 60 }

/** How long a run takes, in words. */
export function estimateOf({
  pairs,
  groups,
  seconds,
  files = 0,
  isThorough,
}: Record<'pairs' | 'groups' | 'seconds', number> & {
  /** Kinds of files that payments are watched beside. */
  files?: number
  isThorough: boolean
}): string {
  const search = pairs * (isThorough ? searchSeconds.thorough : searchSeconds.short)
  const attacks = groups * (seconds + aroundSeconds.group) + seconds + files * (seconds / 4 + 1)
  const minutes = Math.ceil((aroundSeconds.run + search + attacks) / 60)
  return `${pairs} addresses in ${groups} groups: ${minutes} minutes, more where a group fails`
}

function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
