import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program of the system to its end; throws what it printed if it fails. */
export async function run(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args)
  return stdout
}

/** Whether a program runs and succeeds. */
export function succeeds(file: string, ...args: string[]): Promise<boolean> {
  return run(file, ...args).then(
    () => true,
    () => false,
  )
}
