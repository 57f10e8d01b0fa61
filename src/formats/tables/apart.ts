import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { monotonicMs } from '#base/kit/clock.ts'
import type { Answer, Question, Work } from './apart-thread.ts'
import { TableProblem } from './table.ts'

// What a reader keeps is bounded by its limits; this is far above them.
const memoryMegabytesMax = 512
// Between two blocks of a file, of at most some megabytes.
const stepMsMax = 60_000
// All of them, without the time of whoever takes the rows: gigabytes take minutes.
const fileMsMax = 1_800_000

const tooSlow = 'The file takes too long to be read: send a smaller one'
const tooLarge = 'The file takes too much memory to be read: send a smaller one'

/**
 * Reads or writes a file in a thread of its own, of low priority, so that payments do not wait for
 * it. `work` names an exported generator of a module, which gets the parts of the stream, such as
 * bytes or rows, and `args`, and whose items come back in their order. Ends the thread when the
 * reader stops early, or the stream fails because its sender has left.
 */
export async function* runApart<Item>(
  work: Work,
  stream: AsyncIterable<unknown>,
): AsyncGenerator<Item> {
  const source = stream[Symbol.asyncIterator]()
  const thread = new Worker(new URL('apart-thread.ts', import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
  })
  const giveUp = new AbortController()
  let [leftMs, sinceMs] = [fileMsMax, monotonicMs()]
  let timer = setTimeout(() => giveUp.abort(), stepMsMax)
  const answer = (given: Answer, moved: ArrayBuffer[] = []) => {
    clearTimeout(timer)
    timer = setTimeout(() => giveUp.abort(), Math.min(stepMsMax, leftMs))
    sinceMs = monotonicMs()
    thread.postMessage(given, moved)
  }
  try {
    const questions = on(thread, 'message', { close: ['exit'], signal: giveUp.signal })
    for await (const [question] of questions as AsyncIterable<[Question]>) {
      leftMs -= monotonicMs() - sinceMs
      if (question.kind === 'items') {
        yield* question.items as Item[]
        answer({ kind: 'go on' })
      } else if (question.kind === 'next') {
        const { done, value } = await source.next()
        if (done === true) answer({ kind: 'end' })
        else if (value instanceof Uint8Array) {
          // Of its own: with a part of a larger buffer the whole of it would be copied.
          const bytes = new Uint8Array(value)
          answer({ kind: 'part', part: bytes }, [bytes.buffer])
        } else answer({ kind: 'part', part: value })
      } else if (question.kind === 'problem') throw new TableProblem(question.text, question.values)
      else return
    }
    throw new Error('the thread ended before its file')
  } catch (problem) {
    if (giveUp.signal.aborted) throw new TableProblem(tooSlow)
    if ((problem as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new TableProblem(tooLarge)
    throw problem
  } finally {
    clearTimeout(timer)
    await thread.terminate()
    await source.return?.()
  }
}
