import { writeSync } from 'node:fs'
import { monotonicMs } from './clock.ts'

// Writes of this size to a pipe are atomic, so that lines of several processes do not mix.
const chunkBytesMax = 4096
const chunkBytesUsual = chunkBytesMax / 2
// What waits for a reader that has stopped reading; lines beyond it are dropped.
const waitingBytesMax = 1024 * 1024
const flushEveryMs = 100
// At the exit, for a reader that is slow.
const lastFlushMs = 500
const lastFlushPauseMs = 10

/** Where log lines go. It never blocks, throws or ends the process: what it cannot write it drops. */
export interface LogOutput {
  /** Takes a line; it is written within 100 ms. */
  write(line: string): void
  /** Writes now what can be written. */
  flush(): void
  /** How many lines were dropped. */
  dropped(): number
}

interface Chunk {
  bytes: Buffer
  lines: number
  /** Whether some of it was written. */
  isCut: boolean
}

/** Standard output. A full disk and a closed pipe drop lines at once, a blocked pipe after 1 MiB. */
export function openLogOutput(): LogOutput {
  // Opening these streams makes pipes and sockets non-blocking, and without a listener an error of a
  // stream ends the process. Files are not non-blocking, but do not wait for anybody either.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  let text = ''
  let textBytes = 0
  let textLines = 0
  const waiting: Chunk[] = []
  let waitingBytes = 0
  let dropped = 0
  let mustEndLine = false

  function closeChunk(): void {
    if (textLines === 0) return
    waiting.push({ bytes: Buffer.from(text), lines: textLines, isCut: false })
    waitingBytes += textBytes
    text = ''
    textBytes = 0
    textLines = 0
  }

  /** False: the reader is slow, and the rest has to wait. */
  function writeChunk(chunk: Chunk): boolean {
    try {
      if (mustEndLine) mustEndLine = writeSync(1, '\n') !== 1
      const written = writeSync(1, chunk.bytes)
      waitingBytes -= written
      chunk.isCut ||= written < chunk.bytes.length
      chunk.bytes = chunk.bytes.subarray(written)
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code === 'EAGAIN') return false
      dropped += chunk.lines
      waitingBytes -= chunk.bytes.length
      // The next line must not continue the one that was cut off.
      mustEndLine ||= chunk.isCut
      chunk.bytes = Buffer.alloc(0)
    }
    return true
  }

  function flush(): void {
    closeChunk()
    for (let [chunk] = waiting; chunk !== undefined; [chunk] = waiting) {
      if (!writeChunk(chunk)) return
      if (chunk.bytes.length === 0) waiting.shift()
    }
  }

  function flushLast(): void {
    const untilMs = monotonicMs() + lastFlushMs
    const pause = new Int32Array(new SharedArrayBuffer(4))
    for (flush(); waiting.length > 0 && monotonicMs() < untilMs; flush())
      Atomics.wait(pause, 0, 0, lastFlushPauseMs)
  }

  setInterval(flush, flushEveryMs).unref()
  process.on('exit', flushLast)
  return {
    write: (line) => {
      const bytes = Buffer.byteLength(line)
      if (waitingBytes + textBytes + bytes > waitingBytesMax) {
        dropped += 1
        return
      }
      if (textBytes + bytes > chunkBytesMax) closeChunk()
      text += line
      textBytes += bytes
      textLines += 1
      if (textBytes >= chunkBytesUsual) flush()
    },
    flush,
    dropped: () => dropped,
  }
}
