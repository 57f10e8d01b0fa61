import type { Command } from 'commander'
import type { TermsOrder } from '#merchants/clients/terms.ts'
import { onDatabase } from './session.ts'
import { actor, print, whole } from './terminal.ts'

/** Those commands of `passerelle client` that set which services it may use, at which price. */
export function addTermsCommands(client: Command): void {
  addEnable(client)
  addDisable(client)
  addSetFee(client)
  addSetLimits(client)
}

function addEnable(client: Command): void {
  client
    .command('enable <client> <service>')
    .description('enable a service, or "all", for a client; its fee comes first')
    .option('--free', 'also a service whose fee is 0', false)
    .action((name: string, serviceCode: string, options, command: Command) => {
      const refusesFree = !options.free
      return saveTerms(command, name, serviceCode, { isEnabled: true }, 'enabled', refusesFree)
    })
}

function addDisable(client: Command): void {
  client
    .command('disable <client> <service>')
    .description('disable a service, or "all", for a client')
    .action((name: string, serviceCode: string, _options, command: Command) =>
      saveTerms(command, name, serviceCode, { isEnabled: false }, 'disabled'),
    )
}

function addSetFee(client: Command): void {
  client
    .command('set-fee <client> <service>')
    .description('set what a service, or "all", costs a client (airtime is always 1 %)')
    .option('--fixed <francs>', 'fixed part; default: 0', whole(0))
    .option('--bps <points>', 'share in hundredths of a percent; default: 0', whole(0))
    .option('--min <francs>', 'lowest fee; default: 0', whole(0))
    .option('--max <francs>', 'highest fee; default: none', whole(0))
    .action((name: string, serviceCode: string, options, command: Command) => {
      // Without options the command would make the service free.
      if (options.fixed === undefined && options.bps === undefined)
        command.error('error: at least one of --fixed and --bps is needed')
      const { fixed = 0, bps: basisPoints = 0, min = 0, max = null } = options
      const done = serviceCode === 'all' ? 'priced; airtime stays at 1 %' : 'priced'
      return saveTerms(command, name, serviceCode, { fixed, basisPoints, min, max }, done)
    })
}

function addSetLimits(client: Command): void {
  client
    .command('set-limits <client> <service>')
    .description('set a client\'s own smallest and largest amount for a service, or "all"')
    .option('--min <francs>', 'smallest amount; default: the general limit', whole(1))
    .option('--max <francs>', 'largest amount; default: the general limit', whole(1))
    .action((name: string, serviceCode: string, options, command: Command) => {
      const change = { amountMin: options.min ?? null, amountMax: options.max ?? null }
      return saveTerms(command, name, serviceCode, change, 'limited')
    })
}

async function saveTerms(
  command: Command,
  name: string,
  serviceCode: string,
  change: TermsOrder['change'],
  done: string,
  refusesFree = false,
): Promise<void> {
  const changed = await onDatabase(async ({ clients }) => {
    const clientId = await clients.idOf(name)
    return clients.changeTerms({ clientId, serviceCode, change, refusesFree, actor: actor() })
  })
  print(command, { services: changed }, [
    `${changed.map((terms) => terms.serviceCode).join(', ')}: ${done}.`,
  ])
}
