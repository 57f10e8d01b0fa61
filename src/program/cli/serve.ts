import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { loadConfig } from '#base/config/config.ts'
import { type Role, roles } from '#program/run/role.ts'
import { catchStopSignals } from './signals.ts'

/** `passerelle serve`: runs the gateway until a signal stops it. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway')
    .addOption(
      new Option('--role <role>', 'the API, background work, or both')
        .choices(roles)
        .default('all'),
    )
    .action(async ({ role }: { role: Role }) => {
      const stopSignal = catchStopSignals()
      // A broken pipe (npm start | head) does not end the gateway.
      process.stdout.on('error', () => {})
      const config = loadConfig()
      // Imported here: loading it takes half a second, which the help text does not need.
      const { startGateway } = await import('#program/run/start.ts')
      const gateway = await startGateway(config, role)
      if (!stopSignal.aborted) {
        gateway.say(gateway.banner)
        await once(stopSignal, 'abort')
      }
      gateway.say(`${stopSignal.reason}: finishing what is under way…`)
      await gateway.stop()
      gateway.say('Stopped.')
      process.exit(0)
    })
}
