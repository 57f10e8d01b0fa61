import type { Tx } from './db.ts'
import { CommitUnknown } from './errors.ts'

/** The one record that a repeatable request makes, whoever carries it out and how often. */
export interface Making {
  id: string
  /** Keeps others from taking the request over until the commit; refuses if somebody has. */
  hold(tx: Tx): Promise<void>
}

/** Does work in a transaction that makes records. Sent with its first statements: no wait. */
export async function whileHeld<T>(
  tx: Tx,
  makings: (Making | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const holds = makings.map((making) => making?.hold(tx))
  const [result] = await Promise.all([work(), ...holds])
  return result
}

/**
 * Commits, and once more when nobody knows whether the commit took effect: `run` must find what it
 * has recorded before.
 */
export async function untilCommitKnown<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (problem) {
    if (!(problem instanceof CommitUnknown)) throw problem
    return run().catch(() => {
      throw problem
    })
  }
}
