import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

type LookupParameters = Parameters<LookupFunction>

/** Hands addresses, or the problem, to a socket that asked for them as it asks `dns.lookup`. */
export function answerLookup(
  answer: Promise<LookupAddress[]>,
  options: LookupParameters[1],
  done: LookupParameters[2],
): void {
  callbackify(() => answer)((problem, found) => {
    if (problem) done(problem, '', 0)
    else if (options.all) done(null, found)
    else done(null, found[0]?.address ?? '', found[0]?.family)
  })
}
