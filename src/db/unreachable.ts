import { CommitUnknown, sqlStateOf } from './errors.ts'

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
// Shutting down, starting up, too many connections, cancelled by a timeout, lock timeout, read-only
// transaction: a standby that is not yet (or no longer) the primary.
const sqlStates = new Set(['57P01', '57P02', '57P03', '53300', '57014', '55P03', '25006'])
// The driver's own errors have no code.
const driverMessages = /Connection terminated|trying to connect|not queryable|Cannot use a pool/

/** Whether the database could not answer, rather than refused the statement. */
export function isDatabaseUnreachable(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false
  if (problem instanceof CommitUnknown || sqlStates.has(sqlStateOf(problem))) return true
  const { code = '' } = problem as { code?: string }
  return networkErrors.has(code) || driverMessages.test(problem.message)
}
