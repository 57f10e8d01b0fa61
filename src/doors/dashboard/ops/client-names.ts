import type { Db } from '#data/db/db.ts'
import { findClients } from '#merchants/clients/store.ts'

/** The names of clients, by their ids. */
export type ClientNames = ReadonlyMap<number, string>

/** The names of the clients that rows are about. */
export async function clientNames(db: Db, rows: { clientId: number }[]): Promise<ClientNames> {
  const ids = [...new Set(rows.map(({ clientId }) => clientId))]
  return new Map((await findClients(db, ids)).map(({ id, name }) => [id, name]))
}
