import type { Db, Tx } from '../db/db.ts'
import { columns } from '../db/db.ts'

/** Whose view it is: a person's own in one client. */
export interface ViewOwner {
  personId: string
  clientId: number
}

/** A list with filters and columns that a person has given a name. */
export interface SavedView {
  id: string
  name: string
  /** Of the list's address: status=SUCCESS&hide=fee. */
  query: string
  createdAt: Date
}

const viewColumns = columns(['id', 'name', 'query', 'created_at'])

/** A person's views of a client, by name. */
export function readViews(run: Db | Tx, { personId, clientId }: ViewOwner): Promise<SavedView[]> {
  return run<SavedView>`
    select ${viewColumns} from saved_views
    where person_id = ${personId} and client_id = ${clientId}
    order by lower(name), id`
}

/** Until the end of the transaction, only this one changes the views of a person. */
export async function lockViews(tx: Tx, { personId }: ViewOwner): Promise<void> {
  await tx`select from people where id = ${personId} for no key update`
}

export async function insertView(
  tx: Tx,
  { personId, clientId }: ViewOwner,
  view: SavedView,
): Promise<void> {
  await tx`
    insert into saved_views (person_id, client_id, id, name, query, created_at)
    values (${personId}, ${clientId}, ${view.id}, ${view.name}, ${view.query}, ${view.createdAt})`
}

export async function updateViewName(
  tx: Tx,
  { personId, clientId }: ViewOwner,
  { id, name }: Pick<SavedView, 'id' | 'name'>,
): Promise<void> {
  await tx`
    update saved_views set name = ${name}
    where person_id = ${personId} and client_id = ${clientId} and id = ${id}`
}

export async function deleteView(
  db: Db,
  { personId, clientId }: ViewOwner,
  id: string,
): Promise<void> {
  await db`
    delete from saved_views
    where person_id = ${personId} and client_id = ${clientId} and id = ${id}`
}
