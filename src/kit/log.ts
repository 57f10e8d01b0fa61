import type { Logger, LoggerOptions } from 'pino'
import { pino } from 'pino'

export type Log = Logger

// Secrets travel under these names somewhere in the program; a log line never carries their values.
const secretFields = [
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
]

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
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[hidden]',
    },
    hooks: {
      logMethod(words, write, value) {
        write.apply(this, words)
        if (value >= errorLevel) shared.flushSync()
      },
    },
  }
  return pino(options, shared)
}

/** A phone number fit for a log line: the first two and last two digits. */
export function maskPhone(phone: string): string {
  return phone.length <= 4 ? '****' : `${phone.slice(0, 2)}*****${phone.slice(-2)}`
}
