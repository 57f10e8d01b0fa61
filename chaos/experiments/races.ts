import type { Experiment, Finding } from '../experiment.ts'
import { createMerchants, fundAll } from '../merchants.ts'
import { untilQuiet } from '../quiet.ts'
import type { World } from '../world.ts'

const clients = 3

/** M2: the same request many times in parallel, from several processes. */
export const duplicates: Experiment = {
  name: 'duplicates',
  proves:
    'the same payment, link, bill, refund or shop sent 2 to 200 times at once has one effect, ' +
    'also while gateways are killed',
  full: '100,000 requests from three processes to two gateways, 20,000 of them under kills',
  run: async (world, size) => {
    await fundAll(world)
    const requests = size.count(2000, 100_000)
    const first = world.startLoad({
      plan: 'payments',
      rate: 50,
      seconds: Math.max(2, requests / 5000),
      merchants: world.merchants.slice(0, 1),
      choices: [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }],
    })
    await first.ended
    await untilQuiet(world)
    const { rows } = await world.db.query<{ id: string }>(
      `select id from transactions where status = 'SUCCESS' and operation = 'CASHOUT' limit 1000`,
    )
    const more = { originals: rows.map(({ id }) => id), clients, prefix: 'd' }
    const send = (all: number, change: object) => {
      const count = Math.ceil(all / clients)
      const loads = Array.from({ length: clients }, () =>
        // The same seed in all of them: they send the same groups.
        world.startLoad({
          plan: 'duplicates',
          count,
          more: { ...more, ...change },
          seed: world.seed,
        }),
      )
      return Promise.all(loads.map((load) => load.ended))
    }
    const calm = await send(0.8 * requests, {})
    const kills = new AbortController()
    const killing = killUntil(world, kills.signal)
    const under = await send(0.2 * requests, { insists: true, prefix: 'k' })
    kills.abort()
    const outcomes = under.map(({ outcome }) => outcome as { sent: number; settled: number })
    const sent = outcomes.reduce((sum, one) => sum + one.sent, 0)
    const settled = outcomes.reduce((sum, one) => sum + one.settled, 0)
    return [
      ...statusFindings(calm),
      { what: 'kills', value: String(await killing), isGood: true },
      {
        what: 'answered in the end, of requests with a key under kills',
        value: `${settled} of ${sent}`,
        isGood: sent > 0 && settled === sent,
      },
    ]
  },
}

/** Kills gateways in turn, at least once, until it is told to stop; returns how often. */
async function killUntil({ killer, gateways }: World, signal: AbortSignal): Promise<number> {
  let kills = 0
  do {
    const gateway = gateways[kills % gateways.length]
    if (gateway !== undefined) await killer.killGateway(gateway)
    kills += 1
  } while (!signal.aborted)
  return kills
}

const each = 50
const funds = 1000
const amount = 600

/** M3: parallel debits of which the balance pays for one. */
export const debits: Experiment = {
  name: 'debits',
  proves: 'of parallel payouts that each need more than half of a balance exactly one succeeds',
  full: '1,000 merchants, 50 payouts each at one moment, from two processes',
  run: async (world, size) => {
    const count = size.count(20, 1000)
    const merchants = await createMerchants(world, { count, funds })
    world.merchants.push(...merchants)
    const half = Math.ceil(count / 2)
    const loads = [0, half].map((first) => {
      const more = { first, last: Math.min(count, first + half), each, amount }
      return world.startLoad({ plan: 'debits', merchants, more })
    })
    const ended = await Promise.all(loads.map((load) => load.ended))
    const accepted = ended.flatMap(({ outcome }) => Object.values(outcome as object)) as number[]
    const wrong = accepted.filter((times) => times !== 1).length
    return [
      ...statusFindings(ended),
      { what: 'merchants', value: String(accepted.length), isGood: accepted.length === count },
      { what: 'merchants with other than one payout', value: String(wrong), isGood: wrong === 0 },
    ]
  },
}

interface RefundTotal {
  parts: number[]
  payments: number
  refunded: number
  whole: number
}

/** M4: each payment refunded several times at once, whole and in parts. */
export const refunds: Experiment = {
  name: 'refunds',
  proves: 'a payment that is refunded several times at once is refunded once, never beyond it',
  full: '5,000 payments, a third each: twice whole, 600 + 600 + 400 and 500 × 3 of 1,000 francs',
  run: async (world, size) => {
    await fundAll(world)
    const load = world.startLoad({ plan: 'refunds', count: size.count(60, 5000) })
    const ended = await load.ended
    const totals = ended.outcome as RefundTotal[]
    return [
      ...statusFindings([ended]),
      ...totals.map(({ parts, payments, refunded, whole }) => ({
        what: `refunds of ${parts.join(' and ')}`,
        value: `${payments} payments, ${whole} refunded whole, ${refunded} francs in all`,
        isGood: refunded <= payments * 1000 && whole === payments,
      })),
    ]
  },
}

/** M5: callbacks of both outcomes, codes, refunds and lookups on one payment at one moment. */
export const endings: Experiment = {
  name: 'endings',
  proves: 'callbacks of success and failure, expiry, codes and refunds at once leave one winner',
  full: '10,000 payments',
  run: async (world, size) => {
    await fundAll(world)
    const soon = [{ do: 'delay', ms: 100 }]
    const reports = [{ do: 'callback' }, { do: 'contradict' }, { do: 'duplicate', times: 3 }]
    const scripts = {
      '770000101': [...soon, { do: 'succeed' }, ...reports],
      '770000102': [...soon, { do: 'succeed' }, { do: 'contradict' }, { do: 'callback' }],
      '770000103': [...soon, { do: 'decline', reason: 'expired' }, ...reports],
    }
    for (const [number, steps] of Object.entries(scripts))
      await world.lab.post('/lab/scenario', { number, steps, always: true })
    const choices = Object.keys(scripts).flatMap((number) => [
      { service: 'WALLETD_SN_CASHOUT', number, weight: 1 },
      { service: 'WALLETA_SN_CASHOUT', number, weight: 1 },
    ])
    const count = size.count(90, 10_000)
    const load = world.startLoad({ plan: 'one-time-codes', count, choices })
    return statusFindings([await load.ended])
  },
}

type Ended = { sent: number; statuses: Record<string, number> }

/**
 * How many requests got which status; 5xx and silence are wrong when nothing was killed, except a
 * 503 where a provider may be cut off because it fails.
 */
export function statusFindings(ended: Ended[], mayRefuse = false): Finding[] {
  const all: Record<string, number> = {}
  for (const { statuses } of ended)
    for (const [status, count] of Object.entries(statuses)) all[status] = (all[status] ?? 0) + count
  const failed = Object.keys(all).filter(
    (status) => (Number(status) >= 500 && !(mayRefuse && status === '503')) || status === '0',
  )
  const sent = ended.reduce((sum, one) => sum + one.sent, 0)
  const value = `${sent}: ${JSON.stringify(all)}`
  return [{ what: 'requests, by status', value, isGood: failed.length === 0 }]
}
