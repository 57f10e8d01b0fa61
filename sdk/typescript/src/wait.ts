import { sleep } from './back-off.ts'
import { ApiError, NotFinalError, PasserelleError } from './errors.ts'
import type { OpenStream } from './exchange.ts'
import { isFinal, type Payment } from './records.ts'
import { follow } from './stream.ts'

export interface WaitOptions {
  /** When to give up with a NotFinalError; two minutes if left out. */
  timeoutMs?: number
  signal?: AbortSignal
}

interface Parts {
  openStream: OpenStream
  /** Looks the payment up, once. */
  lookUp: (signal: AbortSignal) => Promise<Payment>
}

const usualTimeoutMs = 120_000
// Until the stream tells of an end it is only asked for now and then.
const [firstPollMs, longestPollMs] = [500, 5000]
const streamOpensWithinMs = 2000

/** Waits until the gateway says that a payment has ended; never longer than the caller wants. */
export async function waitUntilFinal(
  id: string,
  { openStream, lookUp }: Parts,
  { timeoutMs = usualTimeoutMs, signal }: WaitOptions,
): Promise<Payment> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const until = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal])
  const { opened, told, heard } = listenFor(id, openStream, until)
  let seen: Payment | undefined
  try {
    // First the stream, then the lookup: an end between the two is told by one of them.
    await Promise.race([opened, sleep(streamOpensWithinMs, until)])
    for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
      seen = (await unlessLost(lookUp(until))) ?? seen
      if (seen !== undefined && isFinal(seen.status)) return seen
      await Promise.race([...(heard.end ? [] : [told]), sleep(pollMs, until)])
    }
  } catch (error) {
    if (limit.signal.aborted && !signal?.aborted) throw new NotFinalError(seen)
    throw error
  } finally {
    clearTimeout(timer)
    limit.abort()
  }
}

/** The payment; nothing when the gateway could not be asked, which another try may mend. */
async function unlessLost(looking: Promise<Payment>): Promise<Payment | undefined> {
  try {
    return await looking
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status < 500 && error.status !== 429
    if (isRefusal || !(error instanceof PasserelleError)) throw error
    return undefined
  }
}

/** Follows the stream for the end of one payment, by its id or yours; polling does without it. */
function listenFor(id: string, openStream: OpenStream, signal: AbortSignal) {
  const heard = { end: false }
  const { promise: opened, resolve: onOpen } = deferred()
  const { promise: told, resolve: onEnd } = deferred()
  const listen = async () => {
    const events = follow({ openStream, tries: 2, after: undefined, signal, onOpen })
    for await (const { event } of events)
      if (event.id === id || event.externalTransactionId === id) {
        heard.end = true
        onEnd()
      }
  }
  listen().catch(onOpen)
  return { opened, told, heard }
}

/** A promise, and what resolves it; Promise.withResolvers is not everywhere yet. */
function deferred() {
  let settle: (() => void) | undefined
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: () => settle?.() }
}
