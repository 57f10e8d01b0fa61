import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment, Finding } from '../experiment.ts'
import { shareWithin, spread } from '../figures.ts'
import { fundAll } from '../merchants.ts'
import type { World } from '../world.ts'

const rate = 350
const readyMsMax = 2000

/** M8: kill -9 of gateway processes and of PostgreSQL under a steady load. */
export const kills: Experiment = {
  name: 'kills',
  proves: 'kill -9 of gateway processes and of PostgreSQL loses, doubles and unbalances nothing',
  full: '200 kills of gateway processes, 50 of PostgreSQL, 350 payments a second for 50 minutes',
  run: async (world, size) => {
    await fundAll(world)
    const seconds = size.seconds(20, 3000)
    const killsPlanned = Math.max(5, Math.round(seconds / 12))
    const load = world.startLoad({ plan: 'payments', rate, seconds })
    await load.reaches(1)
    await killInTurn(world, seconds, killsPlanned)
    const { acknowledged, sent, statuses } = await load.ended
    const { recoveries } = world.killer
    const of = (what: string) => recoveries.filter((one) => one.what === what)
    return [
      { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
      { what: 'requests, by status', value: `${sent}: ${JSON.stringify(statuses)}` },
      { what: 'payments a second', value: (acknowledged / seconds).toFixed(0) },
      ...recoveryFindings('gateway', of('gateway')),
      ...recoveryFindings('postgres', of('postgres')),
    ]
  },
}

/** Every fifth kill is of PostgreSQL; the pauses between them differ, by the seed. */
async function killInTurn(world: World, seconds: number, planned: number): Promise<void> {
  const { killer, gateways, postgres } = world
  const endMs = performance.now() + seconds * 1000
  for (let kill = 1; performance.now() < endMs; kill += 1) {
    const pauseMs = ((seconds * 1000) / planned) * (0.5 + world.random(kill))
    await sleep(Math.min(pauseMs, Math.max(0, endMs - performance.now())))
    if (performance.now() >= endMs) return
    const gateway = gateways[Math.floor(world.random(kill, 1) * gateways.length)]
    if (kill % 5 === 0) await killer.killPostgres(postgres, gateways)
    else if (gateway !== undefined) await killer.killGateway(gateway)
  }
}

function recoveryFindings(what: string, recoveries: { readyMs: number }[]): Finding[] {
  const times = recoveries.map(({ readyMs }) => readyMs)
  if (times.length === 0) return []
  const within = shareWithin(times, readyMsMax)
  return [
    { what: `kills of ${what}`, value: String(times.length) },
    {
      what: `${what} ready again (median, slowest)`,
      value: `${spread(times)}; ${(100 * within).toFixed(0)} % within ${readyMsMax} ms`,
    },
  ]
}
