import { constants } from 'node:os'
import { ExitProblem, exitCodes } from '../exit.ts'
import { catchStopSignals } from '../signals.ts'

/**
 * Runs work until it ends or a signal stops the command, which then exits as shells expect, 130
 * after Ctrl-C. `goodbye` is what the person is told then.
 */
export async function untilStopped<T>(
  work: (signal: AbortSignal) => Promise<T>,
  goodbye: () => string,
): Promise<T> {
  const signal = catchStopSignals()
  try {
    return await work(signal)
  } catch (problem) {
    // Whatever failed, failed because everything was told to stop.
    if (signal.aborted) throw stoppedBy(String(signal.reason), goodbye())
    throw problem
  }
}

function stoppedBy(name: string, sentence: string): ExitProblem {
  const number = constants.signals[name as NodeJS.Signals] ?? 2
  return new ExitProblem(name === 'SIGINT' ? exitCodes.interrupted : 128 + number, sentence)
}
