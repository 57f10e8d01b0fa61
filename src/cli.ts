import { hostname } from 'node:os'
import { CommanderError } from 'commander'
import { ExitProblem } from './cli/exit.ts'
import { makeProgram } from './cli/program.ts'
import { printFailure } from './cli/terminal.ts'
import { actingFrom } from './db/audit-origin.ts'

const name = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
const program = await makeProgram(name)

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
