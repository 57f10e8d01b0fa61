/** A position in PostgreSQL's log of changes (WAL): bytes since its beginning. */
export type Lsn = bigint

/** Reads a position as PostgreSQL writes it: `16/B374D848`. */
export function readLsn(text: string): Lsn {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  if (high === undefined || low === undefined) throw new Error(`not a position: ${text}`)
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** A file of the log: its timeline and its place in it, counted in files. */
export interface Segment {
  timeline: number
  index: bigint
}

/** The file that a name begins with, as that of a backup's mark does; undefined: none. */
export function segmentOfName(name: string, segmentBytes: number): Segment | undefined {
  if (!/^[0-9A-F]{24}/.test(name)) return undefined
  const [timeline = 0n, high = 0n, low = 0n] = [0, 8, 16].map((at) =>
    BigInt(`0x${name.slice(at, at + 8)}`),
  )
  return { timeline: Number(timeline), index: high * filesPerPart(segmentBytes) + low }
}

/** The name that PostgreSQL gives a file: timeline, and its place in two parts. */
export function nameOfSegment({ timeline, index }: Segment, segmentBytes: number): string {
  const perPart = filesPerPart(segmentBytes)
  return [BigInt(timeline), index / perPart, index % perPart]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

function filesPerPart(segmentBytes: number): bigint {
  return 0x1_0000_0000n / BigInt(segmentBytes)
}
