const lookEveryMs = 2

/**
 * The longest that this thread worked without a turn for anything else while something was done, in
 * milliseconds of its processor time: what payments would have waited for on a machine of its own.
 */
export async function longestWork(work: () => unknown): Promise<number> {
  let longestMs = 0
  let since = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(since)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    since = process.threadCpuUsage()
  }
  const looking = setInterval(look, lookEveryMs)
  try {
    await work()
    look()
  } finally {
    clearInterval(looking)
  }
  return longestMs
}

/** Below what a payer notices; a piece of work of one merchant is to take a fifth of it. */
export const workMsMax = 50
