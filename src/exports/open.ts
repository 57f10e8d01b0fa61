import { Refusal } from '../catalog/refusal.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { ExportContext } from './context.ts'
import type { Export, ExportId, ExportOrder } from './export.ts'
import { startExportSweeper } from './make.ts'
import {
  cancelRow,
  countUnderWay,
  expireOldest,
  expireRow,
  findExport,
  insertExport,
  listExports,
  lockExports,
  readChunk,
  readVersions,
} from './store.ts'

/** Everything that can be done with files that are made in the background. */
export type Exports = ReturnType<typeof openExports>

const underWayMax = 3
const keptMax = 10
// One that nobody could make is forgotten after this time.
const unmadeMs = 7 * 86_400_000

/** Opens the room. Each verb names the client, and another client's export is not found. */
export function openExports(context: ExportContext) {
  const { db, clock } = context
  return {
    /** Asks for a file. Refuses while too many of the client are under way. */
    ask: (order: ExportOrder): Promise<ExportId> =>
      db.transaction(async (tx) => {
        const { clientId } = order
        const now = clock.now()
        await lockExports(tx, clientId)
        if ((await countUnderWay(tx, clientId)) >= underWayMax)
          throw new Refusal('conflict', 'Three exports are under way: wait for one or cancel it')
        await expireOldest(tx, clientId, { keep: keptMax - 1, now })
        const id = newId(now)
        await insertExport(tx, { ...order, id, createdAt: now, expiresAt: after(now, unmadeMs) })
        return { clientId, id }
      }),
    /** Undefined: the client has none with this id, or it was removed. */
    find: async (id: ExportId): Promise<Export | undefined> => {
      const found = await findExport(db, id)
      return found !== undefined && found.expiresAt > clock.now() ? found : undefined
    },
    list: (clientId: number) => listExports(db, clientId, clock.now()),
    /** Ends one that is under way, so that nothing more of it is written; false: it has ended. */
    cancel: (id: ExportId) => db.transaction((tx) => cancelRow(tx, id, clock.now())),
    /** Removes one that has ended, with its file; false: it has not. */
    remove: (id: ExportId) => db.transaction((tx) => expireRow(tx, id, clock.now())),
    /** The bytes of a file that is ready, all of them, or an error. */
    read: (one: Export) => readFile(context, one),
    marks: (keys: string[]) => readVersions(db, keys),
    startSweeper: () => startExportSweeper(context),
  }
}

async function* readFile({ db }: ExportContext, one: Export): AsyncGenerator<Buffer> {
  for (let [number, bytes] = [1, 0]; bytes < one.bytes; number += 1) {
    const chunk = await readChunk(db, one, number)
    // Removed meanwhile: whoever downloads it must not take the part for the whole.
    if (chunk === undefined) throw new Error(`the file of export ${one.id} ends early`)
    bytes += chunk.length
    yield chunk
  }
}
