import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Experiment, Finding } from '../experiment.ts'
import { spread } from '../figures.ts'
import { readJournal } from '../journal.ts'
import type { Load } from '../load.ts'
import type { Pair } from '../pair.ts'
import { findInstalled, openPair, signalAll } from '../pair.ts'
import type { World } from '../world.ts'

const rate = 60
const paymentsBetween = 300

let pair: Pair | undefined

/** O2: the primary dies or freezes under load, and its standby takes over by the scripts. */
export const failover: Experiment = {
  name: 'failover',
  proves: 'the loss of the primary and the promotion of its synchronous standby lose nothing',
  full: '20 failovers, by kill -9 and by freezing in turn, at 60 payments a second',
  isImpossible: async () =>
    findInstalled() === undefined ? 'no PostgreSQL with pg_rewind is installed' : undefined,
  prepare: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-pair-'))
    await chmod(folder, 0o711)
    const opened = await openPair(folder)
    pair = opened
    options.ownPostgres = opened.server
    options.environment = { ...options.environment, DATABASE_URL: opened.bothUrl }
    return async () => {
      await opened.server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
  run: async (world, size) => {
    if (pair === undefined) throw new Error('the pair was not prepared')
    // An even number: those who watch from outside are left with the server they know.
    const times = 2 * Math.ceil(size.count(2, 20) / 2)
    const load = world.startLoad({ plan: 'payments', rate, seconds: 7200 })
    const harms: Harm[] = []
    for (let turn = 1; turn <= times; turn += 1) harms.push(await failOver(world, pair, load, turn))
    await load.reaches(paymentsBetween)
    load.stop()
    const { acknowledged, sent, statuses } = await load.ended
    return [
      { what: 'failovers', value: String(times) },
      { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
      { what: 'requests, by status', value: `${sent}: ${JSON.stringify(statuses)}` },
      ...(await timesOf(world, harms)),
    ]
  },
}

interface Harm {
  kind: 'killed' | 'frozen'
  atMs: number
  /** How long the script of the promotion took. */
  promotionMs: number
}

async function failOver(world: World, pair: Pair, load: Load, turn: number): Promise<Harm> {
  const { killer, say } = world
  const [old, next] = [pair.primary(), pair.standby()]
  await load.reaches(paymentsBetween)
  const kind = turn % 2 === 1 ? 'killed' : 'frozen'
  say(`failover ${turn}: ${old.name} is ${kind}`)
  killer.note(kind, old.name, ...old.pids())
  if (kind === 'killed') process.kill(old.postmaster(), 'SIGKILL')
  else signalAll(old, 'SIGSTOP')
  // To find the processes takes a moment in which the server still answers.
  const atMs = Date.now()
  await next.run('promote')
  const promotionMs = Date.now() - atMs
  killer.note('promoted', next.name)
  pair.exchange()
  await load.reaches(paymentsBetween)
  await old.run('rejoin')
  await next.run('synchronous', 'on')
  killer.note('rejoined', old.name)
  return { kind, atMs, promotionMs }
}

/** From the harm to the first 201 of a request that was sent after it, by the client's journal. */
async function timesOf({ folder }: World, harms: Harm[]): Promise<Finding[]> {
  const sentMs = new Map<unknown, number>()
  const waits = harms.map(() => Number.POSITIVE_INFINITY)
  for await (const [kind, n, at, status] of readJournal(join(folder, 'client-1.ndjson'))) {
    if (kind === 'sent') sentMs.set(n, Number(at))
    if (kind !== 'answer' || status !== 201) continue
    const asked = sentMs.get(n) ?? 0
    const turn = harms.findLastIndex(({ atMs }) => asked > atMs)
    const harm = harms[turn]
    if (harm) waits[turn] = Math.min(waits[turn] ?? 0, Number(at) - harm.atMs)
  }
  const of = (kind: string) => waits.filter((_, turn) => harms[turn]?.kind === kind)
  return [
    { what: 'killed, until the next 201 (median, slowest)', value: spread(of('killed')) },
    { what: 'frozen, until the next 201 (median, slowest)', value: spread(of('frozen')) },
    {
      what: 'the script of the promotion (median, slowest)',
      value: spread(harms.map(({ promotionMs }) => promotionMs)),
    },
  ]
}
