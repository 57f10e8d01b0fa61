import type { Tx } from '../db/db.ts'
import { json } from '../db/db.ts'
import { raiseVersion } from '../limits/store.ts'
import { keysFor, seal, unseal } from '../sealing/seal.ts'
import type { Arrivals, Asked } from './arrival.ts'
import { arriving, asList, done, ofClient } from './arrival.ts'
import { keepArrival, raiseSequences } from './arrival-store.ts'
import type { PeopleCargo } from './people-store.ts'
import { writePeople } from './people-store.ts'
import type { Resealing } from './reseal.ts'
import { resealRows } from './reseal.ts'
import { deleteAll, writeRows } from './row-store.ts'
import type { TableShape } from './shape-store.ts'
import { sealedFactor } from './tables.ts'
import type { Done, Preparation, TableCargo } from './wire.ts'
import { callbackKeyPurpose } from './wire.ts'

const noPeople: PeopleCargo = { people: [], factors: [], passkeys: [], memberships: [], views: [] }

/** Writes what is copied as a whole: then all of the client is here, and nothing works for it. */
export async function prepare(
  { db, shapeOf, resealing }: Arrivals,
  { moveId, asked, lines }: Asked<'prepare'>,
): Promise<Done> {
  const { clientId } = asked
  await raiseSequences(db, asked)
  const cargo = lines.map((line) => JSON.parse(line) as TableCargo)
  const tables: { shape: TableShape; rows: string[] }[] = []
  for (const { table, rows } of cargo)
    if (!(table in noPeople)) tables.push({ shape: await shapeOf(table), rows })
  await db.transaction(async (tx) => {
    await arriving(tx, { moveId, clientId }, ['arriving', 'ready'])
    for (const { shape, rows } of tables) {
      const own = ofClient(shape, clientId, rows)
      await writeTable(tx, shape, clientId, resealRows(shape.sealed, own, resealing))
    }
    const added = await writePeople(tx, clientId, peopleIn(cargo, resealing))
    // Processes keep limits in memory until this changes.
    await raiseVersion(tx)
    await keepArrival(tx, {
      clientId,
      cutAt: new Date(asked.cutAt),
      sealedCallbackKey: resealCallbackKey(asked, resealing),
      added: json(added),
    })
  })
  return done
}

/** Writes a table that is copied as a whole; a try before this one may have left rows. */
async function writeTable(
  tx: Tx,
  shape: TableShape,
  clientId: number,
  rows: string[],
): Promise<void> {
  if (shape.isDeletable) await deleteAll(tx, shape, clientId)
  await writeRows(tx, shape, asList(rows))
}

/** The people of a preparation, with their second factors sealed for this cell. */
function peopleIn(cargo: TableCargo[], resealing: Resealing): PeopleCargo {
  const named = Object.fromEntries(
    cargo.filter(({ table }) => table in noPeople).map(({ table, rows }) => [table, rows]),
  )
  const people = { ...noPeople, ...named }
  return { ...people, factors: resealRows(sealedFactor, people.factors, resealing) }
}

function resealCallbackKey(
  { clientId, callbackKey }: Preparation,
  { from, to }: Resealing,
): Buffer {
  const context = String(clientId)
  const sealed = Buffer.from(callbackKey, 'base64')
  const key = unseal(keysFor(from, callbackKeyPurpose), sealed, context)
  return seal(keysFor(to, callbackKeyPurpose), key, context)
}
