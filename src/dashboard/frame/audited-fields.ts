import { maskPhone } from '../../sealing/mask-phone.ts'

const secretNames = /password|secret|code|otp|credential/i
// Nobody can take a number out of the audit log again: it holds none.
const numberNames = new Set(['to', 'number', 'phone'])
const date = /^\d{4}-\d{2}-\d{2}/
const longNumber = /\+?\d{8,}/g
const lengthMax = 200
const hidden = '…'

/** The fields of a form as the audit log keeps them: without secrets and numbers of payers. */
export function auditedFields(fields: Record<string, string>): Record<string, string> {
  // A form with a customer is about that person; the address of any other is a colleague's.
  const isAboutCustomer = 'customer' in fields
  const kept = (name: string, value: string) => {
    if (secretNames.test(name)) return hidden
    if (isAboutCustomer && (name === 'customer' || name === 'email')) return value && hidden
    if (numberNames.has(name) && !date.test(value)) return value && maskPhone(value)
    if (name === 'query') return value.replaceAll(longNumber, maskPhone).slice(0, lengthMax)
    return value.slice(0, lengthMax)
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, kept(name, value)]),
  )
}
