import pg from 'pg'

/** Nobody knows whether the COMMIT took effect; only reading the rows later tells. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown'
}

/** The SQLSTATE of a database error, or an empty text for any other. */
export function sqlStateOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.code ?? '') : ''
}

/** The constraint or unique index that a database error names, or an empty text. */
export function constraintOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.constraint ?? '') : ''
}
