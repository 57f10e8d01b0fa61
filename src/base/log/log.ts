import { type Logger, type LoggerOptions, pino } from 'pino'
import { LogOutput } from './log-output.ts'
import { readableLine } from './readable-log.ts'

export type Log = Logger

// Fields that hold secrets somewhere in the program: their values are never logged.
const secretFields = new Set([
  'authorization',
  'password',
  'secret',
  'secretKey',
  'apiKey',
  'otp',
  'token',
  'databaseUrl',
  'smtpUrl',
])

const errorLevel = 50
let output: LogOutput | undefined

/**
 * A log on standard output that hides secrets in a line's fields and two levels below. Lines are
 * JSON, or with `forPeople` text if standard output is a terminal. They are buffered for 100 ms at
 * most; errors are written at once, and the rest when the process exits. A line that cannot be
 * written is dropped and counted.
 */
export function openLog(level: string, { forPeople = false } = {}): Log {
  output ??= new LogOutput()
  const shared = output
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (line) => hideSecrets(line, 2) },
    hooks: {
      logMethod(args, write, levelValue) {
        write.apply(this, args)
        if (levelValue >= errorLevel) shared.flush()
      },
    },
  }
  return pino(options, forPeople && process.stdout.isTTY ? readable(shared) : shared)
}

function readable(shared: LogOutput) {
  const hasColours = process.stdout.hasColors()
  return { write: (line: string) => shared.write(readableLine(line, hasColours)) }
}

/** How many lines of the log could not be written. */
export function droppedLogLines(): number {
  return output?.dropped ?? 0
}

/** Returns the same object if it holds no secret, else a copy without; `depth` levels deep. */
function hideSecrets(line: object, depth: number): Record<string, unknown> {
  const hidden = new Map<string, unknown>()
  for (const [name, value] of Object.entries(line)) {
    const shown = hideValue(name, value, depth)
    if (shown !== value) hidden.set(name, shown)
  }
  const same = line as Record<string, unknown>
  return hidden.size === 0 ? same : { ...same, ...Object.fromEntries(hidden) }
}

function hideValue(name: string, value: unknown, depth: number): unknown {
  if (secretFields.has(name)) return value === undefined ? value : '[hidden]'
  if (typeof value !== 'object' || value === null || depth === 0) return value
  // An error may carry secrets in fields of its own.
  return hideSecrets(value instanceof Error ? pino.stdSerializers.err(value) : value, depth - 1)
}
