import { isIP } from 'node:net'
import type { Reason } from '../catalog/refusal.ts'
import { reason } from '../catalog/refusal.ts'
import type { Mode } from '../config/config.ts'
import { isAllowedAddress } from '../net/public-addresses.ts'

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

/** Names are looked up when a webhook is sent; here, what can be seen without asking anybody. */
function isPublicHost(host: string): boolean {
  const literal = host.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return isAllowedAddress(literal, 'live')
  const isName = /^[^.]+(\.[^.]+)+\.?$/.test(host)
  return isName && !/\.(localhost|local|internal|lan|home|arpa)\.?$/.test(host)
}
