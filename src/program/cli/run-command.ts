import { CommanderError } from 'commander'
import { ExitProblem } from './exit.ts'
import { printFailure } from './terminal.ts'

/** Runs a command to its end: what went wrong is printed, and becomes the exit code. */
export async function runCommand(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (problem) {
    // Commander has already printed what was wrong with the arguments.
    if (problem instanceof CommanderError) process.exitCode = problem.exitCode
    else {
      printFailure(problem, process.argv.includes('--json'))
      process.exitCode = problem instanceof ExitProblem ? problem.exitCode : 1
    }
  }
}

/** Ends the process when whoever reads its output, such as `head`, has read enough. */
export function endWithReader(): void {
  if (process.stdout.listenerCount('error') > 0) return
  process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE') process.exit()
    throw problem
  })
}
