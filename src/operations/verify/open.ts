import type { DbParts } from '#data/db/db.ts'
import { findProof, insertProof, listProofs, type Proof } from './proof-store.ts'
import { type KeptAnchor, verifyAll } from './verify.ts'

interface ProofOrder {
  /** Anchors that were kept outside the database. */
  kept: KeptAnchor[]
  actor: string
  report(done: number, total: number): void
}

/** Everything that can be done with proofs. */
export type Proofs = ReturnType<typeof openProofs>

/** Opens the room: `passerelle verify`, and its results. */
export function openProofs({ db, clock }: DbParts) {
  return {
    find: (id: string) => findProof(db, id),
    /** The last ones, newest first. */
    list: () => listProofs(db, 20),
    /** Runs every check. The result is not kept by it. */
    async prove({ kept, actor, report }: ProofOrder): Promise<Omit<Proof, 'id'>> {
      const startedAt = clock.now()
      const verdict = await verifyAll(db, kept, report)
      return { ...verdict, provedBy: actor, startedAt, endedAt: clock.now() }
    },
    /** Keeps a result; throws where the database takes no writes. */
    keep: (proof: Omit<Proof, 'id'>) => insertProof(db, proof),
  }
}
