import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyTree } from './copy-tree.ts'

/** What a program said, and how it ended. */
export interface Ended {
  code: number
  output: string
  isTooLong: boolean
}

/**
 * A private copy of the working tree, into which bugs are planted, and in which what must notice
 * them is run. An interrupted run leaves nothing behind: what runs is ended, and the copy removed.
 */
export async function openPlanting(name: string, minutesMax: number) {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort())
  // What programs with a bug leave to look at is removed, too.
  const leftovers = await mkdtemp(join(tmpdir(), `passerelle-${name}-`))
  await chmod(leftovers, 0o755)
  const copy = await copyTree(name)

  async function run(file: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
    // Outside of any repository, so that git applies patches to the copy and not to this one.
    const outside = { GIT_CEILING_DIRECTORIES: tmpdir(), TMPDIR: leftovers }
    const env = { ...process.env, ...outside, ...more }
    const timeout = minutesMax * 60_000
    const startedMs = performance.now()
    const options = { cwd: copy, env, maxBuffer: 2 ** 28, timeout, signal: interruption.signal }
    return promisify(execFile)(file, args, options).then(
      ({ stdout }) => ({ code: 0, output: stdout, isTooLong: false }),
      (problem: { code?: number; stdout?: string; stderr?: string }) => ({
        code: problem.code ?? -1,
        isTooLong: performance.now() - startedMs >= timeout,
        output: `${problem.stdout ?? ''}${problem.stderr ?? ''}`,
      }),
    )
  }

  return {
    copy,
    leftovers,
    run,
    isInterrupted: () => interruption.signal.aborted,
    /** Runs a test in the copy: red if it ran to its end and something of it failed. */
    test: async (file: string): Promise<Ended & { isRed: boolean }> => {
      const ended = await run(process.execPath, ['test/run.ts', '--only', file])
      const { code, output, isTooLong } = ended
      return { ...ended, isRed: code === 1 && /, [1-9]\d* failed/.test(output) && !isTooLong }
    },
    close: async (): Promise<void> => {
      for (const folder of [copy, leftovers])
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
