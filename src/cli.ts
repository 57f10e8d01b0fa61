import { hostname } from 'node:os'
import { Command, CommanderError } from 'commander'
import { ExitProblem } from './cli/exit.ts'
import { printFailure } from './cli/terminal.ts'
import { actingFrom } from './db/audit-origin.ts'
import { readVersion } from './kit/version.ts'

// In the order of the help text. Only the command that runs is loaded: all take half a second.
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./cli/serve.ts')).addServeCommand,
  migrate: async () => (await import('./cli/migrate.ts')).addMigrateCommands,
  client: async () => (await import('./cli/client.ts')).addClientCommands,
  key: async () => (await import('./cli/key.ts')).addKeyCommands,
  user: async () => (await import('./cli/user.ts')).addUserCommands,
  maintenance: async () => (await import('./cli/maintenance.ts')).addMaintenanceCommands,
  limit: async () => (await import('./cli/limit.ts')).addLimitCommands,
  block: async () => (await import('./cli/block.ts')).addBlockCommands,
  float: async () => (await import('./cli/float.ts')).addFloatCommands,
  transaction: async () => (await import('./cli/transaction.ts')).addTransactionCommands,
  batch: async () => (await import('./cli/batch.ts')).addBatchCommands,
  conflict: async () => (await import('./cli/conflict.ts')).addConflictCommands,
  suspense: async () => (await import('./cli/conflict.ts')).addSuspenseCommand,
  approval: async () => (await import('./cli/approval.ts')).addApprovalCommands,
  recon: async () => (await import('./cli/recon.ts')).addReconCommands,
  provider: async () => (await import('./cli/provider.ts')).addProviderCommands,
  webhook: async () => (await import('./cli/webhook.ts')).addWebhookCommands,
  mail: async () => (await import('./cli/mail.ts')).addMailCommands,
  pay: async () => (await import('./cli/developer/pay.ts')).addPayCommand,
  listen: async () => (await import('./cli/developer/listen.ts')).addListenCommand,
  trigger: async () => (await import('./cli/developer/trigger.ts')).addTriggerCommand,
  logs: async () => (await import('./cli/developer/logs.ts')).addLogsCommand,
  open: async () => (await import('./cli/developer/open-page.ts')).addOpenCommand,
  audit: async () => (await import('./cli/audit.ts')).addAuditCommand,
  retention: async () => (await import('./cli/retention.ts')).addRetentionCommands,
  secrets: async () => (await import('./cli/secrets.ts')).addSecretsCommands,
  verify: async () => (await import('./cli/verify.ts')).addVerifyCommand,
  backup: async () => (await import('./cli/backup.ts')).addBackupCommands,
  restore: async () => (await import('./cli/restore.ts')).addRestoreCommand,
  cells: async () => (await import('./cli/cells.ts')).addCellsCommands,
  doctor: async () => (await import('./cli/doctor.ts')).addDoctorCommand,
}

const program = new Command('passerelle')
  .description('A payment gateway for mobile money, airtime and bills')
  .version(readVersion().version)
  .option('--json', 'print results as JSON')
  .addHelpText('after', '\nSettings come from the environment: see docs/configuration.md.')
  .showHelpAfterError('(add --help to see how it is used)')
  .exitOverride()

const name = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
const load = Object.hasOwn(commands, name) ? commands[name] : undefined
for (const one of load === undefined ? Object.values(commands) : [load]) (await one())(program)

// Whoever read the output, such as `head`, has read enough.
if (name !== 'serve' && process.stdout.listenerCount('error') === 0)
  process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE') process.exit()
    throw problem
  })

try {
  const run = () => program.parseAsync()
  // What the gateway does by itself is done by nobody from anywhere.
  await (name === 'serve' ? run() : actingFrom(hostname(), run))
} catch (problem) {
  // Commander has already printed what was wrong with the arguments.
  if (problem instanceof CommanderError) process.exitCode = problem.exitCode
  else {
    printFailure(problem, process.argv.includes('--json'))
    process.exitCode = problem instanceof ExitProblem ? problem.exitCode : 1
  }
}
