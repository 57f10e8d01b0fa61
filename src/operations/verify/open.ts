import type { Db } from '#data/db/db.ts'
import { findProof, listProofs } from './proof-store.ts'

/** What is kept of proofs. */
export type Proofs = ReturnType<typeof openProofs>

/** Opens the room: the results of `passerelle verify`. */
export function openProofs({ db }: { db: Db }) {
  return {
    find: (id: string) => findProof(db, id),
    /** The last ones, newest first. */
    list: () => listProofs(db, 20),
  }
}
