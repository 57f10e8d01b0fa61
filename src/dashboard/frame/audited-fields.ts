import { maskPhone } from '../../sealing/mask-phone.ts'

const secretNames = /password|secret|code|otp|credential/i
// Nobody can take a number out of the audit log again: it holds none.
const numberNames = new Set(['to', 'number', 'phone'])
// What looks like a number and is none, by the name of its field.
const figureNames = /amount|balance|below|count|fee|fixed|limit|max|min|percent|rate|sum|target/i
const figure = /^[\d\s.,-]*$/
const date = /^\d{4}-\d{2}-\d{2}/
const day = String.raw`(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d|[-.]\d)`
// What is kept of a text, in this order: dates, sums of money, ids, hosts, and hashes.
const kept = [
  day,
  String.raw`(?<!\d)(?:0[1-9]|[12]\d|3[01])[/.-](?:0[1-9]|1[0-2])[/.-](?:19|20)\d\d(?!\d|[-./ ]\d)`,
  String.raw`(?<!\d)\d{1,3}(?:\s?\d{3})*\s?(?:F|FCFA|F CFA|XOF|XAF|francs)(?![A-Za-z])`,
  String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
  String.raw`sm-[0-9a-f]{12}`,
  String.raw`(?<=\/\/)\d{1,3}(?:\.\d{1,3}){3}`,
  String.raw`(?=[0-9a-f]*[a-f])[0-9a-f]{16,}`,
].join('|')
// Eight to fifteen digits, after + or 00, with what people put between them.
const number = String.raw`(?<!\d)\+?\d(?:[\s.\-‐-―()/_]{0,3}\d){7,16}(?!\d)`
const keptOrNumber = new RegExp(`(${kept})|${number}`, 'gi')
const lengthMax = 200
// What is looked at of a text: more than is kept, as encoding makes it longer.
const readMax = 1000
const hidden = '…'

/** The fields of a form as the audit log keeps them: without secrets and numbers of payers. */
export function auditedFields(fields: Record<string, string>): Record<string, string> {
  // A form with a customer is about that person; the address of any other is a colleague's.
  const isAboutCustomer = 'customer' in fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      audited(name, value.slice(0, readMax), isAboutCustomer),
    ]),
  )
}

function audited(name: string, value: string, isAboutCustomer: boolean): string {
  if (secretNames.test(name)) return hidden
  if (isAboutCustomer && (name === 'customer' || name === 'email')) return value && hidden
  if (numberNames.has(name) && !date.test(value)) return value && maskPhone(value)
  // The filters of a list, as they stand in its address.
  if (name === 'query')
    return [...new URLSearchParams(value)]
      .map(([one, text]) => `${one}=${audited(one, text, false)}`)
      .join('&')
      .slice(0, lengthMax)
  // Networks that may use a key.
  if (name === 'addresses') return value.slice(0, lengthMax)
  if (figureNames.test(name) && figure.test(value)) return value.slice(0, lengthMax)
  return withoutNumbers(value).slice(0, lengthMax)
}

/** A text without what can be a phone number, however it is written or encoded. */
function withoutNumbers(text: string): string {
  const plain = decoded(text).normalize('NFKC')
  const masked = plain.replaceAll(keptOrNumber, (found, one?: string) => one ?? maskPhone(found))
  return masked === plain ? text : masked
}

/** A text whose percent signs are decoded, as often as it was encoded. */
function decoded(text: string): string {
  const once = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return once === text ? text : decoded(once)
}
