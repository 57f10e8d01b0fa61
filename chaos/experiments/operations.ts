import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../experiment.ts'
import { quantile } from '../figures.ts'
import { latencies } from '../latencies.ts'
import { fundAll } from '../merchants.ts'

const drainMsMax = 60_000

/** O1: processes are stopped and started in turn, as in an upgrade. */
export const restarts: Experiment = {
  name: 'restarts',
  proves: 'SIGTERM under load fails no request, while another process serves',
  full: '20 restarts of two processes in turn, 150 payments a second',
  run: async (world, size) => {
    await fundAll(world)
    const times = size.count(4, 20)
    const load = world.startLoad({ plan: 'payments', rate: 150, seconds: 3600 })
    await load.reaches(20)
    for (let turn = 0; turn < times; turn += 1) {
      const gateway = world.gateways[turn % world.gateways.length]
      if (gateway === undefined) continue
      world.killer.note('terminated', gateway.name, gateway.pid())
      await Promise.race([gateway.end('SIGTERM'), sleep(drainMsMax, undefined, { ref: false })])
      await world.killer.measure('gateway', async () => {
        await gateway.start()
        await gateway.untilReady()
      })
      await load.reaches(20)
    }
    load.stop()
    const { acknowledged } = await load.ended
    const failed = await failures(world.folder)
    return [
      { what: 'restarts', value: String(times) },
      { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
      {
        what: 'requests that were taken and not answered, or answered with 5xx',
        value: JSON.stringify(failed),
        isGood: Object.keys(failed).length === 0,
      },
    ]
  },
}

/** Answers that a load balancer could not have avoided: a refused connection is tried elsewhere. */
async function failures(folder: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, text } of await latencies(folder, 1)) {
    if (status !== 0 && status < 500) continue
    if (status === 0 && text === 'ECONNREFUSED') continue
    const kind = `${status} ${text.slice(0, 80)}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

const overloadFactor = 4

/** O8: four times as many requests as the gateway can serve. */
export const overload: Experiment = {
  name: 'overload',
  proves: 'at four times its capacity the gateway still does 80 % of its best, and refuses quickly',
  full: '30 s at the peak of a closed loop, 60 s open loop at four times that',
  world: { gateways: 1 },
  run: async (world, size) => {
    const choices = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]
    const warmUp = world.startLoad({ plan: 'closed-loop', seconds: 5, count: 64, choices })
    await warmUp.ended
    const closed = size.seconds(8, 30)
    const peakLoad = world.startLoad({ plan: 'closed-loop', seconds: closed, count: 64, choices })
    const peak = (await peakLoad.ended).acknowledged / closed
    const seconds = size.seconds(10, 60)
    const rate = Math.round(peak * overloadFactor)
    // From two processes: one would be busier than the gateway.
    const loads = [1, 2].map(() =>
      world.startLoad({ plan: 'open-loop', rate: rate / 2, seconds, choices }),
    )
    const ended = await Promise.all(loads.map((load) => load.ended))
    const goodput = ended.reduce((sum, one) => sum + one.acknowledged, 0) / seconds
    const answers = (await Promise.all([3, 4].map((one) => latencies(world.folder, one)))).flat()
    const refused = answers.filter(({ status }) => status === 503)
    const odd = answers.filter(({ status }) => status !== 201 && status !== 503).length
    return [
      { what: 'peak', value: `${peak.toFixed(0)} payments a second` },
      {
        what: `goodput at ${rate} a second`,
        value: `${goodput.toFixed(0)} payments a second`,
        isGood: goodput >= 0.8 * peak,
      },
      {
        what: 'refused with 503',
        value: `${refused.length}, p99 after ${quantile(
          refused.map((one) => one.tookMs),
          0.99,
        )} ms`,
        isGood: refused.length > 0,
      },
      { what: 'other answers, or none', value: String(odd), isGood: odd === 0 },
    ]
  },
}
