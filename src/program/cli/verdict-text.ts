import { oneLine } from '#base/kit/one-line.ts'
import type { Break } from '#operations/verify/break.ts'
import type { Verdict } from '#operations/verify/ledger.ts'
import { counted } from './terminal.ts'

const breakLengthMax = 500

/** A break as one line: a line end in a stored text must not look like another break. */
export function describeBreak({ promise, clientId, where, what }: Break): string {
  const place = clientId === null ? where : `client ${clientId} ${where}`
  return oneLine(`BREAK ${promise}: ${place} ${what}`, breakLengthMax)
}

/** What was read, and what it came to. */
export function summarizeVerdict(verdict: Verdict, kept: number, durationMs: number): string {
  const { postings, entries, accounts, anchors, breaks } = verdict
  const seen = [
    counted(postings, 'posting'),
    counted(entries, 'merchant entry', 'merchant entries'),
    counted(accounts, 'account'),
    counted(anchors, 'anchor'),
    ...(kept === 0 ? [] : [counted(kept, 'anchor kept elsewhere', 'anchors kept elsewhere')]),
  ]
  const sound = postings === 0 ? 'the ledger is empty, nothing was proved' : 'the ledger holds'
  const result = breaks.length === 0 ? sound : counted(breaks.length, 'break')
  return `${seen.join(', ')}: ${result} (${durationMs} ms)`
}
