import { isIP } from 'node:net'
import type { Config, Mode } from '#base/config/config.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { isAllowedAddress } from '#base/net/public-addresses.ts'

/** The settings that decide which addresses merchants may give. */
export type UrlRules = Pick<Config, 'mode' | 'webhookRules'>

/** The longest address that merchants may give. */
export const lengthMax = 2048

/** The violations of the three addresses that every payment and link carries. */
export function urlProblems(
  body: { callBackURL?: unknown; successUrl?: unknown; failureUrl?: unknown },
  { mode, webhookRules }: UrlRules,
): (Reason | undefined)[] {
  // Payers' browsers open the other two: the gateway calls only the first.
  const rules = { callBackURL: webhookRules, successUrl: mode, failureUrl: mode }
  return (['callBackURL', 'successUrl', 'failureUrl'] as const).map((field) => {
    const url = body[field]
    return typeof url === 'string' ? urlProblem(field, url, rules[field]) : undefined
  })
}

/** The violation of a merchant's address; undefined: none. */
export function urlProblem(field: string, text: string, mode: Mode): Reason | undefined {
  const [, , authority = ''] = text.split(/[/?#]/)
  const isWhole = /^https?:\/\//i.test(text) && authority !== '' && URL.canParse(text)
  // The URL parser drops tabs, line ends and other invisible characters: the address that is called
  // would differ from the text.
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

/** Judges a host without DNS; names are resolved and checked when a webhook is sent. */
function isPublicHost(host: string): boolean {
  const literal = host.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return isAllowedAddress(literal, 'live')
  const isName = /^[^.]+(\.[^.]+)+\.?$/.test(host)
  return isName && !/\.(localhost|local|internal|lan|home|arpa)\.?$/.test(host)
}
