import { writeSync } from 'node:fs'
import { monotonicMs } from '#base/kit/clock.ts'

// Writes of this size to a pipe are atomic, so that lines of several processes do not mix.
const chunkBytesMax = 4096
const chunkBytesUsual = chunkBytesMax / 2
// What waits for a reader that has stopped reading; lines beyond it are dropped.
const waitingBytesMax = 1024 * 1024
const flushEveryMs = 100
// At the exit, for a reader that is slow.
const lastFlushMs = 500
const lastFlushPauseMs = 10

interface Chunk {
  bytes: Buffer
  lines: number
  /** Whether some of it was written. */
  isCut: boolean
}

/**
 * Standard output, for a log. It never waits, throws or ends the process: what it cannot write is
 * dropped; by a full disk and a closed pipe at once, by a blocked pipe once 1 MiB waits.
 */
export class LogOutput {
  /** How many lines were dropped. */
  dropped = 0
  readonly #waiting: Chunk[] = []
  #waitingBytes = 0
  #text = ''
  #textBytes = 0
  #textLines = 0
  #mustEndLine = false

  constructor() {
    // Opening these streams makes pipes and sockets non-blocking. Without a listener an error of a
    // stream ends the process. Files stay blocking, but do not wait for anybody.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
    setInterval(() => this.flush(), flushEveryMs).unref()
    process.on('exit', () => this.#flushLast())
  }

  /** Takes a line; it is written within 100 ms. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.#waitingBytes + this.#textBytes + bytes > waitingBytesMax) {
      this.dropped += 1
      return
    }
    if (this.#textBytes + bytes > chunkBytesMax) this.#closeChunk()
    this.#text += line
    this.#textBytes += bytes
    this.#textLines += 1
    if (this.#textBytes >= chunkBytesUsual) this.flush()
  }

  /** Writes now what can be written. */
  flush(): void {
    this.#closeChunk()
    for (let [chunk] = this.#waiting; chunk !== undefined; [chunk] = this.#waiting) {
      if (!this.#writeSome(chunk)) return
      if (chunk.bytes.length === 0) this.#waiting.shift()
    }
  }

  #closeChunk(): void {
    if (this.#textLines === 0) return
    this.#waiting.push({ bytes: Buffer.from(this.#text), lines: this.#textLines, isCut: false })
    this.#waitingBytes += this.#textBytes
    this.#text = ''
    this.#textBytes = 0
    this.#textLines = 0
  }

  /** Writes or drops a part of it; false: the reader is slow, and it has to wait. */
  #writeSome(chunk: Chunk): boolean {
    try {
      if (this.#mustEndLine) this.#mustEndLine = writeSync(1, '\n') !== 1
      const written = writeSync(1, chunk.bytes)
      this.#waitingBytes -= written
      chunk.isCut ||= written < chunk.bytes.length
      chunk.bytes = chunk.bytes.subarray(written)
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code === 'EAGAIN') return false
      this.dropped += chunk.lines
      this.#waitingBytes -= chunk.bytes.length
      // The next line must not continue the one that was cut off.
      this.#mustEndLine ||= chunk.isCut
      chunk.bytes = Buffer.alloc(0)
    }
    return true
  }

  #flushLast(): void {
    const untilMs = monotonicMs() + lastFlushMs
    const pause = new Int32Array(new SharedArrayBuffer(4))
    for (this.flush(); this.#waiting.length > 0 && monotonicMs() < untilMs; this.flush())
      Atomics.wait(pause, 0, 0, lastFlushPauseMs)
  }
}
