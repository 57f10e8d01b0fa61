import assert from 'node:assert/strict'

const lookEveryMs = 2
// Below what a payer notices; a piece of work of one merchant is to take a fifth of it.
const workMsMax = 50
// On a slow or busy machine every piece of work is longer, and so is all of it.
const partMax = 1 / 2
// What takes too long takes it each time; garbage of the tests before is collected once.
const triesMax = 3

/**
 * Fails if this thread worked too long without a turn for anything else while something was done,
 * each time that it was: by its processor time, which is what payments would have waited for on a
 * machine of its own.
 */
export async function assertGivesTurns(work: () => unknown): Promise<void> {
  const texts: string[] = []
  while (texts.length < triesMax) {
    const { longestMs, allMs } = await measure(work)
    if (longestMs < Math.max(workMsMax, allMs * partMax)) return
    texts.push(`everything else waited for ${longestMs} of ${allMs} ms`)
  }
  assert.fail(texts.join(', '))
}

async function measure(work: () => unknown): Promise<{ longestMs: number; allMs: number }> {
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
  return { longestMs, allMs }
}
