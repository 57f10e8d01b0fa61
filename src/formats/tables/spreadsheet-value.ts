// The numbers of formats that every program knows as dates or times.
const builtInDates = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

/** Whether numbers of this format are dates or times. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return builtInDates.some(([first, last]) => id >= first && id <= last)
  // Without texts in quotes, escaped characters, and colours or conditions in brackets.
  const plain = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
  return /[ymdhs]/i.test(plain) && !/general/i.test(plain)
}

const dayMs = 86_400_000
// The day 0 from March 1900 on: the programs count a 29 February 1900 that never was.
const firstDayMs = Date.UTC(1899, 11, 30)
const daysTo1904 = 1462
const lastDay = 2_958_465

/** The date and the time of a count of days, as 2026-11-16, 10:30:00, or both. */
export function dateText(serial: number, isFrom1904: boolean): string | undefined {
  const days = isFrom1904 ? serial + daysTo1904 : serial
  if (!(days >= 0 && days <= lastDay + 1)) return undefined
  const shiftMs = days >= 1 && days < 60 ? dayMs : 0
  const moment = new Date(firstDayMs + shiftMs + Math.round(days * 86_400) * 1000)
  const text = moment.toISOString()
  const date = text.slice(0, 10)
  const time = text.slice(11, 19)
  if (serial < 1) return time
  return time === '00:00:00' ? date : `${date} ${time}`
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:E[+-]?\d+)?$/i

/**
 * A number as a spreadsheet program shows it: whole ones digit by digit, others with the fifteen
 * digits that count, which hides the traces of binary arithmetic.
 */
export function numberText(raw: string): string | undefined {
  const text = raw.trim()
  if (/^-?\d{1,15}$/.test(text)) return text
  const number = decimal.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(number)) return undefined
  return String(Number(number.toPrecision(15)))
}

/** Whether a number is whole and has no more digits than spreadsheet programs keep. */
export function isExact(text: string | undefined): boolean {
  return text !== undefined && /^-?\d{1,15}$/.test(text)
}

/** A text as it was typed: what XML cannot hold is written as _x000D_. */
export function unescapeText(text: string): string {
  return text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text
}
