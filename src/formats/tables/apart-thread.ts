/*
 * The thread of `readApart`: asks for the bytes of a file, and hands on what is read of it. Each
 * side waits for the other, so that neither gathers more than one message.
 */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { TableProblem } from './table.ts'

/** An exported generator of a module: `(stream, ...args) => items`. */
export interface Work {
  module: string
  name: string
  args: unknown[]
}

/** What the thread says. */
export type Question =
  | { kind: 'bytes' }
  | { kind: 'items'; items: unknown[] }
  | { kind: 'problem'; text: string; values: Record<string, string | number> }
  | { kind: 'over' }

/** What it is answered. */
export type Answer = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'end' } | { kind: 'go on' }

type Generate = (stream: AsyncIterable<Uint8Array>, ...args: unknown[]) => AsyncIterable<unknown>

const lowPriority = 10
const itemsAtOnce = 200

const port = parentPort
if (port === null) throw new Error('this is a thread')
// On Linux a thread has a priority of its own; elsewhere this would slow the whole process down.
if (process.platform === 'linux') setPriority(lowPriority)

const { module, name, args } = workerData as Work
try {
  const { [name]: generate } = (await import(module)) as Record<string, Generate | undefined>
  if (generate === undefined) throw new Error(`${module} has no ${name}`)
  let items: unknown[] = []
  for await (const item of generate(askedFor(), ...args)) {
    items.push(item)
    if (items.length < itemsAtOnce) continue
    await ask({ kind: 'items', items })
    items = []
  }
  if (items.length > 0) await ask({ kind: 'items', items })
  port.postMessage({ kind: 'over' } satisfies Question, [])
} catch (problem) {
  if (!(problem instanceof TableProblem)) throw problem
  const { text, values } = problem
  port.postMessage({ kind: 'problem', text, values } satisfies Question, [])
}

async function* askedFor(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const answer = await ask({ kind: 'bytes' })
    if (answer.kind !== 'bytes') return
    yield answer.bytes
  }
}

async function ask(question: Question): Promise<Answer> {
  port?.postMessage(question, [])
  const [answer] = (await once(port as NonNullable<typeof port>, 'message')) as [Answer]
  return answer
}
