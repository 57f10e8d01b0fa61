/** Thrown when nothing was tried, because every place was taken for too long. */
export class NotTried extends Error {
  override name = 'NotTried'
}

/** A number of places for each owner, so that no owner can take those of another. */
export interface Shares {
  /** Runs work in one of the owner's places; fails with `NotTried` if none becomes free in time. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
}

interface Share {
  taken: number
  waiting: Set<() => void>
}

/** Opens shares of `placesEach`; a wait for a place ends without one after `waitMsMax`. */
export function openShares(placesEach: number, waitMsMax: number): Shares {
  const shares = new Map<string, Share>()

  async function take(owner: string): Promise<void> {
    const share = shares.get(owner) ?? { taken: 0, waiting: new Set() }
    shares.set(owner, share)
    if (share.taken < placesEach) {
      share.taken += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    share.waiting.add(resolve)
    const giveUp = () => {
      if (share.waiting.delete(resolve)) reject(new NotTried(`no free place in ${waitMsMax} ms`))
    }
    const timer = setTimeout(giveUp, waitMsMax)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Gives the place to the caller that has waited longest. */
  function release(owner: string): void {
    const share = shares.get(owner)
    if (share === undefined) return
    const [next] = share.waiting
    if (next !== undefined) {
      share.waiting.delete(next)
      next()
    } else if (share.taken === 1) shares.delete(owner)
    else share.taken -= 1
  }

  return {
    run: async (owner, work) => {
      await take(owner)
      try {
        return await work()
      } finally {
        release(owner)
      }
    },
  }
}
