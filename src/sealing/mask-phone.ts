import { isPseudonym } from './pseudonym.ts'

/**
 * A phone number for those who may not read it, for logs, evidence and receipts: its last two
 * digits, the same for every way to write it.
 */
export function maskPhone(phone: string): string {
  return `••••••${phone.length > 4 && !isPseudonym(phone) ? phone.slice(-2) : ''}`
}
