import { BlockList, isIP } from 'node:net'
import type { Mode } from '../config/config.ts'

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

function networks(version: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const block = new BlockList()
  for (const network of list) {
    const [base = '', bits = ''] = network.split('/')
    block.addSubnet(base, Number(bits), version)
  }
  return block
}
