import { once } from 'node:events'
import type { Command } from 'commander'
import { loadConfig } from '../kit/config.ts'
import { hearSignals } from './signals.ts'

/** `passerelle serve`: the gateway itself, until it is asked to stop. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway')
    .action(async () => {
      const asked = hearSignals()
      // A reader that goes away (npm start | head) does not end the gateway.
      process.stdout.on('error', () => {})
      const config = loadConfig()
      // Loaded here, because it takes half a second that no other command needs.
      const { startGateway } = await import('../serve.ts')
      const gateway = await startGateway(config)
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
