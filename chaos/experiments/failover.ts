import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificate } from '#test/certificate.ts'
import { runProxy } from '#test/haproxy.ts'
import { freePort } from '#test/listen.ts'
import { missing } from '#test/needs.ts'
import { refuseWhenStopped } from '../child.ts'
import type { Experiment, Finding, Size } from '../experiment.ts'
import { quantile, spread } from '../figures.ts'
import { readJournal } from '../journal.ts'
import type { Load } from '../load.ts'
import { signalIfThere } from '../machines.ts'
import { whyNoNetwork } from '../network.ts'
import { openPatroni, type PatroniCluster } from '../patroni.ts'
import type { Member } from '../patroni-member.ts'
import { openWitness } from '../witness.ts'
import type { World } from '../world.ts'

const rate = 60
const paymentsBetween = 300
// Callers wait as Retry-After asks them to, rather than fill both processors with refusals.
const pauseMs = 3000
const primaryMsMax = 90_000

/** What happens to the primary, or to another member; returns how that ends. */
interface Event {
  name: string
  /** Whether another member becomes primary. */
  isFailover: boolean
  /** The longest time without a 201, in the median. */
  pauseMsMax: number
  happen(cluster: PatroniCluster, primary: Member, turn: number): Promise<() => Promise<void>>
}

const quickMsMax = 8000
const machineMsMax = 35_000
const nothing = async () => {}
const hostsBut = ({ members }: PatroniCluster, one: Member) =>
  members.filter((other) => other !== one).map(({ host }) => host)

const events: Event[] = [
  {
    name: 'killed',
    isFailover: true,
    pauseMsMax: quickMsMax,
    happen: async (_, primary) => {
      signalIfThere(primary.postgres()[0] ?? 0, 'SIGKILL')
      return nothing
    },
  },
  {
    name: 'frozen',
    isFailover: true,
    pauseMsMax: machineMsMax,
    happen: async (_, primary) => {
      const pids = primary.postgres()
      for (const pid of pids) signalIfThere(pid, 'SIGSTOP')
      return async () => {
        for (const pid of pids) signalIfThere(pid, 'SIGCONT')
      }
    },
  },
  {
    name: 'power-cut',
    isFailover: true,
    pauseMsMax: machineMsMax,
    happen: async (_, primary) => {
      await primary.powerOff()
      return async () => {
        await primary.powerOn()
        primary.start()
      }
    },
  },
  {
    name: 'cut-from-members',
    isFailover: true,
    pauseMsMax: machineMsMax,
    happen: async (cluster, primary) => {
      await primary.cutFrom(hostsBut(cluster, primary))
      return primary.mend
    },
  },
  {
    name: 'cut-from-gateways',
    isFailover: false,
    pauseMsMax: machineMsMax,
    happen: async ({ ourHost }, primary) => {
      await primary.cutFrom([ourHost])
      return primary.mend
    },
  },
  {
    name: 'patroni-killed',
    isFailover: true,
    pauseMsMax: machineMsMax,
    happen: async (_, primary) => {
      await primary.patroni().end('SIGKILL')
      return async () => primary.start()
    },
  },
  {
    name: 'etcd-killed',
    isFailover: false,
    pauseMsMax: quickMsMax,
    happen: async ({ members }, _, turn) => {
      const member = members[turn % members.length]
      await member?.etcd().end('SIGKILL')
      return async () => member?.start()
    },
  },
  {
    name: 'switchover',
    isFailover: true,
    pauseMsMax: quickMsMax,
    happen: async (_, primary) => {
      await primary.patronictl('switchover', '--force', '--leader', primary.name)
      return nothing
    },
  },
]

let cluster: PatroniCluster | undefined

/** O2: what can happen to the primary of three members happens, and nobody does anything. */
export const failover: Experiment = {
  name: 'failover',
  proves:
    'the loss of the primary, of its machine or of a network loses nothing, and ends by itself',
  full: `20 times each of ${events.length} events, at 60 payments a second, behind the proxy`,
  isImpossible: async () =>
    missing('haproxy', 'iptables', 'patroni', 'pg_rewind') || (await whyNoNetwork()),
  prepare: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-patroni-'))
    await chmod(folder, 0o711)
    const opened = await openPatroni(folder)
    cluster = opened
    const port = await freePort()
    const hosts = opened.members.map(({ host }) => host)
    const proxy = await runProxy([], { database: { port, hosts } })
    const authority = join(folder, 'authority.pem')
    await writeFile(authority, certificate)
    options.ownPostgres = {
      url: opened.urlAt(`127.0.0.1:${port}`, authority),
      cluster: folder,
      pid: () => 0,
      start: nothing,
      signal: () => {},
      end: nothing,
    }
    return async () => {
      await proxy.stop()
      await opened.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
  run: async (world, size) => {
    if (cluster === undefined) throw new Error('the cluster was not prepared')
    const { members } = cluster
    const served = world.gateways.map(({ url }) => new URL(url).host)
    const proxy = await runProxy([{ cell: null, servers: served }])
    world.onClose(proxy.stop)
    const witness = await openWitness(members, await cluster.primary())
    world.onClose(async () => witness.stop())
    const more = { pauseMs }
    const gatewayUrls = [proxy.url]
    const load = world.startLoad({ plan: 'payments', rate, seconds: 36_000, gatewayUrls, more })
    await load.reaches(paymentsBetween)
    const harms: Harm[] = []
    for (const event of wanted(size))
      for (let turn = 1; turn <= size.count(1, 20); turn += 1) {
        world.say(`${event.name} ${turn}`)
        const suffering = suffer(world, { cluster, load, event, turn })
        // What the members wrote is gone with them.
        harms.push(await suffering.catch((problem) => keepLogs(world, members, problem)))
      }
    const endMs = Date.now()
    load.stop()
    const { acknowledged, sent, statuses } = await load.ended
    return [
      { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
      { what: 'requests, by status', value: `${sent}: ${JSON.stringify(statuses)}` },
      ...(await pausesOf(world, harms, endMs)),
      ...(await witness.end(await cluster.primary())),
    ]
  },
}

async function keepLogs({ folder }: World, members: Member[], problem: unknown): Promise<never> {
  for (const { name, log } of members)
    await copyFile(log, join(folder, `patroni-${name}.log`)).catch(() => {})
  throw problem
}

function wanted({ only }: Size): Event[] {
  const chosen = events.filter(({ name }) => only === undefined || name === only)
  if (chosen.length > 0) return chosen
  throw new Error(`--only is one of ${events.map(({ name }) => name).join(', ')}`)
}

interface Harm {
  event: Event
  atMs: number
}

interface Suffering {
  cluster: PatroniCluster
  load: Load
  event: Event
  turn: number
}

async function suffer({ killer }: World, suffering: Suffering): Promise<Harm> {
  const { cluster, load, event, turn } = suffering
  const old = await cluster.primary()
  killer.note(event.name, old.name)
  const atMs = Date.now()
  const end = await event.happen(cluster, old, turn)
  if (event.isFailover) killer.note('promoted', (await untilPromoted(cluster, old)).name)
  await load.reaches(paymentsBetween)
  await end()
  await cluster.untilWhole()
  killer.note('whole')
  await load.reaches(paymentsBetween)
  return { event, atMs }
}

/** Waits until the others know another primary. */
async function untilPromoted({ primary }: PatroniCluster, old: Member): Promise<Member> {
  const endMs = performance.now() + primaryMsMax
  for (;;) {
    const found = await primary(old).catch(() => undefined)
    if (found !== undefined && found !== old) return found
    if (performance.now() > endMs) throw new Error(`nobody takes over from ${old.name}`)
    refuseWhenStopped()
    await sleep(250)
  }
}

/** The longest time between two answers 201 from each harm to the next, by the client's journal. */
async function pausesOf({ folder }: World, harms: Harm[], endMs: number): Promise<Finding[]> {
  const acknowledgedMs: number[] = []
  for await (const [kind, , at, status] of readJournal(join(folder, 'client-1.ndjson')))
    if (kind === 'answer' && status === 201) acknowledgedMs.push(Number(at))
  const pauses = harms.map(({ event, atMs }, index) => {
    const untilMs = harms[index + 1]?.atMs ?? endMs
    const during = acknowledgedMs.filter((ms) => ms >= atMs && ms <= untilMs)
    const gaps = during.map((ms, one) => ms - (during[one - 1] ?? atMs))
    return { event, pauseMs: Math.max(0, ...gaps) }
  })
  return [...new Set(harms.map(({ event }) => event))].map((event) => {
    const own = pauses.filter((one) => one.event === event).map(({ pauseMs }) => pauseMs)
    return {
      what: `${event.name}, ${own.length} times: longest time without a 201 (median, worst)`,
      value: spread(own),
      isGood: quantile(own, 0.5) <= event.pauseMsMax,
    }
  })
}
