import { domainToASCII } from 'node:url'

/** Who a mail comes from. */
export interface Mailbox {
  /** Empty: the address alone is shown. */
  name: string
  address: string
}

const local = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
// Nothing of these in a domain, whatever its encoding makes of them.
const never = /[\p{Cc}\p{Cf}\p{Z}"(),:;<>@[\\\]%/]/u

/** Whether a text is exactly one mail address that servers everywhere take. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [name, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (text.length > 254 || name.length > 64 || !local.test(name) || never.test(domain)) return false
  if (domain === 'localhost') return true
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  // A domain without a dot is a slip of the hand, and one that ends in a number is an IP address.
  return labels.length > 1 && labels.every((one) => label.test(one)) && !/\.\d+$/.test(ascii)
}

/** Reads `Name <address>` or an address alone; undefined when it is not exactly one of them. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, quoted, plain, inside] = /^(?:"([^"\\]*)"|([^"<>]*))\s*<([^<>]*)>$/.exec(text) ?? []
  const name = (quoted ?? plain ?? '').trim()
  const address = inside ?? text
  if (/\p{Cc}/u.test(text) || !isMailAddress(address)) return undefined
  return { name, address }
}
