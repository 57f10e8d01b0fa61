import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { BlockList, isIP } from 'node:net'
import { Agent } from 'undici'
import type { Mode } from '../kit/config.ts'

/** An address that we do not call: not on the public internet, or not a web address at all. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

const connectTimeoutMs = 3000

// IPv4 that is not global unicast (RFC 6890 and its successors).
const special4 = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])
// Inside 2000::/3, what is documentation, a test, or a tunnel to some IPv4 address.
const special6 = networks('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
const global6 = networks('ipv6', ['2000::/3'])
// What a sandbox may call besides: this machine and its own network.
const near4 = networks('ipv4', ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'])
const near6 = networks('ipv6', ['::1/128', 'fc00::/7'])
// Where a cloud tells its machines their secrets, inside what is near.
const cloud6 = networks('ipv6', ['fd00:ec2::/32'])

/** Whether an IP address may be called. Anything that is not plain global unicast may not. */
export function isCallable(address: string, mode: Mode): boolean {
  const version = isIP(address)
  if (version === 4)
    return !special4.check(address, 'ipv4') || (mode === 'sandbox' && near4.check(address, 'ipv4'))
  if (version !== 6 || address.includes('%')) return false
  if (mode === 'sandbox' && near6.check(address, 'ipv6')) return !cloud6.check(address, 'ipv6')
  // Mapped, compatible, NAT64 and 6to4 forms all lie outside or are listed: none gets through.
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

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
    connections: 16,
    pipelining: 1,
    keepAliveTimeout: 10_000,
  })
}

/** Refuses a web address that can be seen to be wrong without asking anybody. */
export function checkLiteral(url: string, mode: Mode): void {
  const { protocol, hostname, username, password } = new URL(url)
  const isWeb = protocol === 'https:' || (mode === 'sandbox' && protocol === 'http:')
  if (!isWeb || username !== '' || password !== '')
    throw new ForbiddenAddress('only plain https addresses are called')
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isCallable(literal, mode))
    throw new ForbiddenAddress(`${literal} is not on the public internet`)
}

function networks(version: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const block = new BlockList()
  for (const network of list) {
    const [base = '', bits = ''] = network.split('/')
    block.addSubnet(base, Number(bits), version)
  }
  return block
}
