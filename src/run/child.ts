import { once } from 'node:events'
import type { Config } from '../config/config.ts'
import { batched } from '../db/batch.ts'
import { openPool } from '../db/server.ts'
import type { PeerProcesses, RateCount } from '../http/peer-processes.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { Problem } from '../kit/problem.ts'
import type { FromMember, Orders, ToMember } from './messages.ts'
import type { Member } from './process.ts'
import { startMember } from './process.ts'

/** One of several processes behind a port, until it is told or asked to stop. */
export async function joinCluster(config: Config, asked: AbortSignal): Promise<never> {
  const log = openLog(config.logLevel)
  const opened = new AsyncDisposableStack()
  const line = openLine()
  const isAsked = asked.aborted ? Promise.resolve() : once(asked, 'abort')
  try {
    const { orders, peers } = await line.begin()
    const { role, labUrl, port, publicUrl, payUrl } = orders
    const db = openPool(orders.databaseUrl)
    opened.defer(() => db.close())
    const own = { ...config, port, publicUrl, payUrl }
    const parts = { config: own, role, db, clock: systemClock, log, labUrl, peers }
    const member = await startMember(parts, opened)
    line.show(member)
    const linkUrl = orders.isFirst ? await member.makeLink() : null
    await say({ kind: 'ready', url: member.url, linkUrl })
  } catch (problem) {
    const { message, stack } = problem as Error
    const sentence = problem instanceof Problem ? message : (stack ?? message)
    await say({ kind: 'failed', sentence })
    await opened.disposeAsync()
    process.exit(1)
  }
  await Promise.race([isAsked, line.isOver])
  await opened.disposeAsync()
  process.exit(0)
}

/** The line to the process that leads. When it breaks, Node ends this process by itself. */
function openLine() {
  const start = Promise.withResolvers<Orders>()
  const over = Promise.withResolvers<void>()
  const waiting = new Map<number, (answer: ToMember) => void>()
  let asked = 0
  let registry: Member['registry'] | undefined

  function ask(word: (id: number) => FromMember): Promise<ToMember> {
    asked += 1
    const { promise, resolve } = Promise.withResolvers<ToMember>()
    waiting.set(asked, resolve)
    void say(word(asked))
    return promise
  }

  async function tellFigures(id: number): Promise<void> {
    await say({ kind: 'figures', id, figures: (await registry?.getMetricsAsJSON()) ?? [] })
  }

  process.on('message', (word: ToMember) => {
    if (word.kind === 'start') start.resolve(word)
    else if (word.kind === 'stop') over.resolve()
    else if (word.kind === 'figures') void tellFigures(word.id)
    else {
      waiting.get(word.id)?.(word)
      waiting.delete(word.id)
    }
  })

  const countAll = batched(
    async (hits: { key: string; windowMs: number }[]): Promise<RateCount[]> => {
      const answer = await ask((id) => ({ kind: 'count', id, hits }))
      return answer.kind === 'counted' ? answer.counts : []
    },
  )
  const peers: PeerProcesses = {
    countRate: (key, windowMs) => countAll({ key, windowMs }),
    readMetrics: async () => {
      const answer = await ask((id) => ({ kind: 'gather', id }))
      return answer.kind === 'gathered' ? answer.text : ''
    },
  }
  return {
    isOver: over.promise,
    /** Lets others see the figures of this process. */
    show: (member: Member) => {
      registry = member.registry
    },
    begin: async () => {
      await say({ kind: 'hello' })
      return { orders: await start.promise, peers }
    },
  }
}

/** Says it; answers once it is on its way. */
function say(word: FromMember): Promise<void> {
  return new Promise((resolve) => void process.send?.(word, () => resolve()))
}
