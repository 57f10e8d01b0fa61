import { readFileSync } from 'node:fs'

/** Ticks since the machine started. */
interface Ticks {
  /** In which something here wanted to run: what ran, and what the host gave to others. */
  wanted: number
  stolen: number
}

/** What the host has taken away so far; zeros where there is no /proc. */
export function readTicks(): Ticks {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = readFileSync(
      '/proc/stat',
      'utf8',
    )
      .slice('cpu '.length, 200)
      .trim()
      .split(' ', 8)
      .map(Number)
    return { wanted: user + nice + system + irq + softIrq + stolen, stolen }
  } catch {
    return { wanted: 0, stolen: 0 }
  }
}

/** The part of the wanted processor time that the host gave to others since then. */
export function stolenSince(then: Ticks): number {
  const now = readTicks()
  return now.wanted === then.wanted ? 0 : (now.stolen - then.stolen) / (now.wanted - then.wanted)
}
