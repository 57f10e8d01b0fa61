import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import { Agent } from 'undici'
import { isCallable } from '../kit/addresses.ts'
import type { Mode } from '../kit/config.ts'

/** An address that we do not call: not on the public internet, or not a web address at all. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

const connectTimeoutMs = 3000

/** Finds all addresses of a host, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (problem: Error | null, found: LookupAddress[]) => void,
) => void

/**
 * The one way out to merchants' addresses: looks a host up once, refuses unless every address found
 * may be called, and connects to one of those very addresses. Literal addresses are checked too,
 * because they are never looked up.
 */
export function guardedAgent(mode: Mode, resolve: Resolve = lookup): Agent {
  const checked: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (problem, found) => {
      const bad = found?.find(({ address }) => !isCallable(address, mode))
      if (problem === null && bad === undefined && found.length > 0) {
        const [first] = found
        if (options.all) done(null, found)
        else done(null, first?.address ?? '', first?.family)
      } else done(problem ?? new ForbiddenAddress(`${host} is not on the public internet`), '', 0)
    })
  }
  return new Agent({
    connect: { lookup: checked, timeout: connectTimeoutMs },
    connections: 32,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    // Both only watch pauses; whoever sends watches the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Reads a web address; refuses one that can be seen to be wrong without asking anybody. */
export function checkLiteral(text: string, mode: Mode): URL {
  const url = new URL(text)
  const { protocol, hostname, username, password } = url
  const isWeb = protocol === 'https:' || (mode === 'sandbox' && protocol === 'http:')
  if (!isWeb || username !== '' || password !== '')
    throw new ForbiddenAddress('only plain https addresses are called')
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isCallable(literal, mode))
    throw new ForbiddenAddress(`${literal} is not on the public internet`)
  return url
}
