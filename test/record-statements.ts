import { appendFileSync } from 'node:fs'
import pg from 'pg'

// Loaded before a program by test/write-released-statements.ts: notes each statement that it sends.
const file = process.env.RECORDED_STATEMENTS
const seen = new Set<string>()
const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
const { query } = prototype
prototype.query = function noted(this: unknown, ...args: unknown[]): unknown {
  const [first] = args
  const text = typeof first === 'string' ? first : (first as { text?: unknown } | null)?.text
  if (file !== undefined && typeof text === 'string' && !seen.has(text)) {
    seen.add(text)
    appendFileSync(file, `${JSON.stringify(text)}\n`)
  }
  return query.apply(this, args)
}
