import assert from 'node:assert/strict'

const lookEveryMs = 2
// Below what a payer notices; a piece of work of one merchant is to take a fifth of it.
const workMsMax = 50
// On a slow or busy machine every piece of work is longer, and so is all of it.
const partMax = 1 / 2

/**
 * Fails if this thread worked too long without a turn for anything else while something was done:
 * by its processor time, which is what payments would have waited for on a machine of its own.
 */
export async function assertGivesTurns(work: () => unknown): Promise<void> {
  let [longestMs, allMs] = [0, 0]
  let since = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(since)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    allMs += (user + system) / 1000
    since = process.threadCpuUsage()
  }
  const looking = setInterval(look, lookEveryMs)
  try {
    await work()
    look()
  } finally {
    clearInterval(looking)
  }
  const text = `everything else waited for ${longestMs} of ${allMs} ms`
  assert.ok(longestMs < Math.max(workMsMax, allMs * partMax), text)
}
