import { Problem } from '#base/kit/problem.ts'

/** The exit codes of commands; docs/cli.md explains them. */
export const exitCodes = {
  /** The command could not be carried out. */
  refused: 1,
  /** There is no database where the command looked. */
  noDatabase: 2,
  /** The payment ended without success. */
  failed: 2,
  /** The payment is still open, or nobody could tell what became of it. */
  unknown: 3,
  /** Ctrl-C, as shells number it. */
  interrupted: 130,
} as const

/** A failure with an exit code of its own. */
export class ExitProblem extends Problem {
  readonly exitCode: number
  constructor(exitCode: number, sentence: string) {
    super(sentence)
    this.exitCode = exitCode
  }
}
