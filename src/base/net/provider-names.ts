import { ADDRCONFIG, type LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Log } from '#base/log/log.ts'
import { answerLookup } from './answer-lookup.ts'
import { openShares } from './shares.ts'

/** The names of providers' hosts, resolved ahead of the calls that need them. */
export interface ProviderNames {
  /** Resolves a host now, and keeps its addresses fresh from then on. */
  keep(host: string): void
  /** Gives the addresses that are known; waits only for a host that was never resolved. */
  lookup: LookupFunction
  close(): void
}

const refreshMs = 15_000
// `dns.lookup` holds a thread of the pool for as long as it waits, and only two do lookups: known
// names are looked up one after the other, and so are new ones, which do not wait for those.
const lookupsEach = 1
const waitMsMax = 60_000

const lookUpAll = (host: string) => lookup(host, { all: true, hints: ADDRCONFIG })

/**
 * Keeps the addresses of the hosts that the operator has configured. They are resolved as every
 * program of this machine does (`dns.lookup`: hosts file, search domains and all), every few
 * seconds and beside the calls, so that no payment waits for a name server. If a name cannot be
 * resolved any more, its last addresses stay in use.
 */
export function openProviderNames(log: Log, lookUp = lookUpAll): ProviderNames {
  const kept = new Map<string, LookupAddress[] | undefined>()
  const underWay = new Map<string, Promise<LookupAddress[]>>()
  const shares = openShares(lookupsEach, waitMsMax)

  function resolve(host: string): Promise<LookupAddress[]> {
    const known = underWay.get(host)
    if (known !== undefined) return known
    if (!kept.has(host)) kept.set(host, undefined)
    const answer = shares
      .run(kept.get(host) === undefined ? 'new' : 'known', () => lookUp(host))
      .finally(() => underWay.delete(host))
    underWay.set(host, answer)
    answer.then(
      (found) => kept.set(host, found),
      (problem: unknown) => log.warn({ err: problem, host }, "a provider's name does not resolve"),
    )
    return answer
  }

  const timer = setInterval(() => kept.forEach((_found, host) => void resolve(host)), refreshMs)
  timer.unref()

  return {
    keep: (host) => {
      if (isIP(host) === 0) void resolve(host)
    },
    lookup: (host, options, done) => {
      const known = kept.get(host)
      answerLookup(known === undefined ? resolve(host) : Promise.resolve(known), options, done)
    },
    close: () => clearInterval(timer),
  }
}
