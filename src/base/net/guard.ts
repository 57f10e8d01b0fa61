import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { Mode } from '#base/config/config.ts'
import { answerLookup } from './answer-lookup.ts'
import { openMerchantNames, type ResolveHost } from './merchant-names.ts'
import { type OriginPools, openOriginPools } from './pool.ts'
import { isAllowedAddress } from './public-addresses.ts'

/** Thrown for an address that is not called: not on the public internet, or no web URL at all. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

const connectionsMax = 32
const idleMs = 10_000

/**
 * Connection pools that are safe for merchants' URLs (against SSRF). Each connection resolves the
 * host once, fails unless every address found is allowed, and connects to one of those very
 * addresses, so a second DNS answer cannot lead elsewhere. An address that is written as such in
 * the URL is never resolved: `parseAllowedUrl` checks it.
 */
export function openGuardedPools(
  mode: Mode,
  resolve: ResolveHost = openMerchantNames(),
): OriginPools {
  const resolveAllowed = async (host: string, owner: string): Promise<LookupAddress[]> => {
    const found = await resolve(host, owner)
    if (found.length === 0 || found.some(({ address }) => !isAllowedAddress(address, mode)))
      throw new ForbiddenAddress(`${host} is not on the public internet`)
    return found
  }
  return openOriginPools({
    connectionsMax,
    idleMs,
    lookupFor: (owner) => (host, options, done) =>
      answerLookup(resolveAllowed(host, owner), options, done),
  })
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
