import {
  CommitUnknown,
  DatabaseSilent,
  isLockTimeout,
  isTimeout,
  isWriteConflict,
  sqlStateOf,
} from './errors.ts'

const networkErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])
// Shutting down, starting up, idle session or idle transaction ended, cancelled by a timeout,
// read-only transaction (a standby that is not yet or no longer the primary); class 53: disk full,
// out of memory, too many connections; an error of the system or its disk.
const sqlStates = /^(57P01|57P02|57P03|57P05|25P03|57014|25006|53...|58000|58030)$/
// The driver's own errors have no code.
const driverMessages = /Connection terminated|not queryable|Cannot use a pool/

/** Whether the database could not do it now, rather than refused the statement. */
export function isDatabaseUnreachable(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false
  if (problem instanceof CommitUnknown || problem instanceof DatabaseSilent) return true
  if (sqlStates.test(sqlStateOf(problem)) || isTimeout(problem)) return true
  const { code = '' } = problem as { code?: string }
  return networkErrors.has(code) || driverMessages.test(problem.message)
}

/** Whether the same request may succeed later: nothing is wrong with it, or with the program. */
export function isTemporary(problem: unknown): boolean {
  // Of transactions that lock each other out again and again, one may use up its tries.
  return isDatabaseUnreachable(problem) || isWriteConflict(problem) || isLockTimeout(problem)
}
