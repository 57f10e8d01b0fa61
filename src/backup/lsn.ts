/** A position in PostgreSQL's log of changes (WAL): bytes since its beginning. */
export type Lsn = bigint

/** Reads a position as PostgreSQL writes it: `16/B374D848`. */
export function readLsn(text: string): Lsn {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  if (high === undefined || low === undefined) throw new Error(`not a position: ${text}`)
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Writes a position as PostgreSQL does. */
export function writeLsn(lsn: Lsn): string {
  return [lsn >> 32n, lsn & 0xffff_ffffn].map((part) => part.toString(16).toUpperCase()).join('/')
}

/** A file of the log: its timeline and its place in it, counted in files. */
export interface Segment {
  timeline: number
  index: bigint
}

/** The file that holds a position. */
export function segmentAt(timeline: number, lsn: Lsn, segmentBytes: number): Segment {
  return { timeline, index: lsn / BigInt(segmentBytes) }
}

/** Where a file begins. */
export function startOf({ index }: Segment, segmentBytes: number): Lsn {
  return index * BigInt(segmentBytes)
}

/** The name that PostgreSQL gives the file: timeline, and its place in two parts. */
export function nameOfSegment({ timeline, index }: Segment, segmentBytes: number): string {
  const perPart = 0x1_0000_0000n / BigInt(segmentBytes)
  return [BigInt(timeline), index / perPart, index % perPart]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

/** The file of a name; undefined: it is not the name of one. */
export function segmentOfName(name: string, segmentBytes: number): Segment | undefined {
  if (!/^[0-9A-F]{24}$/.test(name)) return undefined
  const perPart = 0x1_0000_0000n / BigInt(segmentBytes)
  const [timeline = 0n, high = 0n, low = 0n] = [0, 8, 16].map((at) =>
    BigInt(`0x${name.slice(at, at + 8)}`),
  )
  return { timeline: Number(timeline), index: high * perPart + low }
}
