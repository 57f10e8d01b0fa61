import { after } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { KeyRing } from '#base/sealing/seal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts } from '#data/db/db.ts'
import { type Sweeper, startSweeper } from '#data/db/due.ts'
import { refuseWrongKeys } from './check.ts'
import { sealedColumns } from './columns.ts'
import { fingerprintOf, fingerprintsOf, seenForMs } from './fingerprints.ts'
import { keepKeys, withKeptKeys } from './kept-keys.ts'
import { deleteKeyUses, type KeyUse, noteKeyUse, readKeyUses } from './store.ts'
import { type ColumnState, walkColumn } from './walk.ts'

interface SecretParts extends DbParts {
  secretKey: KeyRing
}

/** What is sealed with which key. */
export interface SecretsState {
  columns: ColumnState[]
  keys: KeyState[]
}

/** A key, by its fingerprint. */
export interface KeyState {
  fingerprint: string
  /** `lacking`: it is used, and neither in SECRET_KEY nor in SECRET_KEY_OTHERS. */
  place: 'SECRET_KEY' | 'SECRET_KEY_OTHERS' | 'lacking'
  /** How many stored values need it. */
  values: number
  /** When a process that seals with it was last seen; null: never, or not since a rotation. */
  seenAt: Date | null
  /** Neither a stored value nor a process needs it. */
  mayGo: boolean
}

type OnPage = (state: ColumnState) => void

const noteEveryMs = 60_000

/** Opens what is done with SECRET_KEY itself. */
export function openSecrets({ db, clock, secretKey: ring }: SecretParts) {
  const note = (now: Date) =>
    noteKeyUse(db, {
      seals: fingerprintOf(ring.sealing),
      opens: fingerprintsOf(ring).toSorted(),
      seenAt: now,
    })

  async function walk(reseals: boolean, onPage?: OnPage): Promise<SecretsState> {
    const columns: ColumnState[] = []
    for (const column of sealedColumns)
      columns.push(await walkColumn(db, column, { ring, reseals, onPage }))
    return { columns, keys: keyStates(ring, columns, await readKeyUses(db), clock.now()) }
  }

  /** Forgets keys that no value needs and no process has sealed with lately: starts do without. */
  async function forgetUnneeded(state: SecretsState): Promise<void> {
    if (!isDone(state)) return
    await deleteKeyUses(db, fingerprintOf(ring.sealing), after(clock.now(), -seenForMs))
  }

  return {
    /** Refuses keys that cannot open what is stored, or seal what a running process cannot open. */
    check: async (): Promise<void> => {
      await refuseWrongKeys(db, ring, clock.now())
    },
    /** The same for a process that starts; keeps the keys of hashes on the first start. */
    prepare: async () => keepKeys(db, ring, await refuseWrongKeys(db, ring, clock.now())),
    /** Throws unless the keys of hashes that were kept can be opened. */
    checkKept: async (): Promise<void> => {
      await withKeptKeys(db, ring)
    },
    /** What is sealed with which key; reads everything that is sealed. */
    status: async (onPage?: OnPage): Promise<SecretsState> => {
      const state = await walk(false, onPage)
      await forgetUnneeded(state)
      return state
    },
    /** Seals with SECRET_KEY what other keys have sealed, while payments go on. */
    rotate: async (actor: string, onPage?: OnPage): Promise<SecretsState> => {
      const before = await walk(true, onPage)
      const count = before.columns.reduce((sum, { byKey }) => sum + othersOf(byKey), 0)
      // What a process has sealed with another key since its column was read.
      const state = await walk(true, onPage)
      await forgetUnneeded(state)
      const details = { key: fingerprintOf(ring.sealing), resealed: count, isDone: isDone(state) }
      await db.transaction((tx) =>
        recordAudit(tx, { at: clock.now(), actor, action: 'secrets.rotate', details }),
      )
      return state
    },
    /** Tells other processes, again and again, which keys this one has. */
    startNoting: async (log: Log): Promise<Sweeper> => {
      await note(clock.now())
      return startSweeper({
        name: 'keys in use',
        claim: async (now) => [now],
        work: async ([now]) => {
          if (now !== undefined) await note(now)
        },
        batchMax: 2,
        idleMs: noteEveryMs,
        clock,
        log,
      })
    },
  }
}

/** Whether SECRET_KEY alone opens everything. */
function isDone({ columns }: SecretsState): boolean {
  return columns.every(({ byKey, lost }) => othersOf(byKey) + lost === 0)
}

function othersOf([, ...others]: number[]): number {
  return others.reduce((sum, one) => sum + one, 0)
}

function keyStates(ring: KeyRing, columns: ColumnState[], uses: KeyUse[], now: Date): KeyState[] {
  const own = fingerprintsOf(ring)
  const lacking = uses.map(({ seals }) => seals).filter((one) => !own.includes(one))
  return [...own, ...new Set(lacking)].map((fingerprint, index) => {
    const values = columns.reduce((sum, { byKey }) => sum + (byKey[index] ?? 0), 0)
    const seenAt = uses.find(({ seals }) => seals === fingerprint)?.seenAt ?? null
    const isInUse = seenAt !== null && after(seenAt, seenForMs) > now
    if (index === 0)
      return { fingerprint, place: 'SECRET_KEY', values, seenAt, mayGo: false } as const
    const place = index < own.length ? 'SECRET_KEY_OTHERS' : 'lacking'
    return { fingerprint, place, values, seenAt, mayGo: values === 0 && !isInUse }
  })
}
