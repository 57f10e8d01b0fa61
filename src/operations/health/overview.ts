import type { Mode } from '#base/config/config.ts'
import { after } from '#base/kit/clock.ts'
import type { DbParts } from '#data/db/db.ts'
import { readClosures } from '#merchants/catalog/store.ts'
import { countUnsentMails } from '#merchants/mail/store.ts'
import { countPaired } from '#merchants/people/team/approver.ts'
import { readOperators } from '#merchants/people/team/operator-store.ts'
import type { Providers } from '#money/providers/open.ts'
import { countTroubles } from '#money/transactions/timeline-store.ts'
import { readArchiveState } from '#operations/drill/store.ts'
import { findLastProof } from '#operations/verify/proof-store.ts'
import {
  judgeGateway,
  judgeMerchant,
  judgeProvider,
  type Readings,
  statementValidMs,
  worst,
} from './judge.ts'
import { readProviderStates } from './provider-states.ts'
import {
  countOpenApprovals,
  readMerchantBacklogs,
  readQueues,
  readStaleStatements,
} from './queues-store.ts'

export interface HealthParts extends DbParts {
  mode: Mode
  /** Without a mail server mails are kept. */
  hasSmtp: boolean
  providers: Pick<Providers, 'all' | 'find'>
  /** Null: no amount needs a second person. */
  approvalAbove: number | null
  /** For how many days somebody has to have the right to approve. */
  approverAge: number
}

const dayMs = 86_400_000
/** How many merchants are read that their events do not reach; so many may be more. */
export const merchantsMax = 20

/** The gateway at one moment, with what is to be said of each part. */
export type Overview = Awaited<ReturnType<typeof readOverview>>

/** Reads everything that the page of health shows. */
export async function readOverview(parts: HealthParts) {
  const { db, clock, mode, hasSmtp } = parts
  const now = clock.now()
  const [
    closures,
    { providers, processes },
    queues,
    mails,
    troubles,
    approvals,
    approvers,
    merchants,
    proof,
    backup,
    statements,
  ] = await Promise.all([
    readClosures(db),
    readProviderStates(parts),
    readQueues(db),
    countUnsentMails(db),
    countTroubles(db),
    countOpenApprovals(db, now),
    countApprovers(parts, now),
    readBacklogs(parts, merchantsMax),
    findLastProof(db),
    readArchiveState(db),
    readOldStatements(parts, now),
  ])
  const people = { approvals, approvers }
  const work = {
    queues,
    mails,
    hasSmtp,
    troubles,
    ...people,
    merchants,
    proof,
    backup,
    mode,
    statements,
  }
  const gateway = { closures, processes, ...work }
  return { ...judged({ now, providers, ...gateway }), now, closures, processes, archive: backup }
}

/** Providers with payments of days ago that no statement tells of; a sandbox expects none. */
export function readOldStatements(
  {
    db,
    mode,
    providers,
  }: Pick<HealthParts, 'db' | 'mode'> & {
    providers: { all(): { binding: { provider: string; country: string } }[] }
  },
  now: Date,
) {
  const expected = mode === 'live' ? providers.all().map(({ binding }) => binding) : []
  return readStaleStatements(db, { before: after(now, -statementValidMs), expected })
}

/** How many people there are of whom two could decide; null: nobody has to. */
async function countApprovers(parts: HealthParts, now: Date): Promise<number | null> {
  const { db, approvalAbove, approverAge } = parts
  if (approvalAbove === null) return null
  const joined = (await readOperators(db)).filter(({ hasJoined }) => hasJoined)
  return countPaired(joined, approverAge, now)
}

/** The merchants that their events do not reach, those with most first. */
export async function readBacklogs({ db, clock }: HealthParts, limit: number) {
  const since = after(clock.now(), -dayMs)
  const found = await readMerchantBacklogs(db, { since, limit })
  return found.map((one) => ({ ...one, level: judgeMerchant(one) }))
}

function judged(readings: Readings) {
  const checks = judgeGateway(readings)
  // Orders of one that was taken out of the configuration still have to end.
  const counted = readings.providers.filter((one) => one.isConfigured || one.open > 0)
  const providers = counted.map((one) => ({ ...one, level: judgeProvider(one, readings.now) }))
  const { merchants } = readings
  return {
    checks,
    providers,
    unconfigured: readings.providers.filter((one) => !counted.includes(one)),
    merchants,
    /** Whose fault it is: the worst of each. */
    parties: {
      gateway: worst(checks.map(({ level }) => level)),
      providers: worst(providers.map(({ level }) => level)),
      merchants: worst(merchants.map(({ level }) => level)),
    },
  }
}
