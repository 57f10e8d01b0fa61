import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTalking } from './child.ts'
import type { ClientJob, ClientProgress, Merchant } from './client-job.ts'
import type { GatewayProcess } from './gateway-process.ts'

/** A load client that runs, in a process of its own. */
export interface Load {
  progress(): ClientProgress
  /** Acknowledged payments at each second since it began. */
  perSecond: { atMs: number; acknowledged: number }[]
  /** Waits until so many more payments are acknowledged; throws when the load has ended before. */
  reaches(more: number): Promise<void>
  /** Ends a plan with a rate early. */
  stop(): void
  /** What it reported at its end. */
  ended: Promise<ClientProgress>
}

/** What experiments do with load clients. */
export interface LoadPart {
  startLoad(job: LoadOrder): Load
  /** All that were started. */
  loads: Load[]
}

/** What an experiment says of a load; the rest follows from the world. */
export type LoadOrder = Pick<ClientJob, 'plan'> & Partial<Omit<ClientJob, 'journalPath'>>

interface Parts {
  folder: string
  seed: number
  gateways: GatewayProcess[]
  receiver: { url: string }
  merchants: Merchant[]
}

/** Collections and payouts of three protocols, with outcomes of every kind, and top-ups. */
const usualChoices = [
  { service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 50 },
  { service: 'WALLETA_SN_CASHIN', number: '771234567', weight: 15 },
  { service: 'WALLETF_CI_CASHIN', number: '712345678', weight: 10 },
  { service: 'WALLETA_SN_CASHOUT', number: '770000001', weight: 5 },
  { service: 'WALLETA_SN_CASHIN', number: '770000002', weight: 5 },
  { service: 'WALLETA_SN_CASHOUT', number: '770000007', weight: 5 },
  { service: 'WALLETA_SN_CASHOUT', number: '770000011', weight: 5 },
  { service: 'PREPAID_SN_BILL', number: '200000001', weight: 3 },
  { service: 'PREPAID_SN_BILL', number: '200000003', weight: 2 },
]

export function openLoad(parts: Parts, opened: AsyncDisposableStack): LoadPart {
  const loads: Load[] = []
  return {
    loads,
    startLoad: (order) => {
      const count = loads.length + 1
      const { folder, seed, gateways, receiver, merchants } = parts
      const job: ClientJob = {
        name: `c${count}`,
        journalPath: join(folder, `client-${count}.ndjson`),
        gatewayUrls: gateways.map(({ url }) => url),
        merchants,
        webhookUrl: `${receiver.url}/events`,
        seed: seed + count,
        rate: 100,
        seconds: 10,
        count: 0,
        choices: usualChoices,
        more: {},
        ...order,
      }
      const load = startLoad(job, opened)
      loads.push(load)
      return load
    },
  }
}

function startLoad(job: ClientJob, opened: AsyncDisposableStack): Load {
  const child = startTalking({ name: `client ${job.name}`, file: 'client.ts' }, job)
  opened.defer(() => child.end('SIGKILL'))
  let last: ClientProgress = { sent: 0, acknowledged: 0, statuses: {}, isOver: false }
  const perSecond: Load['perSecond'] = []

  async function follow(): Promise<ClientProgress> {
    for await (const line of child.lines) {
      last = line as ClientProgress
      perSecond.push({ atMs: Date.now(), acknowledged: last.acknowledged })
    }
    if (!last.isOver) throw new Error(`the load client ${job.name} ended before its plan did`)
    return last
  }

  const ended = follow()
  // Whoever waits for the end gets the problem; this only prevents an unhandledRejection.
  ended.catch(() => {})
  return {
    progress: () => last,
    perSecond,
    ended,
    stop: () => child.signal('SIGTERM'),
    reaches: async (more) => {
      const goal = last.acknowledged + more
      while (last.acknowledged < goal) {
        if (!child.isRunning()) throw new Error(`the load ended at ${last.acknowledged} payments`)
        await sleep(50)
      }
    },
  }
}
