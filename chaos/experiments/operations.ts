import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../experiment.ts'
import { unanswered } from '../latencies.ts'
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
      world.say(`restart ${turn + 1} of ${times}`)
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
    // A load balancer would have tried a refused connection elsewhere.
    const { '0 ECONNREFUSED': _, ...failed } = await unanswered(world.folder, 1)
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
