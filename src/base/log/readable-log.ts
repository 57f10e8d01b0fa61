import { inspect } from 'node:util'

type Line = Record<string, unknown>

// Codes of colours: grey, none, yellow, red.
const colours: Record<string, number> = { trace: 90, debug: 90, warn: 33, error: 31, fatal: 31 }

/**
 * Turns a line of the JSON log into text for people: time, level, sentence, then the fields, and
 * the stack of an error below. Every line of it belongs to the log: control characters, which a
 * caller may have sent, are shown as escapes.
 */
export function readableLine(json: string, hasColours: boolean): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Line
  const { [String(level)]: colour } = colours
  const paint = (text: string) =>
    hasColours && colour !== undefined ? `\u001b[${colour}m${text}\u001b[0m` : text
  const head = `${String(time).slice(11, 23)} ${paint(String(level).toUpperCase().padEnd(5))}`
  const parts = [
    head,
    escaped(typeof msg === 'string' ? msg : ''),
    ...Object.entries(fields).map(field),
  ]
  return `${parts.filter((part) => part !== '').join(' ')}${stackOf(err)}\n`
}

function field([name, value]: [string, unknown]): string {
  const isPlain = typeof value === 'string' && /^[\w.,:;/@+*-]+$/.test(value)
  const text = isPlain ? value : typeof value === 'string' ? JSON.stringify(value) : compact(value)
  return `${name}=${escaped(text)}`
}

function compact(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 })
    : String(value)
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message = '' } = err as { stack?: string; message?: string }
  const lines = (stack ?? message).split('\n')
  return lines.map((line) => `\n    ${escaped(line)}`).join('')
}

function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- what a terminal would carry out
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
