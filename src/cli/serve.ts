import type { Command } from 'commander'
import { loadConfig } from '../kit/config.ts'
import { startGateway } from '../serve.ts'

/** `passerelle serve`: the gateway itself, until SIGINT or SIGTERM. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway')
    .action(async () => {
      const gateway = await startGateway(loadConfig())
      process.stdout.write(`${gateway.banner}\n`)
      const signal = await nextSignal()
      process.stdout.write(`${signal}: finishing what is under way…\n`)
      // Whoever asks twice does not want to wait.
      void nextSignal().then(() => process.exit(1))
      await gateway.stop()
      process.stdout.write('Stopped.\n')
      process.exit(0)
    })
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
}
