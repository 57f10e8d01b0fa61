import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runProxy } from '#test/haproxy.ts'
import { missing } from '#test/needs.ts'
import { startChild } from '../child.ts'
import type { Experiment, Finding } from '../experiment.ts'
import { type GatewayProcess, launcherIn, ownProgram } from '../gateway-process.ts'
import { unpackRelease, whyNoRelease } from '../last-release.ts'
import { unanswered } from '../latencies.ts'
import type { Load } from '../load.ts'
import { fundAll } from '../merchants.ts'
import type { World } from '../world.ts'

const rate = 60
const paymentsBetween = 200
const migrationKills = 3
const migrationMsMax = 1500
const endMsMax = 30_000

let before = ''

/** O3: the last release and this one take turns, as in an upgrade and on the way back from it. */
export const upgrade: Experiment = {
  name: 'upgrade',
  proves:
    'this release and the last one, side by side on one database, fail no request and lose nothing',
  full:
    'two processes in turn, 5 times to this release and back by SIGTERM and 5 times by kill -9, ' +
    'also of PostgreSQL, at 60 payments a second',
  world: { environment: { TRUSTED_PROXIES: '127.0.0.1' } },
  isImpossible: async () => missing('haproxy') || (await whyNoRelease()),
  prepare: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-release-'))
    await chmod(folder, 0o711)
    await unpackRelease(folder)
    before = folder
    options.gatewayOptions = { program: folder }
    return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },
  run: async (world, size) => {
    const servers = world.gateways.map(({ url }) => new URL(url).host)
    const proxy = await runProxy([{ cell: null, servers }])
    world.onClose(proxy.stop)
    const load = () =>
      world.startLoad({ plan: 'payments', rate, seconds: 36_000, gatewayUrls: [proxy.url] })
    const calm = load()
    await calm.reaches(paymentsBetween)
    const migrations = await migrate(world)
    await fundAll(world)
    const turns = size.count(1, 5)
    let left = 0
    for (let turn = 1; turn <= turns; turn += 1)
      for (const program of [ownProgram, before]) {
        world.say(`stopped and started as ${nameOf(program)}, ${turn} of ${turns}`)
        for (const [index, gateway] of world.gateways.entries()) {
          await replace(world, calm, gateway, program)
          // As an operator waits before the next one is stopped.
          await proxy.untilUp(index)
        }
        left += await leftOpen(world)
      }
    calm.stop()
    const { acknowledged } = await calm.ended
    const failed = await unanswered(world.folder, 1)
    return [
      { what: 'migrations under load, the program killed before', value: migrations },
      {
        what: `acknowledged while processes were stopped and started, ${turns} times to and fro`,
        value: String(acknowledged),
        isGood: acknowledged > 0,
      },
      {
        what: 'requests that were not answered, or with 5xx',
        value: JSON.stringify(failed),
        isGood: Object.keys(failed).length === 0,
      },
      {
        what: 'payments and webhooks that one release alone did not end within 30 s',
        value: String(left),
        isGood: left === 0,
      },
      // Where one release alone ends nothing, kills tell no more.
      ...(left === 0 ? await harm(world, load(), turns) : []),
    ]
  },
}

const nameOf = (program: string) => (program === before ? 'the last release' : 'this release')

/** Runs `migrate up` of this release beside the last one: killed at some moments, then whole. */
async function migrate({ db, postgres, folder, killer, random, say }: World): Promise<string> {
  say('migrating')
  const applied = async () =>
    (await db.query<{ name: string }>('select name from schema_migrations')).rows
  const known = new Set((await applied()).map(({ name }) => name))
  const command = [process.execPath, launcherIn(ownProgram), 'migrate', 'up']
  const env = { PATH: process.env.PATH, DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'up') }
  const start = () =>
    startChild({ name: 'migrate', command, env, logPath: join(folder, 'migrate.log') })
  for (let kill = 1; kill <= migrationKills; kill += 1) {
    const killed = start()
    await Promise.race([killed.ended, sleep(migrationMsMax * random(kill))])
    killer.note('killed', killed.name, killed.pid)
    await killed.end('SIGKILL')
  }
  await start().ended
  const names = (await applied()).map(({ name }) => name).filter((name) => !known.has(name))
  killer.note('migrated', ...names)
  return names.join(', ') || 'none'
}

/** Puts another program in the place of a process, as docs/upgrading.md says. */
async function replace(
  { killer }: World,
  load: Load,
  gateway: GatewayProcess,
  program: string,
): Promise<void> {
  killer.note('terminated', gateway.name, gateway.pid())
  await gateway.end('SIGTERM')
  gateway.use(program)
  await killer.measure(`gateway as ${nameOf(program)}`, async () => {
    await gateway.start()
    await gateway.untilReady()
  })
  await load.reaches(paymentsBetween)
}

/** How many payments and webhooks of before now are open half a minute later. */
async function leftOpen({ db }: World): Promise<number> {
  const { rows } = await db.query<{ now: Date }>('select now()')
  const endMs = performance.now() + endMsMax
  for (;;) {
    const open = await db.query(
      `select from transactions where completed_at is null and created_at < $1 union all
       select from deliveries where state = 'pending' and created_at < $1`,
      [rows[0]?.now],
    )
    if (open.rowCount === 0 || performance.now() > endMs) return open.rowCount ?? 0
    await sleep(500)
  }
}

/** The same by kill -9, PostgreSQL too while both programs run; ends with this release. */
async function harm(world: World, load: Load, turns: number): Promise<Finding[]> {
  const { killer, gateways, postgres, say } = world
  await load.reaches(paymentsBetween)
  for (let turn = 0; turn <= 2 * turns; turn += 1) {
    const program = turn % 2 === 0 ? ownProgram : before
    say(`killed and started as ${nameOf(program)}, ${turn + 1} of ${2 * turns + 1}`)
    for (const gateway of gateways) {
      gateway.use(program)
      await killer.killGateway(gateway)
      await load.reaches(paymentsBetween)
      if (gateway !== gateways[0]) continue
      await killer.killPostgres(postgres, gateways)
      await load.reaches(paymentsBetween)
    }
  }
  load.stop()
  const { acknowledged, sent, statuses } = await load.ended
  return [
    {
      what: `acknowledged while they were killed, ${turns} times to and fro`,
      value: String(acknowledged),
      isGood: acknowledged > 0,
    },
    { what: 'requests, by status', value: `${sent}: ${JSON.stringify(statuses)}` },
  ]
}
