import { Command } from 'commander'
import { readVersion } from '#base/kit/version.ts'

// In the order of the help text. Only the command that runs is loaded: all take half a second.
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommands,
  client: async () => (await import('./client.ts')).addClientCommands,
  key: async () => (await import('./key.ts')).addKeyCommands,
  user: async () => (await import('./user.ts')).addUserCommands,
  maintenance: async () => (await import('./maintenance.ts')).addMaintenanceCommands,
  limit: async () => (await import('./limit.ts')).addLimitCommands,
  block: async () => (await import('./block.ts')).addBlockCommands,
  float: async () => (await import('./float.ts')).addFloatCommands,
  transaction: async () => (await import('./transaction.ts')).addTransactionCommands,
  batch: async () => (await import('./batch.ts')).addBatchCommands,
  conflict: async () => (await import('./conflict.ts')).addConflictCommands,
  suspense: async () => (await import('./conflict.ts')).addSuspenseCommand,
  approval: async () => (await import('./approval.ts')).addApprovalCommands,
  recon: async () => (await import('./recon.ts')).addReconCommands,
  provider: async () => (await import('./provider.ts')).addProviderCommands,
  webhook: async () => (await import('./webhook.ts')).addWebhookCommands,
  alert: async () => (await import('./alert.ts')).addAlertCommands,
  mail: async () => (await import('./mail.ts')).addMailCommands,
  pay: async () => (await import('./developer/pay.ts')).addPayCommand,
  listen: async () => (await import('./developer/here.ts')).addListenHere,
  trigger: async () => (await import('./developer/here.ts')).addTriggerHere,
  logs: async () => (await import('./developer/logs.ts')).addLogsCommand,
  open: async () => (await import('./developer/open-page.ts')).addOpenCommand,
  audit: async () => (await import('./audit.ts')).addAuditCommand,
  retention: async () => (await import('./retention.ts')).addRetentionCommands,
  secrets: async () => (await import('./secrets.ts')).addSecretsCommands,
  verify: async () => (await import('./verify.ts')).addVerifyCommand,
  drill: async () => (await import('./drill.ts')).addDrillCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
}

/** The program with its commands; with the name of one, that one alone. */
export async function makeProgram(name = ''): Promise<Command> {
  const program = new Command('passerelle')
    .description('A payment gateway for mobile money, airtime and bills')
    .version(readVersion().version)
    .option('--json', 'print results as JSON')
    .addHelpText('after', '\nSettings come from the environment: see docs/configuration.md.')
    .showHelpAfterError('(add --help to see how it is used)')
    .exitOverride()
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  for (const one of load === undefined ? Object.values(commands) : [load]) (await one())(program)
  return program
}
