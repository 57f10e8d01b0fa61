/**
 * An expected trouble of the installation, told to whoever sits at the terminal in one sentence.
 */
export class Problem extends Error {
  override name = 'Problem'
}
