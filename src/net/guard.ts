import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Mode } from '../config/config.ts'
import type { OriginPools } from './pool.ts'
import { openOriginPools } from './pool.ts'
import { isAllowedAddress } from './public-addresses.ts'

/** Thrown for an address that is not called: not on the public internet, or no web URL at all. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

const connectionsMax = 32
const idleMs = 10_000

/** Resolves a host to all its addresses, as `dns.lookup` does. */
export type ResolveHost = (
  host: string,
  options: LookupAllOptions,
  done: (problem: Error | null, found: LookupAddress[]) => void,
) => void

/**
 * Connection pools that are safe for merchants' URLs (against SSRF). Each connection resolves the
 * host once, fails unless every address found is allowed, and connects to one of those very
 * addresses, so a second DNS answer cannot lead elsewhere. An address that is written as such in
 * the URL is never resolved: `parseAllowedUrl` checks it.
 */
export function openGuardedPools(mode: Mode, resolve: ResolveHost = lookup): OriginPools {
  const guardedLookup: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (problem, found) => {
      const forbidden = found?.find(({ address }) => !isAllowedAddress(address, mode))
      if (problem === null && forbidden === undefined && found.length > 0) {
        const [first] = found
        if (options.all) done(null, found)
        else done(null, first?.address ?? '', first?.family)
      } else done(problem ?? new ForbiddenAddress(`${host} is not on the public internet`), '', 0)
    })
  }
  return openOriginPools({ connectionsMax, idleMs, lookup: guardedLookup })
}

/**
 * Parses a URL, and throws if it is visibly wrong: not https (a sandbox takes http too), with a
 * login in it, or with an IP address that is not allowed. Does not resolve host names.
 */
export function parseAllowedUrl(text: string, mode: Mode): URL {
  const url = new URL(text)
  const { protocol, hostname, username, password } = url
  const isWeb = protocol === 'https:' || (mode === 'sandbox' && protocol === 'http:')
  if (!isWeb || username !== '' || password !== '')
    throw new ForbiddenAddress('only plain https addresses are called')
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowedAddress(host, mode))
    throw new ForbiddenAddress(`${host} is not on the public internet`)
  return url
}
