import { newId } from '../kit/ids.ts'
import type { Proof } from './proof.ts'
import {
  findLastProof,
  findProof,
  findUnderWay,
  insertProof,
  listProofs,
  readProofVersions,
} from './proof-store.ts'
import type { ProofContext } from './prove.ts'
import { startProofSweeper } from './prove.ts'

/** Everything that can be done with proofs. */
export type Proofs = ReturnType<typeof openProofs>

/** Opens the room: proofs of all that is stored, asked for by people and run one at a time. */
export function openProofs(context: ProofContext) {
  const { db, clock } = context
  return {
    /** Asks for a proof; returns the one that is under way, if there is one. */
    ask: async (askedBy: string): Promise<Proof> => {
      for (;;) {
        const askedAt = clock.now()
        const id = newId(askedAt)
        await insertProof(db, { id, askedBy, askedAt })
        const found = (await findProof(db, id)) ?? (await findUnderWay(db))
        // Undefined: the one under way has ended since.
        if (found !== undefined) return found
      }
    },
    find: (id: string) => findProof(db, id),
    /** The last ones, newest first. */
    list: () => listProofs(db, 20),
    /** The last one that has come to a result; undefined: there is none. */
    last: () => findLastProof(db),
    marks: (ids: string[]) => readProofVersions(db, ids),
    startSweeper: () => startProofSweeper(context),
  }
}
