import { after } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import type { Provider, Providers } from '#money/providers/open.ts'
import { stateOf } from './state.ts'
import {
  claimAsking,
  countOn,
  deleteOldSamples,
  insertSample,
  readFloats,
  writeProblem,
  writeTold,
} from './store.ts'

// A posting may be committed this long after its date.
const lateCommitMs = 60_000
const samplesKeptMs = 90 * 86_400_000

interface AskParts {
  db: Db
  log: Log
  providers: Pick<Providers, 'all'>
}

/** Asks all providers at once, each at most once since a time over all processes. */
export async function sampleAll(parts: AskParts, now: Date, unlessSince: Date): Promise<void> {
  const { db, log } = parts
  await Promise.all(
    parts.providers.all().map(async (provider) => {
      try {
        if (!(await claimAsking(db, provider.binding, now, unlessSince))) return
        await askProvider(parts, provider, now)
        await insertSample(db, provider.binding, now)
      } catch (problem) {
        log.warn({ err: problem, provider: provider.name }, 'a float could not be read')
      }
    }),
  )
  await deleteOldSamples(db, after(now, -samplesKeptMs))
  for (const float of await readFloats(db)) {
    const state = stateOf(float, now)
    const { provider, country, balance } = float
    if (state === 'alarm') log.error({ provider, country, balance }, 'a float is too low')
  }
}

/** Asks a provider what it holds for us; of one that tells nothing, the ledger. */
export async function askProvider(
  { db }: Pick<AskParts, 'db'>,
  { connector, binding }: Provider,
  now: Date,
): Promise<void> {
  if (connector.readBalance === undefined)
    return db.transaction((tx) => countOn(tx, binding, after(now, -lateCommitMs)))
  const told = await connector.readBalance()
  if (told.kind === 'told') await writeTold(db, binding, { balance: told.amount, now })
  else await writeProblem(db, binding, told.reason)
}
