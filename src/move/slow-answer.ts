import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

// Proxies close a connection on which nothing came for a minute or so.
const usualEveryMs = 10_000

/**
 * An answer that comes soon, as it is; of one that takes longer a stream, which sends a blank now
 * and then and the answer at last: JSON may begin with blanks. A failure ends the stream early.
 */
export async function soonOrStreamed(
  answer: Promise<object>,
  everyMs = usualEveryMs,
): Promise<object> {
  const soon = await orBlank(answer, everyMs)
  return soon === ' ' ? Readable.from(blanksBefore(answer, everyMs)) : answer
}

async function* blanksBefore(answer: Promise<object>, everyMs: number): AsyncGenerator<string> {
  for (let text = ' '; text === ' '; ) {
    text = await orBlank(answer, everyMs)
    yield text
  }
}

/** The answer as JSON, or a blank if it does not come in time. */
async function orBlank(answer: Promise<object>, withinMs: number): Promise<string> {
  const timer = new AbortController()
  const late = sleep(withinMs, ' ', { signal: timer.signal }).catch(() => ' ')
  try {
    return await Promise.race([answer.then((one) => JSON.stringify(one)), late])
  } finally {
    timer.abort()
  }
}
