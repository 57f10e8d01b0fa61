import { Problem } from '#base/kit/problem.ts'

/** All problems of the environment, one sentence each. */
export class ConfigProblems extends Problem {
  override name = 'ConfigProblems'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
