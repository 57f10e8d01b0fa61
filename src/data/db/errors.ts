import pg from 'pg'

/** Nobody knows whether the COMMIT took effect; only reading the rows later tells. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown'
}

/** The server has stopped answering; nothing of what was asked is committed. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
}

/** What was read before a database transaction began is too old: the work is to be run again. */
export class Outdated extends Error {
  override name = 'Outdated'
}

// Serialization failure, deadlock.
const conflictStates = new Set(['40001', '40P01'])

/** Whether work is rolled back, and run again, because of what others wrote at the same time. */
export function isWriteConflict(problem: unknown): boolean {
  return problem instanceof Outdated || conflictStates.has(sqlStateOf(problem))
}

/** Whether the server gave up waiting for a lock that another transaction holds. */
export function isLockTimeout(problem: unknown): boolean {
  return sqlStateOf(problem) === '55P03'
}

// The driver's errors of its own time limits have no code.
const timeoutMessages =
  /^(Query read timeout|timeout expired)$|connection timeout|trying to connect/

/** Whether the driver gave up waiting for an answer or a connection. */
export function isTimeout(problem: unknown): boolean {
  return problem instanceof Error && timeoutMessages.test(problem.message)
}

/** The SQLSTATE of a database error, or an empty text for any other. */
export function sqlStateOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.code ?? '') : ''
}

/** The constraint or unique index that a database error names, or an empty text. */
export function constraintOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.constraint ?? '') : ''
}
