import { maskPhone, withoutNumbers } from '#base/sealing/mask-phone.ts'

const secretNames = /password|secret|code|otp|credential/i
// Nobody can take a number out of the audit log again: it holds none.
const numberNames = new Set(['to', 'number', 'phone'])
// What looks like a number and is none, by the name of its field.
const figureNames = /amount|balance|below|count|fee|fixed|limit|max|min|percent|rate|sum|target/i
const figure = /^[\d\s.,-]*$/
const date = /^\d{4}-\d{2}-\d{2}/
const lengthMax = 200
// What is looked at of a text: more than is kept, as encoding makes it longer.
const readMax = 1000
// No form of ours has so many. What is recorded stays for good, and its pages show it.
const fieldsMax = 100
const hidden = '…'

/** The fields of a form as the audit log keeps them: without secrets and numbers of payers. */
export function auditedFields(fields: Record<string, string>): Record<string, string> {
  // A form with a customer is about that person; the address of any other is a colleague's.
  const isAboutCustomer = 'customer' in fields
  const given = Object.entries(fields)
  const first = given.slice(0, fieldsMax)
  const left = given.length - first.length
  return Object.fromEntries([
    ...first.map(([name, value]) => [
      name.slice(0, lengthMax),
      audited(name, value.slice(0, readMax), isAboutCustomer),
    ]),
    ...(left > 0 ? [[hidden, `+ ${left}`]] : []),
  ])
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
