import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Mode } from '../config/config.ts'
import type { WayOut } from './pool.ts'
import { openWayOut } from './pool.ts'
import { isCallable } from './public-addresses.ts'

/** An address that we do not call: not on the public internet, or not a web address at all. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

const connectionsMax = 32
const idleMs = 10_000

/** Finds all addresses of a host, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (problem: Error | null, found: LookupAddress[]) => void,
) => void

/**
 * The one way out to merchants' addresses: looks a host up once for each connection, refuses unless
 * every address found may be called, and connects to one of those very addresses. Literal addresses
 * are never looked up: `checkLiteral`.
 */
export function guardedWayOut(mode: Mode, resolve: Resolve = lookup): WayOut {
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
  return openWayOut({ connectionsMax, idleMs, lookup: checked })
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
