import { execFileSync } from 'node:child_process'
import { close, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const threads = 16

/**
 * Occupies every thread of this process's pool, as name servers that never answer do, until the
 * returned function is called: opening a pipe waits for its other end.
 */
export function occupyThreads(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'busy-threads-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  let waiting = threads
  const opened = (_problem: unknown, file?: number) => {
    if (file !== undefined) close(file)
    waiting -= 1
    if (waiting === 0) rmSync(folder, { recursive: true })
  }
  for (let count = 0; count < threads; count += 1) open(pipe, 'r', opened)
  let otherEnd: number | undefined
  const free = () => {
    otherEnd ??= openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  }
  after(free)
  return free
}
