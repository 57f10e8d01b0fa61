import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../experiment.ts'
import { quantile } from '../figures.ts'
import { latencies } from '../latencies.ts'
import { fundAll } from '../merchants.ts'
import type { World } from '../world.ts'
import { statusFindings } from './races.ts'

/** P1: providers that fail in every way, without idempotency of their own. */
export const faults: Experiment = {
  name: 'faults',
  proves: 'with 30 % faults and providers that take an order twice, none is executed twice',
  full: '50,000 orders, 30 % faults, idempotency of the providers off',
  run: async (world, size) => {
    await fundAll(world)
    await world.lab.post('/lab/idempotency', { enabled: false })
    await world.lab.post('/lab/faults', { rate: 0.3 })
    const rate = size.rate(150)
    const orders = size.count(600, 50_000)
    const load = world.startLoad({
      plan: 'payments',
      rate,
      seconds: orders / rate,
      choices: [
        { service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 4 },
        { service: 'WALLETA_SN_CASHIN', number: '771234567', weight: 3 },
        { service: 'WALLETF_CI_CASHIN', number: '712345678', weight: 3 },
        { service: 'WALLETF_CI_CASHOUT', number: '712345678', weight: 2 },
        { service: 'OPERATOR1_SN_AIRTIME', number: '771234567', weight: 1 },
      ],
    })
    const ended = await load.ended
    const { rows } = await world.db.query<{ attempts: number; doubtful: number }>(`
      select (select count(*) from attempts where number > 1)::integer as attempts,
        (select count(distinct transaction_id) from evidence
          where outcome in ('unknown', 'not_sent', 'not_found'))::integer as doubtful`)
    const { attempts = 0, doubtful = 0 } = rows[0] ?? {}
    return [
      ...statusFindings([ended], true),
      {
        what: 'orders of which an answer was lost or no success',
        value: String(doubtful),
        isGood: doubtful > 0.1 * ended.acknowledged,
      },
      { what: 'orders that needed a second attempt', value: String(attempts) },
    ]
  },
}

/** P3: callbacks that come twenty times, in the wrong order, late and with a wrong amount. */
export const callbacks: Experiment = {
  name: 'callbacks',
  proves: 'callbacks ×20, contradicting, before the answer and of wrong amounts act once or not',
  full: '20,000 payments',
  run: async (world, size) => {
    await fundAll(world)
    const soon = { do: 'soon' }
    const twenty = { do: 'duplicate', times: 20 }
    const scripts = {
      '770000201': [soon, { do: 'succeed' }, { do: 'callback' }, twenty],
      '770000202': [soon, { do: 'succeed' }, { do: 'contradict' }, { do: 'callback' }, twenty],
      '770000203': [soon, { do: 'decline' }, { do: 'callback' }, { do: 'contradict' }, twenty],
      '770000204': [
        { do: 'succeed' },
        { do: 'callback' },
        { do: 'delay', ms: 400 },
        { do: 'answer' },
      ],
    }
    for (const [number, steps] of Object.entries(scripts))
      await world.lab.post('/lab/scenario', { number, steps, always: true })
    const numbers = [...Object.keys(scripts), '770000008', '770000010', '770000013']
    const choices = numbers.flatMap((number) => [
      { service: 'WALLETA_SN_CASHOUT', number, weight: 2 },
      { service: 'WALLETF_CI_CASHOUT', number, weight: 1 },
    ])
    const rate = 80
    const load = world.startLoad({
      plan: 'payments',
      rate,
      seconds: size.count(400, 20_000) / rate,
      choices,
    })
    const ended = await load.ended
    const { wrong, suspended, alarms } = await untilSuspended(world)
    return [
      ...statusFindings([ended]),
      {
        what: 'wrong amounts in suspense',
        value: `${suspended} of ${wrong}`,
        isGood: suspended === wrong,
      },
      {
        what: 'conflicts that an operator is shown',
        value: String(alarms),
        isGood: alarms >= wrong,
      },
    ]
  },
}

const suspendedMsMax = 60_000

/** Waits until all wrong amounts are in suspense, or for a minute; returns what there is then. */
async function untilSuspended({ db }: World) {
  const endMs = performance.now() + suspendedMsMax
  for (;;) {
    const { rows } = await db.query<{ wrong: number; suspended: number; alarms: number }>(`
      select (select count(*) from transactions where phone = '770000010')::integer as wrong,
        (select count(*) from ledger_postings where kind = 'suspend')::integer as suspended,
        (select count(*) from conflicts)::integer as alarms`)
    const found = rows[0] ?? { wrong: 0, suspended: 0, alarms: 0 }
    if (found.suspended >= found.wrong || performance.now() > endMs) return found
    await sleep(500)
  }
}

/** P7: one provider hangs, the others do not notice. */
export const hanging: Experiment = {
  name: 'hanging',
  proves: 'a provider that hangs slows the others down by at most half, and is cut off within 5 s',
  full: '60 s as usual, 60 s with a provider that hangs, 150 payments a second',
  run: async (world, size) => {
    await fundAll(world)
    const seconds = size.seconds(10, 60)
    const choices = [
      { service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 4 },
      { service: 'WALLETF_CI_CASHOUT', number: '712345678', weight: 1 },
    ]
    // Each is sent once and has a connection of its own: nothing but the gateway delays it.
    const more = { connections: 1000 }
    const pay = (lasting: number) =>
      world.startLoad({ plan: 'open-loop', rate: 150, seconds: lasting, choices, more })
    await pay(5).ended
    await pay(seconds).ended
    const fromMs = Date.now()
    const outage = { connector: 'request-to-pay', provider: 'WALLETF', mode: 'hang' }
    await world.lab.post('/lab/outage', { ...outage, seconds: seconds + 5 })
    await pay(seconds).ended
    await world.lab.post('/lab/outage', { ...outage, seconds: 0 })
    const [before, during] = await Promise.all(
      [2, 3].map((client) => latencies(world.folder, client, 'WALLETA_SN_CASHOUT')),
    )
    const [usualMs, hungMs] = [before ?? [], during ?? []].map((one) =>
      quantile(
        one.map(({ tookMs }) => tookMs),
        0.99,
      ),
    ) as [number, number]
    const slow = await latencies(world.folder, 3, 'WALLETF_CI_CASHOUT')
    const lastSlow = slow.filter(({ tookMs }) => tookMs > 1000).map(({ sentMs }) => sentMs - fromMs)
    const openedMs = Math.max(0, ...lastSlow)
    return [
      { what: 'p99 of the other provider, as usual', value: `${usualMs} ms` },
      {
        what: 'p99 of the other provider, during the outage',
        value: `${hungMs} ms`,
        isGood: hungMs <= Math.max(1.5 * usualMs, usualMs + 20),
      },
      {
        what: 'the last payment of the hanging provider that waited for it began after',
        value: `${openedMs} ms`,
        isGood: openedMs <= 5000,
      },
    ]
  },
}
