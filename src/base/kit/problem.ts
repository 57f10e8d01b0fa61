/**
 * An error that the operator can fix, such as a wrong setting. Its message is one sentence, printed
 * without a stack.
 */
export class Problem extends Error {
  override name = 'Problem'
}
