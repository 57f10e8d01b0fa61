/*
 * The thread of `runApart`: asks for the parts of a stream, and hands on what is made of them. Each
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
  | { kind: 'next' }
  | { kind: 'items'; items: unknown[] }
  | { kind: 'problem'; text: string; values: Record<string, string | number> }
  | { kind: 'over' }

/** What it is answered. */
export type Answer = { kind: 'part'; part: unknown } | { kind: 'end' } | { kind: 'go on' }

type Generate = (stream: AsyncIterable<unknown>, ...args: unknown[]) => AsyncIterable<unknown>

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

async function* askedFor(): AsyncGenerator {
  for (;;) {
    const answer = await ask({ kind: 'next' })
    if (answer.kind !== 'part') return
    yield answer.part
  }
}

async function ask(question: Question): Promise<Answer> {
  port?.postMessage(question, [])
  const [answer] = (await once(port as NonNullable<typeof port>, 'message')) as [Answer]
  return answer
}
