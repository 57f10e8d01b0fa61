import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import {
  merchantKey,
  merchantPerson,
  stranger as openStranger,
  type Party,
} from '../attack/attackers.ts'
import type { Attack } from '../attack/flood.ts'
import { type HostileFile, hostileFiles, inputsOf, slowBody } from '../attack/inputs.ts'
import { memoryMb, threadMs } from '../attack/process-cost.ts'
import { routesOfGateway } from '../attack/routes.ts'
import { attackOf, findWorst, type Worst } from '../attack/search.ts'
import { startTalking } from '../child.ts'
import type { Experiment, Finding, Size } from '../experiment.ts'
import { quantile } from '../figures.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import { latencies } from '../latencies.ts'
import { createMerchants } from '../merchants.ts'
import type { World } from '../world.ts'

const payments = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]
const funds = 100_000_000
const rate = 20
const slowerMsMax = 250
const memoryMbMax = 400
const idleMs = 3000
// What takes less of the thread than this in a second, and less time to be answered, harms nobody
// however long it goes on: some seconds show that.
const dear = { msPerSecond: 250, tookMs: 100 }
const briefSeconds = 5
// Of the attacks, in a run of the short size and in the findings.
const shortCount = 8
const shownMax = 20
// Of the forms of one flood: those that take long are fewer.
const tokensMax = 100
const slowTargets = ['/api/v1/transaction/init', '/dashboard/sign-in']

/** Anybody on the internet, without a key. */
export const stranger: Experiment = {
  name: 'stranger',
  proves: 'the worst cheap input that anybody may send holds up no payment and fills no memory',
  full: 'the worst input of every address for a minute if it is dear, else for 5 s',
  world: { gateways: 1 },
  run: async (world, size) => attack(world, size, [await openStranger(world)]),
}

/** A merchant and the people of it: with a key, and signed in as every role. */
export const neighbour: Experiment = {
  name: 'neighbour',
  proves: 'the worst cheap input of one merchant holds up no payment of another one',
  full: 'the same with a key and as each role, 20 payments a second of others beside it',
  world: { gateways: 1 },
  run: async (world, size) => {
    const rest = ['admin', 'finance', 'developer', 'support', 'viewer'] as const
    const parties = [await merchantKey(world), await merchantPerson(world, 'owner')]
    for (const role of rest.slice(0, size.count(0, rest.length)))
      parties.push(await merchantPerson(world, role))
    return attack(world, size, parties)
  },
}

interface Phase {
  name: string
  fromMs: number
  toMs: number
  /** The most that the thread was late in this time, as the gateway itself measured it. */
  lateMs: number
  /** The part of this time that the thread which serves payments worked. */
  busyShare: number
  memoryMb: number
}

interface Found extends Worst {
  party: Party
}

const alone = 'alone'

async function attack(world: World, size: Size, parties: Party[]): Promise<Finding[]> {
  const [gateway] = world.gateways
  if (gateway === undefined) throw new Error('a gateway is needed')
  const merchants = await createMerchants(world, { count: 2, funds })
  world.merchants.push(...merchants)
  const files = await hostileFiles()
  const found = await search(world, gateway, { size, parties, files })
  const load = world.startLoad({
    plan: 'payments',
    rate: size.rate(rate),
    seconds: 36_000,
    choices: payments,
    merchants,
  })
  await load.reaches(100)
  const phases: Phase[] = []
  const during = async (name: string, work: () => Promise<unknown>) => {
    phases.push(await watch(gateway, name, work))
  }
  const seconds = size.seconds(2, 60)
  const aloneMs = Math.max(5, seconds) * 1000
  await during(alone, () => sleep(aloneMs))
  const chosen = found.slice(0, size.count(shortCount, found.length))
  world.say(`${found.length} addresses, of which ${found.filter(isDear).length} are dear`)
  for (const [index, one] of [...chosen, ...slowBodies(parties)].entries()) {
    const order = await orderOf(one, files)
    world.say(`${index + 1} of ${chosen.length + slowTargets.length}: ${order.name}`)
    const lasts = isDear(one) ? seconds : Math.min(seconds, briefSeconds)
    await during(order.name, () => runFlood(world, gateway, order, lasts))
  }
  await sleep(1000)
  await during(alone, () => sleep(aloneMs))
  load.stop()
  await load.ended
  return [describeSearch(found), ...(await judged(world, phases))]
}

/** The worst input of each address, by whomever costs most there; the worst address first. */
async function search(
  { say }: World,
  gateway: GatewayProcess,
  { size, parties, files }: { size: Size; parties: Party[]; files: HostileFile[] },
): Promise<Found[]> {
  const isThorough = size.count(1, 3) > 1
  const { url } = gateway
  const pid = gateway.pid()
  const beforeMs = threadMs(pid)
  await sleep(idleMs)
  const idleShare = (threadMs(pid) - beforeMs) / idleMs
  const found: Found[] = []
  const routes = await routesOfGateway()
  for (const first of parties) {
    let party = first
    // The metrics of a live gateway are on a port of their own, or nowhere.
    const reached = routes.filter((one) => party.has(one) && one.path !== '/metrics')
    for (const route of reached) {
      say(`searching, ${party.attacker.name}: ${route.method} ${route.path}`)
      const order = { url, pid, files, isThorough, idleShare }
      found.push({ party, ...(await findWorst(order, party.attacker, route)) })
      if (route.method !== 'GET' && party.attacker.token !== '') party = await party.again()
    }
  }
  const addresses = new Map<string, Found>()
  for (const one of dearestFirst(found)) {
    const address = `${one.route.method} ${one.route.path}`
    if (!addresses.has(address)) addresses.set(address, one)
  }
  return [...addresses.values()]
}

/** By the time of the thread that serves payments and by that of the answer, in turn. */
function dearestFirst(found: Found[]): Found[] {
  const byThread = found.toSorted((one, other) => other.msPerSecond - one.msPerSecond)
  const byAnswer = found.toSorted((one, other) => other.tookMs - one.tookMs)
  return [...new Set(byThread.flatMap((one, index) => [one, byAnswer[index] ?? one]))]
}

function isDear({ input, msPerSecond, tookMs }: Found): boolean {
  return input === slowBody || msPerSecond >= dear.msPerSecond || tookMs >= dear.tookMs
}

/** Bodies that never end, to two addresses. */
function slowBodies(parties: Party[]): Found[] {
  return parties.slice(0, 1).flatMap((party) =>
    slowTargets.map((path) => ({
      party,
      route: { method: 'POST', path },
      input: slowBody,
      msPerSecond: 0,
      msEach: 0,
      tookMs: 0,
    })),
  )
}

async function orderOf({ party, route, input }: Found, files: HostileFile[]): Promise<Attack> {
  const { attacker } = await party.again()
  const inputs = inputsOf(route, { isThorough: true, files, token: attacker.token })
  const wanted = inputs.find(({ name }) => name === input)
  if (wanted === undefined) throw new Error(`there is no input "${input}"`)
  const attack = attackOf(attacker, route, wanted)
  for (let count = 1; count < tokensMax && attacker.anotherToken !== undefined; count += 1)
    attack.tokens.push(await attacker.anotherToken())
  return attack
}

async function runFlood(
  world: World,
  { url }: GatewayProcess,
  order: Attack,
  seconds: number,
): Promise<void> {
  const job = { url, attack: order, seconds }
  const child = startTalking({ name: 'attacker', file: 'attacker.ts' }, job)
  world.onClose(() => child.end('SIGKILL'))
  if ((await child.next()) === undefined) throw new Error('the attacker ended before its flood')
  await child.ended
}

/** What goes on in a gateway while something is done. */
async function watch(
  { url, pid }: GatewayProcess,
  name: string,
  work: () => Promise<unknown>,
): Promise<Phase> {
  await readLateness(url)
  let most = memoryMb(pid())
  const watching = setInterval(() => (most = Math.max(most, memoryMb(pid()))), 100)
  const fromMs = Date.now()
  const usedMs = threadMs(pid())
  try {
    await work()
    const toMs = Date.now()
    const busyShare = (threadMs(pid()) - usedMs) / (toMs - fromMs)
    return { name, fromMs, toMs, memoryMb: most, busyShare, lateMs: await readLateness(url) }
  } finally {
    clearInterval(watching)
  }
}

/** The longest that the thread did nothing else since it was last asked. */
async function readLateness(url: string): Promise<number> {
  const { body } = await request(`${url}/metrics`)
  const [, seconds = '0'] = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(await body.text()) ?? []
  return Number(seconds) * 1000
}

function describeSearch(found: Found[]): Finding {
  const [first] = found
  const [each, all] = [first?.msEach.toFixed(1), first?.msPerSecond.toFixed(0)]
  const cost = `${each} ms a request, ${all} ms a second`
  return {
    what: 'addresses searched',
    value: `${found.length}; the dearest: ${first && nameOf(first)}: ${cost}`,
  }
}

function nameOf({ party, route, input }: Found): string {
  return `${party.attacker.name}: ${route.method} ${route.path}, ${input}`
}

async function judged(world: World, phases: Phase[]): Promise<Finding[]> {
  const answers = await latencies(world.folder, 1)
  const of = ({ fromMs, toMs }: Phase) =>
    answers.filter(({ sentMs }) => sentMs >= fromMs && sentMs < toMs)
  const p99 = (phase: Phase) =>
    quantile(
      of(phase).map(({ tookMs }) => tookMs),
      0.99,
    )
  const before = phases.filter(({ name }) => name === alone).map(p99)
  const most = Math.max(...before) + slowerMsMax
  const attacked = phases.filter(({ name }) => name !== alone)
  const byHarm = attacked.toSorted((one, other) => p99(other) - p99(one))
  const broken = answers.filter(({ status }) => status >= 500 && status !== 503).length
  const refused = attacked.flatMap(of).filter(({ status }) => status === 503).length
  const memory = Math.max(...phases.map((phase) => phase.memoryMb))
  return [
    {
      what: 'p99 of the payer alone, before and after',
      value: `${before.join(' and ')} ms, ${phases[0]?.memoryMb.toFixed(0)} MB before`,
    },
    ...byHarm.slice(0, shownMax).map((phase) => ({
      what: phase.name,
      value:
        `p99 ${p99(phase)} ms of ${of(phase).length}, the thread busy for ` +
        `${(100 * phase.busyShare).toFixed(0)} % and ` +
        `late by at most ${phase.lateMs.toFixed(0)} ms, ` +
        `${phase.memoryMb.toFixed(0)} MB`,
      isGood: of(phase).length > 0 && p99(phase) <= most,
    })),
    { what: 'refused with 503 beside attacks', value: String(refused), isGood: refused === 0 },
    { what: 'other 5xx', value: String(broken), isGood: broken === 0 },
    { what: 'memory', value: `${memory.toFixed(0)} MB`, isGood: memory < memoryMbMax },
  ]
}
