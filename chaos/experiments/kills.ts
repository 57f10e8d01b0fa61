import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment, Finding } from '../experiment.ts'
import { shareWithin, spread } from '../figures.ts'
import { fundAll } from '../merchants.ts'
import type { World } from '../world.ts'

const usualRate = 350
const secondsBetween = 7.2
const readyMsMax = 2000
const pauseMsMin = 300

/** M8: kill -9 of gateway processes and of PostgreSQL under a steady load. */
export const kills: Experiment = {
  name: 'kills',
  proves: 'kill -9 of gateway processes and of PostgreSQL loses, doubles and unbalances nothing',
  full: '200 kills of gateway processes, 50 of PostgreSQL, 350 payments a second for 30 minutes',
  run: async (world, size) => {
    await fundAll(world)
    const seconds = size.seconds(20, 1800)
    const load = world.startLoad({ plan: 'payments', rate: size.rate(usualRate), seconds })
    await load.reaches(1)
    await killInTurn(world, seconds)
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

/**
 * Every fifth kill is of PostgreSQL. Each has its moment, by the seed, whatever time the recovery
 * from the one before took; one whose moment has passed comes a moment after that recovery.
 */
async function killInTurn(world: World, seconds: number): Promise<void> {
  const { killer, gateways, postgres } = world
  const startedMs = performance.now()
  const planned = Math.max(5, Math.round(seconds / secondsBetween))
  for (let kill = 1; kill <= planned; kill += 1) {
    const share = (kill - 0.75 + 0.5 * world.random(kill)) / planned
    const waitMs = startedMs + share * seconds * 1000 - performance.now()
    await sleep(Math.max(pauseMsMin, waitMs))
    if (performance.now() > startedMs + seconds * 1000) return
    world.say(`kill ${kill} of ${planned}`)
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
