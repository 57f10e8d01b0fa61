import { delayAfter, sleep } from './back-off.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { judge, type OpenStream } from './exchange.ts'
import type { FeedEvent } from './interface.ts'

// The gateway sends something at least every 15 s.
const silenceMs = 45_000

interface Following {
  openStream: OpenStream
  tries: number
  after: string | undefined
  signal: AbortSignal | undefined
  /** Told when the stream is open: whatever happens from then on is sent. */
  onOpen?: () => void
}

/** Where a stream goes on, and how many connections in a row have told nothing. */
interface Place {
  after: string | undefined
  failures: number
}

/**
 * Events as they come. Connects again after the last one, until `tries` connections in a row have
 * told nothing: one that only says that it is open is a good one.
 */
export async function* follow(following: Following): AsyncGenerator<FeedEvent, void, undefined> {
  const { tries, signal } = following
  const place: Place = { after: following.after, failures: 0 }
  for (;;) {
    place.failures += 1
    let problem: ApiError | ConnectionError = new ConnectionError('The stream ended')
    try {
      yield* connectOnce(following, place)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      const isAnswer = cause instanceof ApiError
      if (isAnswer && cause.status < 500 && !passing.has(cause.status)) throw cause
      problem = isAnswer ? cause : new ConnectionError('The stream broke off', { cause })
    }
    const { failures } = place
    const delayMs = failures < tries ? delayAfter(Math.max(0, failures - 1), problem) : undefined
    if (delayMs === undefined) throw problem
    await sleep(delayMs, signal)
  }
}

// Asked too slowly, or too often.
const passing = new Set([408, 429])

/** The events of one connection; keeps the place that it has come to. */
async function* connectOnce(
  { openStream, signal, onOpen }: Following,
  place: Place,
): AsyncGenerator<FeedEvent, void, undefined> {
  const silence = new AbortController()
  const signals = signal === undefined ? [silence.signal] : [silence.signal, signal]
  let watch: ReturnType<typeof setTimeout> | undefined
  const expectMore = () => {
    clearTimeout(watch)
    watch = setTimeout(() => silence.abort(), silenceMs)
  }
  try {
    expectMore()
    const response = await openStream(place.after, AbortSignal.any(signals))
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (response.status !== 200 || !isStream || response.body === null) {
      const outcome = judge(response, await response.text())
      throw outcome.kind === 'success' ? new ConnectionError('No stream') : outcome.error
    }
    onOpen?.()
    for await (const block of readBlocks(response.body, expectMore)) {
      const { id, data } = readFields(block)
      place.failures = 0
      // The first block has no event: it tells the place to resume at.
      place.after = id ?? place.after
      if (data !== '') yield JSON.parse(data) as FeedEvent
    }
  } finally {
    clearTimeout(watch)
    silence.abort()
  }
}

/** The blocks of a text that empty lines end. */
async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  onPart: () => void,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onPart()
    text += decoder.decode(value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

function readFields(block: string): { id: string | undefined; data: string } {
  const valuesOf = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart())
  return { id: valuesOf('id').at(-1), data: valuesOf('data').join('\n') }
}
