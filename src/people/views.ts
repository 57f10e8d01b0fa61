import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { SavedView, ViewOwner } from './view-store.ts'
import { deleteView, insertView, lockViews, readViews, updateViewName } from './view-store.ts'

/** How many views a person keeps in a client. */
export const viewsMax = 20

/** Why a view was not saved: another has its name, or there are too many. */
export type NotSaved = 'taken' | 'full'

/** Lists with filters and columns that people name for themselves. */
export function openViews({ db, clock }: { db: Db; clock: Clock }) {
  return {
    list: (owner: ViewOwner) => readViews(db, owner),
    /** Keeps a view under a name of its own. */
    save: (
      owner: ViewOwner,
      { name, query }: Pick<SavedView, 'name' | 'query'>,
    ): Promise<'saved' | NotSaved> =>
      changeViews(db, owner, async (tx, views) => {
        if (isTaken(views, name)) return 'taken'
        if (views.length >= viewsMax) return 'full'
        const createdAt = clock.now()
        await insertView(tx, owner, { id: newId(createdAt), name, query, createdAt })
        return 'saved'
      }),
    rename: (
      owner: ViewOwner,
      { id, name }: Pick<SavedView, 'id' | 'name'>,
    ): Promise<'saved' | 'taken'> =>
      changeViews(db, owner, async (tx, views) => {
        const others = views.filter((one) => one.id !== id)
        if (isTaken(others, name)) return 'taken'
        await updateViewName(tx, owner, { id, name })
        return 'saved'
      }),
    remove: (owner: ViewOwner, id: string) => deleteView(db, owner, id),
  }
}

/** One change of a person's views at a time: their number and names hold for all of them. */
function changeViews<T>(
  db: Db,
  owner: ViewOwner,
  change: (tx: Tx, views: SavedView[]) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockViews(tx, owner)
    return change(tx, await readViews(tx, owner))
  })
}

function isTaken(views: SavedView[], name: string): boolean {
  return views.some((one) => one.name.toLowerCase() === name.toLowerCase())
}
