import type { Sending } from './connection.ts'
import type { Connections } from './pool.ts'
import type { AnswerHeaders } from './response-parser.ts'

/** One request, and how much is read of its answer. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT'
  /** Begins with a slash; what is not ASCII is written in percents. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
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
  headers: AnswerHeaders
  body: string
}

/** No whole answer came. */
export interface Unanswered {
  /** `not_sent`: proof that not one byte left. `lost`: it may have arrived. */
  kind: 'not_sent' | 'lost'
  problem: Error
  /** What had been said before it broke off. */
  status: number | null
  headers: AnswerHeaders
}

/** What became of a request. */
export type Exchanged = Answered | Unanswered

/** The deadline has passed. */
export class TooLate extends Error {
  override name = 'TooLate'
}

/** Sends one request, once, and reads its answer. Whatever happens it ends, and never throws. */
export function exchange(connections: Connections, request: Request): Promise<Exchanged> {
  return new Promise((resolve) => {
    const sending = new Exchange(connections.host, request, resolve)
    const unfit = whatIsUnfit(request)
    if (unfit === undefined) connections.send(sending)
    else sending.onProblem(new Error(unfit))
  })
}

const pathForm = /^\/[\x21-\x7e]*$/
// What says how long a request is, and where it goes, is written here and nowhere else.
const nameForm = /^(?!(?:host|connection|content-length|transfer-encoding)$)[!#$%&'*+.^_`|~\w-]+$/i
const valueForm = /^[\x20-\x7e\t]*$/

/** What would be read as something else than was meant, and is therefore not sent. */
function whatIsUnfit({ path, headers }: Request): string | undefined {
  if (!pathForm.test(path)) return 'a path that cannot be written'
  for (const name in headers)
    if (!nameForm.test(name) || !valueForm.test(headers[name] ?? ''))
      return 'a header that cannot be written'
  return undefined
}

function written(host: string, { method, path, headers, body }: Request): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  if (body === undefined) return `${text}\r\n`
  return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** One request on its way: from when a connection takes it, it may have arrived. */
class Exchange implements Sending {
  readonly #host: string
  readonly #request: Request
  readonly #resolve: (exchanged: Exchanged) => void
  readonly #timer: NodeJS.Timeout
  #carrier: { cut(): void } | undefined
  #isDone = false
  #status: number | null = null
  #headers: AnswerHeaders = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(host: string, request: Request, resolve: (exchanged: Exchanged) => void) {
    this.#host = host
    this.#request = request
    this.#resolve = resolve
    // When it was this process that stood still, an answer that came meanwhile is read first.
    this.#timer = setTimeout(() => setImmediate(() => this.#giveUp()), request.deadlineMs)
  }

  take(carrier: { cut(): void }): string | undefined {
    if (this.#isDone) return undefined
    this.#carrier = carrier
    return written(this.#host, this.#request)
  }

  isWanted(): boolean {
    return !this.#isDone
  }

  onHead(status: number, headers: AnswerHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onData(bytes: Buffer): void {
    const { bytesMax, whenLonger } = this.#request
    const left = bytesMax - this.#bytes
    this.#bytes += bytes.length
    if (bytes.length <= left) this.#chunks.push(Buffer.from(bytes))
    else if (whenLonger === 'lost') this.#breakOff(new Error(`an answer over ${bytesMax} bytes`))
    else {
      this.#chunks.push(Buffer.from(bytes.subarray(0, left)))
      this.onEnd()
      this.#carrier?.cut()
    }
  }

  onEnd(): void {
    const [first, ...others] = this.#chunks
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks)
    const body = bytes?.toString('utf8') ?? ''
    this.#end({ kind: 'answered', status: this.#status ?? 0, headers: this.#headers, body })
  }

  onProblem(problem: Error): void {
    const kind = this.#carrier === undefined ? 'not_sent' : 'lost'
    this.#end({ kind, problem, status: this.#status, headers: this.#headers })
  }

  #giveUp(): void {
    if (!this.#isDone)
      this.#breakOff(new TooLate(`no answer within ${this.#request.deadlineMs} ms`))
  }

  #breakOff(problem: Error): void {
    this.onProblem(problem)
    this.#carrier?.cut()
  }

  #end(exchanged: Exchanged): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#resolve(exchanged)
  }
}
