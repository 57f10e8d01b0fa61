import { dayAndTimeOf, momentAt } from '#base/kit/zoned-days.ts'
import { folded } from './words.ts'

/** Reads a text as a moment; undefined: it is not written so, or there is no such day or time. */
export type MomentReader = (text: string) => Date | undefined

/** The parts of a moment as they are written. */
interface Written {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
  /** Undefined: the clocks of the mapping's time zone. */
  offsetMinutes?: number
  /** Whether no time is written. */
  isDay?: boolean
  /** Whether 24:00 is the end of the day. */
  endsDay?: boolean
}

/** A format of dates, made ready to read with; undefined: it is no format. */
export function momentFormat(format: string): ((text: string) => Written | undefined) | undefined {
  if (format === 'iso') return readIso
  if (format === 'excel') return readSerial
  return compile(format)
}

/** Whether a text is a day without a time, in one of these formats. */
export function dayTest(formats: readonly string[]): (text: string) => boolean {
  const readers = formats.map(momentFormat).filter((one) => one !== undefined)
  return (text) => readers.some((read) => read(text)?.isDay === true)
}

/** Reads moments in any of these formats. */
export function momentReader(formats: readonly string[], timeZone: string): MomentReader {
  const readers = formats.map(momentFormat).filter((one) => one !== undefined)
  const toMoment = zonedReader(timeZone)
  return (text) => {
    for (const read of readers) {
      const written = read(text)
      if (written !== undefined) return toMoment(written)
    }
    return undefined
  }
}

const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

function readIso(text: string): Written | undefined {
  const found = iso.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = found
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
    ...(offset === undefined ? {} : { offsetMinutes: minutesOf(offset) }),
    endsDay: !/[1-9]/.test(fraction),
  }
}

function minutesOf(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0
  const digits = offset.replaceAll(/\D/g, '').padEnd(4, '0')
  // None of the places where clocks are more than 14 hours ahead or behind exists.
  const [hours, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  const minutes = rest < 60 && hours * 60 + rest <= 14 * 60 ? hours * 60 + rest : Number.NaN
  return offset.startsWith('-') ? -minutes : minutes
}

// The day 0 from March 1900 on: spreadsheet programs count a 29 February 1900 that never was.
const firstDayMs = Date.UTC(1899, 11, 30)

/** A count of days, as spreadsheet programs keep moments: 46342.4375. */
function readSerial(text: string): Written | undefined {
  const [, days, fraction = ''] = /^(\d{5})(?:[.,](\d{1,15}))?$/.exec(text) ?? []
  if (days === undefined) return undefined
  const seconds = Math.round(Number(`0.${fraction || '0'}`) * 86_400)
  const at = new Date(firstDayMs + Number(days) * 86_400_000 + seconds * 1000)
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    millisecond: 0,
    isDay: fraction === '',
  }
}

// In French and in English, as far as they are told apart: mars and mar, mai and may.
const months = [
  ['jan'],
  ['fev', 'feb'],
  ['mar'],
  ['avr', 'apr'],
  ['mai', 'may'],
  ['juin', 'jun'],
  ['juil', 'jul'],
  ['aou', 'aug'],
  ['sep'],
  ['oct'],
  ['nov'],
  ['dec'],
]

type Part = 'year' | 'shortYear' | 'month' | 'monthName' | 'day' | 'hour' | 'halfDayHour'
type Token = Part | 'minute' | 'second' | 'millisecond' | 'half' | 'offset'

const tokens: Record<string, [token: Token, pattern: string]> = {
  yyyy: ['year', '(\\d{4})'],
  yy: ['shortYear', '(\\d{2})'],
  MMM: ['monthName', '(\\p{L}{3,9})\\.?'],
  MM: ['month', '(\\d{2})'],
  M: ['month', '(\\d{1,2})'],
  dd: ['day', '(\\d{2})'],
  d: ['day', '(\\d{1,2})'],
  HH: ['hour', '(\\d{2})'],
  H: ['hour', '(\\d{1,2})'],
  hh: ['halfDayHour', '(\\d{2})'],
  h: ['halfDayHour', '(\\d{1,2})'],
  mm: ['minute', '(\\d{2})'],
  ss: ['second', '(\\d{2})'],
  SSS: ['millisecond', '(\\d{3})'],
  a: ['half', '([AaPp])\\.?[Mm]\\.?'],
  XXX: ['offset', '([Zz]|[+-]\\d{2}:?\\d{2})'],
}
const tokenPattern = /yyyy|yy|MMM|MM|M|dd|d|HH|H|hh|h|mm|ss|SSS|a|XXX|'[^']*'|[^A-Za-z]|T/gu

function compile(format: string): ((text: string) => Written | undefined) | undefined {
  const parts = format.match(tokenPattern) ?? []
  // Letters that are no token: a format that nobody could tell the meaning of.
  if (parts.join('') !== format) return undefined
  const order: Token[] = []
  const pattern = parts.map((part) => {
    const token = tokens[part]
    if (token === undefined) return escaped(part.startsWith("'") ? part.slice(1, -1) : part)
    order.push(token[0])
    return token[1]
  })
  if (!isWhole(order)) return undefined
  const whole = new RegExp(`^${pattern.join('')}$`, 'u')
  return (text) => {
    const found = whole.exec(text)
    return found === null ? undefined : writtenOf(order, found)
  }
}

function escaped(text: string): string {
  // Any run of spaces stands for one, since exports pad.
  return text === ' ' ? '\\s+' : text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Whether a format has a day, month and year, each part once, and hours that are told apart. */
function isWhole(order: Token[]): boolean {
  const has = (...any: Token[]) => order.filter((one) => any.includes(one)).length === 1
  const isOnce = new Set(order).size === order.length
  const isHalfDay = order.includes('halfDayHour')
  return (
    isOnce &&
    has('year', 'shortYear') &&
    has('month', 'monthName') &&
    has('day') &&
    isHalfDay === order.includes('half') &&
    !(isHalfDay && order.includes('hour'))
  )
}

function writtenOf(order: Token[], found: RegExpExecArray): Written | undefined {
  const textOf = (token: Token) => found[order.indexOf(token) + 1]
  const numberOf = (token: Token) => (order.includes(token) ? Number(textOf(token)) : 0)
  const hour = hourOf(order, numberOf, textOf('half'))
  const month = order.includes('monthName') ? monthOf(textOf('monthName') ?? '') : numberOf('month')
  if (hour === undefined || month === undefined) return undefined
  return {
    year: order.includes('year') ? numberOf('year') : 2000 + numberOf('shortYear'),
    month,
    day: numberOf('day'),
    hour,
    minute: numberOf('minute'),
    second: numberOf('second'),
    millisecond: numberOf('millisecond'),
    isDay: !order.includes('hour') && !order.includes('halfDayHour'),
    ...(order.includes('offset') ? { offsetMinutes: minutesOf(textOf('offset') ?? 'Z') } : {}),
  }
}

function hourOf(order: Token[], numberOf: (token: Token) => number, half = ''): number | undefined {
  if (!order.includes('halfDayHour')) return numberOf('hour')
  const hour = numberOf('halfDayHour')
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

function monthOf(name: string): number | undefined {
  const plain = folded(name)
  const index = months.findIndex((starts) => starts.some((start) => plain.startsWith(start)))
  return index === -1 ? undefined : index + 1
}

/** The same moment in any format, for sentences; parts of it may be others. */
export function exampleOf(format: string, other: Partial<Record<Token, string>> = {}): string {
  if (format === 'iso') return '2026-11-16T10:30:00Z'
  if (format === 'excel') return '46342.4375'
  const parts = format.match(tokenPattern) ?? []
  const values: Record<string, string> = { ...examples, ...other }
  return parts.map((part) => values[tokens[part]?.[0] ?? ''] ?? part.replaceAll("'", '')).join('')
}

const examples: Record<string, string> = {
  year: '2026',
  shortYear: '26',
  month: '11',
  monthName: 'Nov',
  day: '16',
  hour: '10',
  halfDayHour: '10',
  minute: '30',
  second: '00',
  millisecond: '000',
  half: 'AM',
  offset: '+00:00',
}

const quarterMs = 900_000

/**
 * Turns what clocks show into a moment. Clocks change at whole quarters of an hour, and most lines
 * are of the same quarter as the one before. An hour that comes twice is the second of the two.
 */
function zonedReader(timeZone: string): (written: Written) => Date | undefined {
  let last = { quarter: Number.NaN, shiftMs: 0 as number | undefined }
  return (written) => {
    const shown = shownMs(written)
    if (shown === undefined) return undefined
    if (written.offsetMinutes !== undefined) return new Date(shown - written.offsetMinutes * 60_000)
    if (timeZone === 'UTC') return new Date(shown)
    const quarter = Math.floor(shown / quarterMs)
    if (quarter !== last.quarter) last = { quarter, shiftMs: shiftOf(quarter, timeZone) }
    return last.shiftMs === undefined ? undefined : new Date(shown - last.shiftMs)
  }
}

/** How far the clocks are ahead of UTC in a quarter that they show; undefined: they never do. */
function shiftOf(quarter: number, timeZone: string): number | undefined {
  const shown = new Date(quarter * quarterMs).toISOString().slice(0, 16)
  const moment = momentAt(shown, timeZone)
  if (dayAndTimeOf(moment, timeZone) !== shown) return undefined
  return quarter * quarterMs - moment.getTime()
}

// Nothing was paid before, and later is a mistake in the year.
const firstYear = 2000
const lastYear = 2100

function shownMs({
  year,
  month,
  day,
  hour,
  minute,
  second,
  millisecond,
  offsetMinutes = 0,
  endsDay = false,
}: Written) {
  const hourEnd = endsDay && minute + second + millisecond === 0 ? 25 : 24
  const isTime = hour < hourEnd && minute < 60 && second < 60 && !Number.isNaN(offsetMinutes)
  if (!isTime || year < firstYear || year > lastYear || month < 1 || month > 12) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  // Date would read 30 February as 2 March.
  if (day < 1 || new Date(midnight).getUTCDate() !== day) return undefined
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
}
