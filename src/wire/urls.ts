import { BlockList, isIP } from 'node:net'
import type { Mode } from '../kit/config.ts'
import type { Reason } from '../kit/refusal.ts'
import { reason } from '../kit/refusal.ts'

const lengthMax = 2048

/** What is wrong with an address that a merchant gave for a field; undefined: nothing. */
export function urlProblem(field: string, text: string, mode: Mode): Reason | undefined {
  const [, , authority = ''] = text.split(/[/?#]/)
  const isWhole = /^https?:\/\//i.test(text) && authority !== '' && URL.canParse(text)
  // URL would silently drop what cannot be seen; an address with that is not what it seems.
  if (!isWhole || /[\s\\\p{Cc}\p{Cf}]/u.test(text) || text.length > lengthMax)
    return reason('{field} must be a full http or https address', {}, field)
  if (authority.includes('@'))
    return reason('{field} must not contain a user name or password', {}, field)
  if (mode === 'sandbox') return undefined
  const url = new URL(text)
  if (url.protocol !== 'https:') return reason('{field} must begin with https://', {}, field)
  if (!isPublicHost(url.hostname))
    return reason('{field} must be an address on the public internet', {}, field)
  return undefined
}

const special = new BlockList()
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [base = '', bits = ''] = network.split('/')
  special.addSubnet(base, Number(bits), 'ipv4')
}

/** Names are looked up when a webhook is sent; here, what can be seen without asking anybody. */
function isPublicHost(host: string): boolean {
  if (isIP(host) === 4) return !special.check(host, 'ipv4')
  // Only 2000::/3 is global, and the tunnels inside it lead to IPv4.
  if (host.startsWith('[')) return /^\[[23]/.test(host) && !/^\[200[12]:/.test(host)
  const isName = /^[^.]+(\.[^.]+)+\.?$/.test(host)
  return isName && !/\.(localhost|local|internal|lan|home|arpa)\.?$/.test(host)
}
