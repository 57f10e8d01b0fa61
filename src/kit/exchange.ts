import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** One request, and how much is read of its answer. */
export interface ExchangeOptions extends Dispatcher.DispatchOptions {
  /** Wall time from the call to the last byte of the answer. */
  deadlineMs: number
  /** No more of an answer is read. */
  bytesMax: number
  /** What an answer is that is longer: lost, or cut off there. */
  whenLonger: 'lost' | 'cut'
}

/** A whole answer came, or as much of it as is read. */
export interface Answered {
  kind: 'answered'
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** No whole answer came. */
export interface Unanswered {
  /** `not_sent`: proof that not one byte left. `lost`: it may have arrived. */
  kind: 'not_sent' | 'lost'
  problem: Error
  /** What had been said before it broke off. */
  status: number | null
  headers: IncomingHttpHeaders
}

/** What became of a request. */
export type Exchanged = Answered | Unanswered

/** The deadline has passed. */
export class TooLate extends Error {
  override name = 'TooLate'
}

/** Sends one request, once, and reads its answer. Whatever happens it ends, and never throws. */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<Exchanged> {
  return new Promise((resolve) => {
    const handler = new Exchange(options, resolve)
    try {
      dispatcher.dispatch(options, handler)
    } catch (problem) {
      handler.fail(problem as Error)
    }
  })
}

/**
 * One request on its way. undici calls `onRequestStart` right before it writes the first byte, so
 * what ends before that was never sent, whatever the reason.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #resolve: (exchanged: Exchanged) => void
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isDone = false
  #status: number | null = null
  #headers: IncomingHttpHeaders = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(options: ExchangeOptions, resolve: (exchanged: Exchanged) => void) {
    const { deadlineMs } = options
    this.#options = options
    this.#resolve = resolve
    const giveUp = () => this.fail(new TooLate(`no answer within ${deadlineMs} ms`))
    // When it was this process that stood still, an answer that came meanwhile is read first.
    this.#timer = setTimeout(() => setImmediate(giveUp), deadlineMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here keeps it from being written: too late, or a second time by the library itself.
    if (this.#isDone || this.#controller !== undefined) throw new Error('not to be sent')
    this.#controller = controller
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { bytesMax, whenLonger } = this.#options
    this.#bytes += chunk.length
    if (this.#bytes <= bytesMax) this.#chunks.push(chunk)
    else if (whenLonger === 'lost') this.fail(new Error(`an answer over ${bytesMax} bytes`))
    else {
      this.#chunks.push(chunk.subarray(0, bytesMax - this.#bytes))
      this.onResponseEnd()
      this.#controller?.abort(new Error('enough was read'))
    }
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks)
    const body = bytes?.toString('utf8') ?? ''
    this.#end({ kind: 'answered', status: this.#status ?? 0, headers: this.#headers, body })
  }

  onResponseError(_: Dispatcher.DispatchController, problem: Error): void {
    this.fail(problem)
  }

  fail(problem: Error): void {
    if (this.#isDone) return
    const kind = this.#controller === undefined ? 'not_sent' : 'lost'
    this.#end({ kind, problem, status: this.#status, headers: this.#headers })
    this.#controller?.abort(problem)
  }

  #end(exchanged: Exchanged): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#resolve(exchanged)
  }
}
