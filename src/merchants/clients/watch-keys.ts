import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import { isAddressAllowed } from './allowed-addresses.ts'
import { type Caller, findCallers } from './key-store.ts'

/** A key that something uses for longer than a request. */
export interface WatchedKey {
  /** Aborted once the key may not be used any more; its reason is a sentence. */
  ended: AbortSignal
  /** Ends the watch. */
  leave(): void
}

/** Watches the key of a caller who calls from this address. */
export type WatchKey = (caller: Caller, address: string) => WatchedKey

interface Watch {
  caller: Caller
  address: string
  ending: AbortController
}

// Twice a second: an end is noticed within a second, in whatever process it was decided.
const checkMs = 500
const endedReason = 'this key is no longer valid'

/**
 * Checks all keys that are watched by one statement each time, however many they are, and by none
 * while there are none. While the database cannot be reached, nothing ends.
 */
export function openKeyWatch({ db, clock, log }: DbParts & { log: Log }): WatchKey {
  const watches = new Set<Watch>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  async function check(): Promise<void> {
    const asked = [...watches]
    const hashes = new Set(asked.map(({ caller }) => caller.secretHash))
    const buffers = [...hashes].map((hash) => Buffer.from(hash, 'hex'))
    const found = await findCallers(db, buffers, clock.now())
    const byHash = new Map(found.map((caller) => [caller.secretHash, caller]))
    for (const { caller, address, ending } of asked)
      if (!isStill(caller, byHash.get(caller.secretHash), address)) ending.abort(endedReason)
  }

  function checkOnce(): void {
    if (isChecking) return
    isChecking = true
    check()
      .catch((problem: unknown) => log.warn({ err: problem }, 'keys could not be checked'))
      .finally(() => {
        isChecking = false
      })
  }

  return (caller, address) => {
    const watch = { caller, address, ending: new AbortController() }
    watches.add(watch)
    timer ??= setInterval(checkOnce, checkMs).unref()
    return {
      ended: watch.ending.signal,
      leave: () => {
        watches.delete(watch)
        if (watches.size > 0) return
        clearInterval(timer)
        timer = undefined
      },
    }
  }
}

/** Whether a key that was valid is so now, from the same address and to read the same records. */
function isStill(then: Caller, now: Caller | undefined, address: string): boolean {
  return (
    now !== undefined &&
    now.scope === then.scope &&
    now.rights.includes('read') &&
    isAddressAllowed(now.allowedAddresses, address)
  )
}
