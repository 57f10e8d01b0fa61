import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/config.ts'
import type { Role } from '../run/role.ts'
import { roles } from '../run/role.ts'
import { hearSignals } from './signals.ts'
import { whole } from './terminal.ts'

/** `passerelle serve`: the gateway itself, until it is asked to stop. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway')
    .addOption(
      new Option('--role <role>', 'the interface, what goes on beside requests, or both')
        .choices(roles)
        .default('all'),
    )
    .option('--processes <count>', 'how many processes share the port', whole(1), 1)
    .action(async ({ role, processes }: { role: Role; processes: number }) => {
      const asked = hearSignals()
      // A reader that goes away (npm start | head) does not end the gateway.
      process.stdout.on('error', () => {})
      const config = loadConfig()
      if (cluster.isWorker) await (await import('../run/child.ts')).joinCluster(config, asked)
      const gateway = await start(config, role, processes)
      if (!asked.aborted) {
        gateway.say(gateway.banner)
        await once(asked, 'abort')
      }
      gateway.say(`${asked.reason}: finishing what is under way…`)
      await gateway.stop()
      gateway.say('Stopped.')
      process.exit(0)
    })
}

/** Loads only here what takes half a second that no other command needs. */
async function start(config: Config, role: Role, processes: number) {
  if (processes === 1) return (await import('../run/start.ts')).startGateway(config, role)
  return (await import('../run/start-several.ts')).startCluster(config, role, processes)
}
