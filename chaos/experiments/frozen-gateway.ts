import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../experiment.ts'
import { quantile } from '../figures.ts'
import { latencies } from '../latencies.ts'
import { createMerchants } from '../merchants.ts'
import type { World } from '../world.ts'

const payouts = [{ service: 'WALLETA_SN_CASHIN', number: '771234567', weight: 1 }]
const merchantCount = 8
const funds = 100_000_000
const rate = 60
// Half a second for the lock that the first group meets, and the machine's own hesitation.
const tookMsMax = 2000

/** SIGSTOP of a gateway in the middle of its transactions, beside one that goes on. */
export const frozenGateway: Experiment = {
  name: 'frozen-gateway',
  proves: 'a gateway that stands still holds up no merchant but its own, and these for seconds',
  full: 'ten times 20 s, 180 payouts a second by eight merchants',
  run: async (world, size) => {
    const created = await createMerchants(world, { count: merchantCount, funds })
    world.merchants.push(...created)
    const [healthy, frozen] = world.gateways
    if (healthy === undefined || frozen === undefined) throw new Error('two gateways are needed')
    const half = merchantCount / 2
    const pay = (url: string, merchants: typeof created) =>
      world.startLoad({
        plan: 'payments',
        rate,
        seconds: 36_000,
        choices: payouts,
        gatewayUrls: [url],
        merchants,
      })
    const others = pay(healthy.url, created.slice(0, half))
    const beside = [pay(healthy.url, created.slice(half)), pay(frozen.url, created.slice(half))]
    await Promise.all([others, ...beside].map((load) => load.reaches(100)))
    const times = size.count(3, 10)
    let holding = 0
    for (let turn = 0; turn < times; turn += 1) {
      world.say(`${turn + 1} of ${times}`)
      world.killer.note('frozen', frozen.name, frozen.pid())
      frozen.signal('SIGSTOP')
      holding += await countHeld(world)
      await sleep(size.count(8, 20) * 1000)
      frozen.signal('SIGCONT')
      await frozen.untilReady()
      await beside[1]?.reaches(50)
    }
    for (const load of [others, ...beside]) load.stop()
    const [{ statuses }] = await Promise.all([others.ended, ...beside.map((load) => load.ended)])
    const answers = await latencies(world.folder, 1)
    const tookMs = answers.map((one) => one.tookMs)
    const p99 = quantile(tookMs, 0.99)
    const refused = answers.filter(({ status }) => status >= 500).length
    return [
      { what: 'times', value: `${times}, ${holding} of them inside of a transaction` },
      {
        what: 'other merchants, at the gateway that goes on',
        value: `${answers.length} requests, p99 ${p99} ms, slowest ${Math.max(0, ...tookMs)} ms`,
        isGood: answers.length > 0 && p99 < tookMsMax,
      },
      { what: 'their answers with 5xx', value: String(refused), isGood: refused === 0 },
      { what: 'their requests, by status', value: JSON.stringify(statuses) },
    ]
  },
}

/** Whether the frozen process holds a transaction open: then it may hold locks. */
async function countHeld({ db }: World): Promise<number> {
  await sleep(200)
  const { rowCount } = await db.query(
    `select 1 from pg_stat_activity
     where state like 'idle in transaction%' and now() - state_change > interval '100 ms' limit 1`,
  )
  return rowCount ?? 0
}
