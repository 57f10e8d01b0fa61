import { BlockList, isIP } from 'node:net'

/** Whether a text is an address (10.0.0.1) or a network (10.0.0.0/8), of IPv4 or IPv6. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

/** Whether an address is in one of a key's allowed networks, or it has none. */
export function isAddressAllowed(allowed: string[], address: string): boolean {
  if (allowed.length === 0) return true
  const list = new BlockList()
  for (const network of allowed) {
    const [base = '', bits = ''] = network.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 6 ? 'ipv6' : 'ipv4')
  }
  // A dual-stack socket shows IPv4 callers as ::ffff:a.b.c.d.
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}
