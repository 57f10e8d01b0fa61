import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTalking } from '../child.ts'
import type { Experiment } from '../experiment.ts'
import { quantile, spread } from '../figures.ts'
import { readJournal } from '../journal.ts'
import { fundAll } from '../merchants.ts'
import type { World } from '../world.ts'

const collections = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]

/** W2: those who deliver are killed while they deliver. */
export const deliveries: Experiment = {
  name: 'deliveries',
  proves: 'processes that are killed while they deliver webhooks lose none',
  full: '100,000 events, 200 kills',
  run: async (world, size) => {
    await fundAll(world)
    const rate = size.rate(200)
    const events = size.count(1500, 100_000)
    const kills = size.count(4, 200)
    // Payments come until the last kill, however long the processes take to start again.
    const seconds = (10 * events) / rate
    const load = world.startLoad({ plan: 'payments', rate, seconds, choices: collections })
    await load.reaches(1)
    for (let kill = 0; kill < kills; kill += 1) {
      world.say(`kill ${kill + 1} of ${kills}`)
      const gateway = world.gateways[kill % world.gateways.length]
      await sleep(((events * 1000) / rate / kills) * (0.3 + 0.4 * world.random(kill)))
      if (gateway !== undefined) await world.killer.killGateway(gateway)
    }
    const more = events - load.progress().acknowledged
    if (more > 0) await load.reaches(more)
    load.stop()
    const { acknowledged } = await load.ended
    const times = world.killer.recoveries.map(({ readyMs }) => readyMs)
    return [
      { what: 'acknowledged', value: String(acknowledged), isGood: acknowledged >= events },
      { what: 'kills', value: `${times.length}; ready again (median, slowest) ${spread(times)}` },
    ]
  },
}

const hostileNames = [
  'header-drip',
  'body-drip',
  'endless-body',
  'redirect-loop',
  'reset',
  'silent',
]
const attemptMsMax = 15_000
const bytesMax = 65_536

/** W5: receivers that drip, flood, redirect in a circle and reset. */
export const hostile: Experiment = {
  name: 'hostile',
  proves: 'a hostile receiver costs at most 15 s and 64 KiB an attempt, and delays nobody else',
  full: '1,000 events to each of six hostile receivers beside a good one',
  exempt: { delivered: 'hostile receivers keep no journal of what they got' },
  run: async (world, size) => {
    await fundAll(world)
    const { urls, read } = await startHostile(world, hostileNames)
    const rate = 60
    const seconds = size.count(360, 6000) / rate
    const usual = world.startLoad({ plan: 'payments', rate: 20, seconds, choices: collections })
    const more = { webhookUrls: Object.values(urls) }
    const load = world.startLoad({ plan: 'payments', rate, seconds, choices: collections, more })
    await Promise.all([usual.ended, load.ended])
    await sleep(attemptMsMax + 2000)
    const ended = await read()
    return hostileNames.map((name) => {
      const own = ended.filter((one) => one.name === name)
      const slowest = Math.max(0, ...own.map(({ tookMs }) => tookMs))
      const most = Math.max(0, ...own.map(({ bytes }) => bytes))
      // What the socket's buffers hold is written, and never read by the other side.
      const bytesGood = name === 'endless-body' ? most < 16 * 2 ** 20 : most <= bytesMax
      return {
        what: name,
        value: `${own.length} connections, longest ${slowest} ms, at most ${most} bytes written`,
        isGood: own.length > 0 && slowest <= attemptMsMax + 1000 && bytesGood,
      }
    })
  },
}

const healthyCount = 50
const warmUpSeconds = 8

/** W4: healthy receivers beside dead, dripping and bursting ones. */
export const neighbours: Experiment = {
  name: 'neighbours',
  proves: 'dead, dripping and bursting receivers delay no healthy one beyond a second',
  full: '50 healthy receivers beside 10 dead, 10 dripping and 5 with 20,000 events',
  exempt: { delivered: 'dead and dripping receivers keep no journal of what they got' },
  run: async (world, size) => {
    await fundAll(world)
    const seconds = size.seconds(8, 60)
    const healthy = receivers(world, { count: healthyCount, network: 1, path: '/events' })
    const pay = (rate: number, webhookUrls: string[], lasting = seconds) =>
      world.startLoad({
        plan: 'payments',
        rate,
        seconds: lasting,
        choices: collections,
        more: { webhookUrls },
      })
    await pay(50, healthy, warmUpSeconds).ended
    const during = async (phase: () => Promise<unknown>) => {
      const fromMs = Date.now()
      await phase()
      await sleep(3000)
      return receiptMs(world, fromMs)
    }
    const burstRate = Math.max(20, Math.round(size.count(800, 20_000) / seconds))
    const bursting = receivers(world, { count: 5, network: 2, path: '/burst' })
    const others = receivers(world, { count: 25, network: 3, path: '/others' })
    const aloneMs = await during(() => pay(50, healthy).ended)
    // The same payments with good receivers only: what is slower then is so because of the load.
    const usualMs = await during(() =>
      Promise.all([pay(50, healthy).ended, pay(40 + burstRate, others).ended]),
    )
    const bad = Array.from({ length: 10 }, (_, index) => [`dead-${index}`, `body-drip-${index}`])
    const { urls } = await startHostile(world, bad.flat())
    const badMs = await during(() =>
      Promise.all([
        pay(50, healthy).ended,
        pay(40, Object.values(urls)).ended,
        pay(burstRate, bursting).ended,
      ]),
    )
    const [usualP99, badP99] = [quantile(usualMs, 0.99), quantile(badMs, 0.99)]
    return [
      { what: 'p99 from commit to receipt, alone', value: `${quantile(aloneMs, 0.99)} ms` },
      { what: 'p99 beside as many payments of good receivers', value: `${usualP99} ms` },
      {
        what: 'p99 beside bad receivers and bursts',
        value: `${badP99} ms of ${badMs.length} events`,
        isGood: badP99 <= 1000 && badP99 <= 2 * usualP99,
      },
    ]
  },
}

/** Addresses of the good receiver, each a host of its own for the gateway. */
function receivers(
  { receiver }: World,
  { count, network, path }: { count: number; network: number; path: string },
): string[] {
  return Array.from({ length: count }, (_, index) => {
    const host = `127.0.${network}.${index + 1}`
    return `${receiver.url.replace('127.0.0.1', host)}${path}`
  })
}

async function startHostile(world: World, names: string[]) {
  const journalPath = join(world.folder, 'hostile.ndjson')
  const child = startTalking(
    { name: 'hostile', file: 'hostile-receiver.ts' },
    { journalPath, names },
  )
  world.onClose(() => child.end('SIGKILL'))
  const urls = (await child.next()) as Record<string, string>
  const read = async () => {
    const ended: { name: string; tookMs: number; bytes: number }[] = []
    for await (const [, , name, tookMs, bytes] of readJournal(journalPath))
      ended.push({ name: String(name), tookMs: Number(tookMs), bytes: Number(bytes) })
    return ended
  }
  return { urls, read }
}

/** How long events of healthy receivers took from their commit to their first receipt. */
async function receiptMs(world: World, fromMs: number): Promise<number[]> {
  const first = new Map<string, number>()
  for await (const [, at, path, id] of readJournal(join(world.folder, 'received.ndjson')))
    if (path === '/events' && !first.has(String(id))) first.set(String(id), Number(at))
  const { rows } = await world.db.query<{ id: string; at: Date }>(
    'select id, created_at as at from events where created_at >= $1',
    [new Date(fromMs)],
  )
  return rows.flatMap(({ id, at }) => {
    const arrived = first.get(`evt_${id}`)
    return arrived === undefined ? [] : [arrived - at.getTime()]
  })
}
