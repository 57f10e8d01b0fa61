import type { Logger, LoggerOptions } from 'pino'
import { pino } from 'pino'

export type Log = Logger

// Secrets travel under these names somewhere in the program; a log line never carries their values.
const secretFields = new Set([
  'authorization',
  'password',
  'secret',
  'secretKey',
  'apiKey',
  'otp',
  'token',
  'databaseUrl',
  'redisUrl',
  'smtpUrl',
])

const errorLevel = 50
let output: ReturnType<typeof pino.destination> | undefined

/** Standard output, a page at most at a time: processes that share it write whole lines then. */
function openOutput() {
  const pageBytes = 4096
  const opened = pino.destination({
    dest: 1,
    sync: true,
    minLength: pageBytes / 2,
    maxWrite: pageBytes,
    periodicFlush: 100,
  })
  process.on('exit', () => opened.flushSync())
  return opened
}

/**
 * A JSON log on standard output that hides secrets up to two levels deep. Lines wait for company a
 * moment; errors, and whatever is left at the end, are written at once.
 */
export function openLog(level: string): Log {
  output ??= openOutput()
  const shared = output
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (line) => hideSecrets(line, 2) },
    hooks: {
      logMethod(words, write, value) {
        write.apply(this, words)
        if (value >= errorLevel) shared.flushSync()
      },
    },
  }
  return pino(options, shared)
}

/** The same object when it holds no secret, else a copy without; looks some levels deep. */
function hideSecrets(line: object, deeper: number): Record<string, unknown> {
  const hidden = new Map<string, unknown>()
  for (const [name, value] of Object.entries(line)) {
    const shown = shownOf(name, value, deeper)
    if (shown !== value) hidden.set(name, shown)
  }
  const same = line as Record<string, unknown>
  return hidden.size === 0 ? same : { ...same, ...Object.fromEntries(hidden) }
}

function shownOf(name: string, value: unknown, deeper: number): unknown {
  if (secretFields.has(name)) return value === undefined ? value : '[hidden]'
  if (typeof value !== 'object' || value === null || deeper === 0) return value
  // An error is told by its fields too.
  return hideSecrets(value instanceof Error ? pino.stdSerializers.err(value) : value, deeper - 1)
}

/** A phone number fit for a log line: the first two and last two digits. */
export function maskPhone(phone: string): string {
  return phone.length <= 4 ? '****' : `${phone.slice(0, 2)}*****${phone.slice(-2)}`
}
