import { BlockList, isIP } from 'node:net'
import type { Mode } from '#base/config/config.ts'

// IPv4 networks that are not global unicast (RFC 6890 and its successors).
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
// Networks inside 2000::/3 for documentation, tests, or tunnels to IPv4 addresses.
const special6 = networks('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
const global6 = networks('ipv6', ['2000::/3'])
// A sandbox may also call this machine and its private network.
const private4 = networks('ipv4', ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'])
const private6 = networks('ipv6', ['::1/128', 'fc00::/7'])
// The IPv6 address of cloud metadata services, which hand out credentials, lies inside `private6`.
const metadata6 = networks('ipv6', ['fd00:ec2::/32'])

/**
 * Whether an IP address may be called: plain global unicast only, and in a sandbox also this
 * machine and its private network.
 */
export function isAllowedAddress(address: string, mode: Mode): boolean {
  const version = isIP(address)
  if (version === 4)
    return (
      !special4.check(address, 'ipv4') || (mode === 'sandbox' && private4.check(address, 'ipv4'))
    )
  if (version !== 6 || address.includes('%')) return false
  if (mode === 'sandbox' && private6.check(address, 'ipv6'))
    return !metadata6.check(address, 'ipv6')
  // IPv4-mapped, IPv4-compatible, NAT64 and 6to4 addresses lie outside 2000::/3 or in `special6`.
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

function networks(version: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const block = new BlockList()
  for (const network of list) {
    const [base = '', bits = ''] = network.split('/')
    block.addSubnet(base, Number(bits), version)
  }
  return block
}
