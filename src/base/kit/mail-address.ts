import { domainToASCII } from 'node:url'

/** The sender of a mail. */
export interface Mailbox {
  /** Empty: mail programs show the address alone. */
  name: string
  address: string
}

const localPattern = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
// Never allowed in a domain, whatever `domainToASCII` would turn them into.
const forbiddenInDomain = /[\p{Cc}\p{Cf}\p{Z}"(),:;<>@[\\\]%/]/u

/** Whether a text is exactly one mail address, in a form that every mail server accepts. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [name, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (
    text.length > 254 ||
    name.length > 64 ||
    !localPattern.test(name) ||
    forbiddenInDomain.test(domain)
  )
    return false
  if (domain === 'localhost') return true
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  // A domain without a dot is a typing error, and one that ends in a number is an IP address.
  return labels.length > 1 && labels.every((one) => labelPattern.test(one)) && !/\.\d+$/.test(ascii)
}

/** Parses `Name <address>` or an address alone; undefined for anything else. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, quoted, plain, inside] = /^(?:"([^"\\]*)"|([^"<>]*))\s*<([^<>]*)>$/.exec(text) ?? []
  const name = (quoted ?? plain ?? '').trim()
  const address = inside ?? text
  if (/\p{Cc}/u.test(text) || !isMailAddress(address)) return undefined
  return { name, address }
}
