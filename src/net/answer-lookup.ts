import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

type LookupParameters = Parameters<LookupFunction>

/** Hands addresses, or the problem, to a socket that asked for them as it asks `dns.lookup`. */
export function answerLookup(
  answer: Promise<LookupAddress[]>,
  options: LookupParameters[1],
  done: LookupParameters[2],
): void {
  answer.then(
    (found) => {
      const [first] = found
      if (options.all) done(null, found)
      else done(null, first?.address ?? '', first?.family)
    },
    (problem: Error) => done(problem, '', 0),
  )
}
