import { Command, CommanderError } from 'commander'
import { addClientCommands } from './cli/client.ts'
import { addDoctorCommand } from './cli/doctor.ts'
import { addKeyCommands } from './cli/key.ts'
import { addMaintenanceCommands } from './cli/maintenance.ts'
import { addMigrateCommands } from './cli/migrate.ts'
import { addProviderCommands } from './cli/provider.ts'
import { addServeCommand } from './cli/serve.ts'
import { explain } from './cli/terminal.ts'
import { addTransactionCommands } from './cli/transaction.ts'
import { addVerifyCommand } from './cli/verify.ts'

const program = new Command('passerelle')
  .description('A payment gateway for mobile money, airtime and bills')
  .version('0.1.0')
  .option('--json', 'print results as JSON')
  .addHelpText('after', '\nSettings come from the environment: see docs/configuration.md.')
  .showHelpAfterError('(add --help to see how it is used)')
  .exitOverride()

addServeCommand(program)
addMigrateCommands(program)
addClientCommands(program)
addKeyCommands(program)
addMaintenanceCommands(program)
addTransactionCommands(program)
addProviderCommands(program)
addVerifyCommand(program)
addDoctorCommand(program)

try {
  await program.parseAsync()
} catch (problem) {
  // Commander has told what was wrong with the words already.
  if (problem instanceof CommanderError) process.exitCode = problem.exitCode
  else {
    explain(problem, process.argv.includes('--json'))
    process.exitCode = 1
  }
}
