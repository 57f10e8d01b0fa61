import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Experiment } from '../experiment.ts'
import { fundAll } from '../merchants.ts'

const preload = fileURLToPath(new URL('../shifted-clock.ts', import.meta.url))
const hourMs = 3_600_000
let offsetFile = ''

/** The clocks of the gateway processes jump by an hour, and differ from each other. */
export const clock: Experiment = {
  name: 'clock',
  proves: 'clocks of gateway processes that jump an hour forward and back end no payment wrongly',
  full: '20 jumps by an hour of one process or the other, 100 payments a second',
  prepare: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-clock-'))
    offsetFile = join(folder, 'offset')
    await writeFile(offsetFile, '0')
    options.environment = { CLOCK_OFFSET_FILE: offsetFile }
    options.gatewayOptions = { nodeArgs: ['--import', preload] }
    return () => rm(folder, { recursive: true, force: true })
  },
  run: async (world, size) => {
    await fundAll(world)
    const load = world.startLoad({ plan: 'payments', rate: 100, seconds: 36_000 })
    await load.reaches(50)
    const jumps = size.count(4, 20)
    for (let jump = 0; jump < jumps; jump += 1) {
      world.say(`jump ${jump + 1} of ${jumps}`)
      const gateway = world.gateways[jump % world.gateways.length]
      const offset = [hourMs, -hourMs, 0][jump % 3] ?? 0
      await writeFile(offsetFile, String(offset))
      world.killer.note('clock', gateway?.name, offset)
      gateway?.signal('SIGUSR2')
      await load.reaches(100)
      // Some processes also start with a clock that is wrong, and so have seen no jump.
      if (gateway && offset < 0) await world.killer.killGateway(gateway)
      await sleep(2000)
    }
    await writeFile(offsetFile, '0')
    for (const gateway of world.gateways) gateway.signal('SIGUSR2')
    load.stop()
    const { acknowledged, statuses } = await load.ended
    return [
      { what: 'jumps', value: String(jumps) },
      { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
      { what: 'requests, by status', value: JSON.stringify(statuses) },
    ]
  },
}
