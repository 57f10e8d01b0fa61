/** An amount as it is written; its sign is that of a minus, of parentheses, or of CR and DR. */
export interface Francs {
  /** Whole francs, never negative. */
  amount: number
  isNegative: boolean
}

/** Why a text is no amount: cents that are not zero, a point that may mean two things, or else. */
export type FrancsProblem = 'cents' | 'ambiguous' | 'unreadable'

const digitsOnly = /^\d{1,15}$/
const unit = /^(?:f\s?cfa|cfa|xof|xaf|f)\b\.?\s*|\s*(?:f\s?cfa|cfa|xof|xaf|f)\.?$/gi
const side = /\s*(cr|dr)\.?$/i
const spaces = /[\s\u00a0\u202f]/g

/**
 * Reads whole francs without a float. `decimal` says which of point and comma comes before cents;
 * the other one groups digits. Without it, what may mean both (1.234) is a problem.
 */
export function readFrancs(text: string, decimal?: '.' | ','): Francs | FrancsProblem {
  if (digitsOnly.test(text)) return { amount: Number(text), isNegative: false }
  const { body, isNegative } = withoutSign(text)
  const [whole, cents] = partsOf(body, decimal)
  if (whole === undefined) return cents === undefined ? 'unreadable' : 'ambiguous'
  if (cents !== undefined && !/^\d+$/.test(cents)) return 'unreadable'
  const digits = digitsOf(whole)
  if (digits === undefined) return 'unreadable'
  if (cents !== undefined && /[1-9]/.test(cents)) return 'cents'
  return { amount: Number(digits), isNegative }
}

/** The digits and what groups them; a text with two signs keeps one, and is unreadable for it. */
function withoutSign(text: string): { body: string; isNegative: boolean } {
  let body = text.trim()
  let isNegative = false
  const [ending, word] = side.exec(body) ?? []
  if (ending !== undefined) {
    body = body.slice(0, -ending.length)
    isNegative = word?.toLowerCase() === 'dr'
    // 500 DR is a debit; -500 DR may be a debit or its opposite.
    return { body: body.replaceAll(unit, ''), isNegative }
  }
  if (body.startsWith('(') && body.endsWith(')'))
    return { body: body.slice(1, -1).replaceAll(unit, '').trim(), isNegative: true }
  body = body.replaceAll(unit, '')
  const [, front = '', middle = '', back = ''] = /^([+\-−]?)(.*?)([+\-−]?)$/.exec(body) ?? []
  if (front !== '' && back !== '') return { body: '', isNegative }
  isNegative = ['-', '−'].includes(front || back)
  return { body: middle.replace(unit, '').trim(), isNegative }
}

type Parts = [whole: string, cents?: string] | [whole: undefined, cents?: 'ambiguous']

/** What stands before and after the sign of cents. */
function partsOf(body: string, decimal: '.' | ',' | undefined): Parts {
  const last = Math.max(body.lastIndexOf('.'), body.lastIndexOf(','))
  if (last === -1) return [body]
  const mark = body[last]
  const before = body.slice(0, last)
  const after = body.slice(last + 1)
  const isAlone = !before.includes('.') && !before.includes(',')
  const couldGroup = /^[1-9]\d{0,2}$/.test(before) && /^\d{3}$/.test(after)
  if (decimal === undefined && isAlone && couldGroup) return [undefined, 'ambiguous']
  // A point that stands more than once groups, and so does each that is not the sign of cents.
  const isOnce = !before.includes(mark ?? '')
  const isDecimal = decimal === undefined ? isOnce : mark === decimal
  // 1,234.567 with cents after a comma: nothing is written so.
  if (!isDecimal) return decimal !== undefined && before.includes(decimal) ? [undefined] : [body]
  return isOnce ? [before, after] : [undefined]
}

const groups =
  /^\d{1,3}(?:\.\d{3})+$|^\d{1,3}(?:,\d{3})+$|^\d{1,3}(?: \d{3})+$|^\d{1,3}(?:'\d{3})+$/

function digitsOf(whole: string): string | undefined {
  if (digitsOnly.test(whole)) return whole
  const plain = whole.replaceAll(spaces, ' ').replaceAll('’', "'")
  const digits = groups.test(plain) ? plain.replaceAll(/\D/g, '') : ''
  return digitsOnly.test(digits) ? digits : undefined
}
