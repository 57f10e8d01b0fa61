import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Mode } from '#base/config/config.ts'

// What is handed out as unicast; the library takes what nobody has for that too.
const global6 = ipaddr.parseCIDR('2000::/3')
// A sandbox may also call this machine and its private network.
const sandboxRanges = new Set<string>(['loopback', 'private', 'uniqueLocal'])
// The IPv6 address of cloud metadata services, which hand out credentials, is among those.
const metadata6 = ipaddr.parseCIDR('fd00:ec2::/32')

/**
 * Whether an IP address may be called: plain global unicast only, and in a sandbox also this
 * machine and its private network. IPv6 that stands for an IPv4 address is neither.
 */
export function isAllowedAddress(address: string, mode: Mode): boolean {
  // The library also reads forms that only some programs take for an address.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  const isIpv6 = parsed.kind() === 'ipv6'
  if (mode === 'sandbox' && sandboxRanges.has(range)) return !(isIpv6 && parsed.match(metadata6))
  return range === 'unicast' && (!isIpv6 || parsed.match(global6))
}
