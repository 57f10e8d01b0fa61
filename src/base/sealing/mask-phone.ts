import { isPseudonym } from './pseudonym.ts'

/**
 * A phone number for those who may not read it, for logs, evidence and receipts: its last two
 * digits, the same for every way to write it.
 */
export function maskPhone(phone: string): string {
  return `••••••${phone.length > 4 && !isPseudonym(phone) ? phone.slice(-2) : ''}`
}

const day = String.raw`(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d|[-.]\d)`
// What is kept of a text, in this order: dates, sums of money, ids, hosts, and hashes.
const kept = [
  day,
  String.raw`(?<!\d)(?:0[1-9]|[12]\d|3[01])[/.-](?:0[1-9]|1[0-2])[/.-](?:19|20)\d\d(?!\d|[-./ ]\d)`,
  String.raw`(?<!\d)\d{1,3}(?:\s?\d{3})*\s?(?:F|FCFA|F CFA|XOF|XAF|francs)(?![A-Za-z])`,
  String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
  String.raw`sm-[0-9a-f]{12}`,
  String.raw`(?<=\/\/)\d{1,3}(?:\.\d{1,3}){3}`,
  String.raw`(?=[0-9a-f]*[a-f])[0-9a-f]{32,}`,
].join('|')
// Eight to fifteen digits, after + or 00, with what people put between them; in an address + stands
// for a space.
const number = String.raw`(?<!\d)\+?\d(?:[\s+.·\-‐-―()/_\u200b-\u200d]{0,3}\d){7,16}(?!\d)`
const keptOrNumber = new RegExp(`(${kept})|${number}`, 'gi')

/** A text without what can be a phone number, however it is written or encoded. */
export function withoutNumbers(text: string): string {
  const plain = decoded(text).normalize('NFKC')
  const masked = plain.replaceAll(keptOrNumber, (found, one?: string) => one ?? maskPhone(found))
  return masked === plain ? text : masked
}

/** A text whose percent signs are decoded, as often as it was encoded. */
function decoded(text: string): string {
  for (let before = '', now = text; ; ) {
    if (now === before) return now
    before = now
    now = now.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodedPart)
  }
}

/** Also beside bytes that are no text there may be digits. */
function decodedPart(part: string): string {
  return Buffer.from(part.replaceAll('%', ''), 'hex').toString('utf8')
}
