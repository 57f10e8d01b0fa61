import { setTimeout as sleep } from 'node:timers/promises'
import { runProxy } from '#test/haproxy.ts'
import { missing } from '#test/needs.ts'
import { type Attacked, attackGroups, runFlood } from '../attack/attack-groups.ts'
import {
  merchantKey,
  merchantPerson,
  stranger as openStranger,
  type Party,
} from '../attack/attackers.ts'
import { fileWorks } from '../attack/files.ts'
import { estimateOf, groupsOf } from '../attack/groups.ts'
import { hostileFiles } from '../attack/inputs.ts'
import { routesOfGateway } from '../attack/routes.ts'
import type { Urls } from '../attack/search.ts'
import { type Found, searchAll, slowBodies, whatIsMissed } from '../attack/search-all.ts'
import {
  describePhase,
  judgeFiles,
  judgeMemory,
  judgePhases,
  type Phase,
} from '../attack/verdict.ts'
import { watch } from '../attack/watch.ts'
import type { Merchant } from '../client-job.ts'
import type { Experiment, Finding, Size } from '../experiment.ts'
import { type Latency, latencies } from '../latencies.ts'
import { createMerchants } from '../merchants.ts'
import type { World } from '../world.ts'

const payments = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]
const funds = 100_000_000
const rate = 20
// What the lists and files of an attacker are about.
const historyRate = 100
// As it is started where it is shipped, behind the proxy.
const world = {
  gateways: 1,
  gatewayOptions: { nodeArgs: ['--max-semi-space-size=32', '--heap-growing-percent=50'] },
  environment: { TRUSTED_PROXIES: '127.0.0.1' },
}
const isImpossible = async () => missing('haproxy') || undefined

/** Anybody on the internet, without a key. */
export const stranger: Experiment = {
  name: 'stranger',
  proves: 'the worst cheap input that anybody may send holds up no payment and fills no memory',
  full: 'the worst input of every address, in 7 groups for a minute each: 13 minutes',
  world,
  isImpossible,
  run: (world, size) =>
    attack(world, size, {
      partiesOf: async (merchant) => [await openStranger(world, merchant)],
      groupsEach: size.count(2, 7),
    }),
}

/** A merchant and the people of it: with a key, and signed in as every role. */
export const neighbour: Experiment = {
  name: 'neighbour',
  proves: 'the worst cheap input of one merchant holds up no payment of another one',
  full: 'the same with a key and as each role, in 2 groups each, and beside files: 26 minutes',
  world,
  isImpossible,
  run: (world, size) =>
    attack(world, size, {
      partiesOf: async (merchant) => {
        const rest = ['viewer', 'admin', 'finance', 'developer', 'support'] as const
        const parties = [await merchantKey(world, merchant)]
        for (const role of ['owner', ...rest.slice(0, size.count(1, rest.length))] as const)
          parties.push(await merchantPerson(world, merchant, role))
        return parties
      },
      groupsEach: size.count(1, 2),
      filesOf: (parties) => parties.find(({ attacker }) => attacker.name === 'owner'),
    }),
}

interface Attackers {
  partiesOf(merchant: Merchant): Promise<Party[]>
  /** Of one party: how many groups its addresses are attacked in. */
  groupsEach: number
  /** Who works with files all day. */
  filesOf?(parties: Party[]): Party | undefined
}

const alone = 'alone'

async function attack(
  world: World,
  size: Size,
  { partiesOf, groupsEach, filesOf }: Attackers,
): Promise<Finding[]> {
  const [gateway] = world.gateways
  if (gateway === undefined) throw new Error('a gateway is needed')
  const proxy = await runProxy([{ cell: null, servers: [new URL(gateway.url).host] }])
  world.onClose(proxy.stop)
  const urls: Urls = { direct: gateway.url, proxy: proxy.url }
  const [attacker, ...others] = await createMerchants(world, { count: 3, funds })
  if (attacker === undefined) throw new Error('nobody attacks')
  world.merchants.push(attacker, ...others)
  const load = { plan: 'payments', seconds: 36_000, choices: payments }
  const history = { ...load, rate: historyRate, seconds: size.count(3, 15) }
  await world.startLoad({ ...history, merchants: [attacker] }).ended
  const parties = await partiesOf(attacker)
  const files = await hostileFiles()
  const every = size.count(4, 1)
  const seconds = size.seconds(4, 60)
  const pairs = await pairsOf(parties, every)
  const groupCount = parties.length * groupsEach
  const owner = filesOf?.(parties)
  const works = owner === undefined ? [] : await fileWorks(owner, { urls, files })
  const order = { pairs, groups: groupCount, seconds, files: works.length }
  console.log(`  ${estimateOf({ ...order, isThorough: every === 1 })}`)
  const found = await searchAll(world, gateway, { every, parties, files, urls })
  const payers = world.startLoad({ ...load, rate: size.rate(rate), merchants: others })
  await payers.reaches(100)
  const aloneMs = Math.max(5, seconds / 2) * 1000
  const before = await watch(gateway, alone, () => sleep(aloneMs))
  const beside: Phase[] = []
  for (const { name, attack } of works)
    beside.push(await watch(gateway, name, () => runFlood(world, [attack], seconds / 4)))
  const groups = parties.flatMap((party) =>
    groupsOf(
      found.filter((one) => one.party === party),
      groupsEach,
    ),
  )
  const [first] = parties
  if (first !== undefined) groups[0]?.push(...slowBodies(first))
  const answers = () => latencies(world.folder, 2)
  const attacked = await attackGroups(world, { gateway, urls, files, answers }, groups, {
    seconds,
    before,
    partsMax: size.count(4, 24),
  })
  await sleep(1000)
  const afterwards = await watch(gateway, alone, () => sleep(aloneMs))
  payers.stop()
  await payers.ended
  return [
    ...describeSearch(found),
    ...judgeFiles(beside),
    ...judged([before, afterwards], attacked, await answers()),
  ]
}

function judged(alone: Phase[], attacked: Attacked[], answers: Latency[]): Finding[] {
  const phases = attacked.map(({ phase }) => phase)
  const split = new Set(attacked.filter(({ isSplit }) => isSplit).map(({ phase }) => phase))
  const verdicts = judgePhases(phases, alone, answers)
  const byHarm = verdicts.toSorted((one, other) => other.p99Ms - one.p99Ms)
  return [
    ...judgePhases(alone, alone, answers).map(describePhase),
    ...byHarm.map((verdict) => {
      const { what, value, isGood } = describePhase(verdict)
      // What its parts do is judged: together they may be more than one can send.
      if (split.has(verdict.phase)) return { what: `split: ${what}`, value }
      return { what, value, isGood: isGood === true }
    }),
    judgeMemory([...alone, ...phases]),
  ]
}

async function pairsOf(parties: Party[], every: number): Promise<number> {
  const routes = await routesOfGateway()
  const all = parties.flatMap((party) => routes.filter((route) => party.has(route)))
  return Math.ceil(all.length / every)
}

function describeSearch(found: Found[]): Finding[] {
  const [first] = found.toSorted((one, other) => other.msPerSecond - one.msPerSecond)
  const [greedy] = found.toSorted((one, other) => other.memoryMb - one.memoryMb)
  const missed = whatIsMissed(found)
  const cost = `${first?.msEach.toFixed(1)} ms a request, ${first?.msPerSecond.toFixed(0)} a second`
  return [
    { what: 'addresses searched', value: String(found.length) },
    { what: 'the dearest', value: `${first?.name}: ${cost}` },
    { what: 'most memory after', value: `${greedy?.name}: ${greedy?.memoryMb.toFixed(0)} MB more` },
    {
      what: 'addresses that no input reached',
      value: missed.length === 0 ? '0' : `${missed.length}: ${missed.join(', ')}`,
      isGood: missed.length === 0,
    },
  ]
}
