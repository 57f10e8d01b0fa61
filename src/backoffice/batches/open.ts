import { lastId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import type { Batch, BatchId } from './batch.ts'
import type { BatchContext } from './context.ts'
import {
  type Act,
  approveBatch,
  cancelBatch,
  pauseBatch,
  proposeBatch,
  refuseBatch,
  resumeBatch,
  retryFailed,
} from './decide.ts'
import { resultTable, templateTable } from './files.ts'
import { findName, readLines, readTaken, readTotals } from './line-store.ts'
import { noBatch } from './move.ts'
import { settleFollowed, startBatchSweeper } from './run.ts'
import { findBatch, findBatchOwner, listBatches, readSteps, readVersions } from './store.ts'
import type { LineState } from './transitions.ts'
import { type Upload, uploadBatch } from './upload.ts'

/** Everything that can be done with batches of payouts. */
// A batch is never urgent, and payments of callers share the providers' limits with it.
export const usualLinesPerSecond = 20

export type Batches = ReturnType<typeof openBatches>

/** Opens the room. Each verb names the client, and another client's batch is not found. */
export function openBatches(context: BatchContext) {
  const { db } = context
  const get = async (id: BatchId): Promise<Batch> => {
    const found = await findBatch(db, id)
    if (found === undefined) throw noBatch()
    return found
  }
  return {
    // People who prepare, and people who approve
    upload: (upload: Upload) => uploadBatch(context, upload),
    propose: (act: Act) => proposeBatch(context, act),
    approve: (act: Act & { mayApproveOwn?: boolean }) => approveBatch(context, act),
    refuse: (act: Act & { reason: string }) => refuseBatch(context, act),
    cancel: (act: Act) => cancelBatch(context, act),
    pause: (act: Act) => pauseBatch(context, act),
    resume: (act: Act) => resumeBatch(context, act),
    retryFailed: (act: Act) => retryFailed(context, act),

    // What pages and files show
    get,
    /** Undefined: the client has none with this id. */
    find: (id: BatchId) => findBatch(db, id),
    /** Whose a batch is; undefined: there is none. */
    ownerOf: (id: string) => findBatchOwner(db, id),
    /** Newest first; `below`: the id of the last one of the page before. */
    list: (clientId: number, { below = lastId, limit }: { below?: string; limit: number }) =>
      listBatches(db, clientId, { below, limit }),
    lines: (id: BatchId, range: { after: number; limit: number; states?: LineState[] }) =>
      readLines(db, id, range),
    totals: (id: BatchId) => readTotals(db, id),
    /** What its payouts have moved, by the ledger. */
    taken: (id: BatchId) => readTaken(db, id),
    steps: (id: BatchId) => readSteps(db, id),
    /** What differs whenever batches have changed, by the keys `17 ID`; for pages that are open. */
    marks: async (keys: string[]) => {
      await settleFollowed(context, keys)
      return readVersions(db, keys)
    },
    /** The name of a number in the client's own files; empty: they do not have it. */
    nameOf: async (clientId: number, phone: string) => (await findName(db, clientId, phone)) ?? '',
    template: (language: Language) => templateTable(language),
    resultFile: async (id: BatchId, language: Language) => resultTable(db, await get(id), language),

    startSweeper: () => startBatchSweeper(context),
  }
}
