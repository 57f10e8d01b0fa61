import { CommitUnknown, codeOf } from './db.ts'

const awayErrors = new Set([
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
// Shutting down, starting up, too many connections, cancelled by a time limit, a standby that is
// not yet (or no longer) the one that may write.
const awayStates = new Set(['57P01', '57P02', '57P03', '53300', '57014', '55P03', '25006'])
// What the driver itself says has no code.
const awayMessages = /Connection terminated|trying to connect|not queryable|Cannot use a pool/

/** Whether the database could not be asked, rather than refused what it was asked. */
export function isDatabaseAway(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false
  if (problem instanceof CommitUnknown || awayStates.has(codeOf(problem))) return true
  const { code = '' } = problem as { code?: string }
  return awayErrors.has(code) || awayMessages.test(problem.message)
}
