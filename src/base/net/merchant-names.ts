import type { LookupAddress, RecordWithTtl } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import { RecentMap } from '#base/kit/recent-map.ts'
import { openHostsFile } from './hosts-file.ts'
import { openShares } from './shares.ts'

/** Resolves a host that the owner has named to all its addresses; rejects if there is none. */
export type ResolveHost = (host: string, owner: string) => Promise<LookupAddress[]>

interface Answer {
  found: LookupAddress[]
  /** How long it may be kept. */
  ttlMs: number
}

// All of it is less than the time that a connection may take to open.
const lookupMsMax = 2000
const waitMsMax = 800
// Small name servers take no more than about 150 questions at a time, and a lookup asks two.
const lookupsEach = 16
const keptMsMin = 5000
const keptMsMax = 60_000
// Less than the shortest wait between two tries of a delivery.
const failureKeptMs = 3000
const hostsKeptMax = 10_000

/**
 * Resolves the hosts in merchants' URLs without the thread pool that `dns.lookup` and files share:
 * a name server that hangs holds nothing but lookups of the merchant that named it. Names are
 * looked for in the hosts file, then asked of the name servers (the system's by default) exactly as
 * written: search domains of this machine are not appended.
 */
export function openMerchantNames(servers: string[] = []): ResolveHost {
  const findLocal = openHostsFile()
  const kept = new RecentMap<string, { answer: Promise<LookupAddress[]>; untilMs: number }>(
    hostsKeptMax,
  )
  const shares = openShares(lookupsEach, waitMsMax)

  /** What is known of a name, or being asked now. */
  function known(name: string): Promise<LookupAddress[]> | undefined {
    const one = kept.get(name)
    return one !== undefined && monotonicMs() < one.untilMs ? one.answer : undefined
  }

  function ask(name: string): Promise<LookupAddress[]> {
    const looking = askServers(name, servers)
    const answer = looking.then(({ found }) => found)
    kept.set(name, { answer, untilMs: Infinity })
    const keep = (ms: number) => kept.set(name, { answer, untilMs: monotonicMs() + ms })
    looking.then(
      ({ ttlMs }) => keep(Math.min(Math.max(ttlMs, keptMsMin), keptMsMax)),
      () => keep(failureKeptMs),
    )
    return answer
  }

  return async (host, owner) => {
    const name = host.toLowerCase().replace(/\.$/, '')
    const local = findLocal(name)
    if (local !== undefined) return local
    // Asked again once there is a place: another owner's lookup may have ended meanwhile.
    return known(name) ?? shares.run(owner, () => known(name) ?? ask(name))
  }
}

/**
 * Asks for both kinds of addresses. Each lookup has a resolver of its own, which can be cancelled
 * alone, learns of new name servers at once, and costs less than the sockets it opens.
 */
async function askServers(name: string, servers: string[]): Promise<Answer> {
  const resolver = new Resolver({ timeout: lookupMsMax / 2, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), lookupMsMax)
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ])
  clearTimeout(timer)
  const found = [...addressesIn(four, 4), ...addressesIn(six, 6)]
  if (found.length === 0) throw problemOf(four, six)
  const ttls = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { found, ttlMs: Math.min(...ttls.map(({ ttl }) => ttl)) * 1000 }
}

/** Why there is no address; silence of the name servers, if one of the two questions met it. */
function problemOf(...results: PromiseSettledResult<unknown>[]): Error {
  const problems = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const silence = problems.find(({ code }) => code === 'ECANCELLED' || code === 'ETIMEOUT')
  if (silence === undefined) return problems[0] ?? new Error('host name without an address')
  return Object.assign(new Error('no answer from a DNS server'), { code: 'ETIMEOUT' })
}

function addressesIn(
  result: PromiseSettledResult<RecordWithTtl[]>,
  family: 4 | 6,
): LookupAddress[] {
  return result.status === 'rejected'
    ? []
    : result.value.map(({ address }) => ({ address, family }))
}
