import type { Logger } from 'pino'
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

/** A JSON log on standard output that hides secrets up to two levels deep. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[hidden]',
    },
  })
}

/** A phone number fit for a log line: the first two and last two digits. */
export function maskPhone(phone: string): string {
  return phone.length <= 4 ? '****' : `${phone.slice(0, 2)}*****${phone.slice(-2)}`
}
