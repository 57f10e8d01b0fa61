import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makeFolders } from '#base/kit/folders.ts'
import { seededRandom } from '../lab/seeded-random.ts'
import { startTalking } from './child.ts'
import type { Merchant } from './client-job.ts'
import { createGateway, type GatewayOptions, type GatewayProcess } from './gateway-process.ts'
import { openJournal } from './journal.ts'
import { type Killer, openKiller } from './killer.ts'
import { type LabProcess, startLab } from './lab-process.ts'
import { type LoadPart, openLoad } from './load.ts'
import { createPostgres, type PostgresServer } from './postgres-server.ts'

/** What an experiment is made of: separate processes, and the journals of those who know. */
export interface World extends LoadPart {
  folder: string
  seed: number
  postgres: PostgresServer
  gateways: GatewayProcess[]
  lab: LabProcess
  receiver: { url: string }
  killer: Killer
  /** The database, read past the gateway and with the owner's rights. */
  db: pg.Pool
  merchants: Merchant[]
  /** The same number for the same seed and the same pair. */
  random(first: number, second?: number): number
  say(text: string): void
  /** Starts every gateway process that does not run, and waits until all are ready. */
  startGateways(): Promise<void>
  /** What the judge needs to know, written to the folder. */
  writeFacts(): Promise<void>
  /** Has something ended together with the world. */
  onClose(end: () => Promise<void>): void
  /** Ends everything; the folder is kept if asked. */
  close(keepFolder?: boolean): Promise<void>
}

export interface WorldOptions {
  seed: number
  say(text: string): void
  gateways?: number
  /** How much faster than usual the lab is. */
  labPace?: number
  environment?: Record<string, string>
  /** Further options of each gateway process. */
  gatewayOptions?: Partial<Omit<GatewayOptions, 'index' | 'port' | 'folder' | 'environment'>>
  /** Where PostgreSQL keeps its files, if not in the folder of the run. */
  postgresFolder?: string
  postgresSettings?: Record<string, string>
  postgresHost?: string
  postgresPrefix?: string[]
  /** A database that the experiment runs by itself; left out: one PostgreSQL of this world. */
  ownPostgres?: PostgresServer
}

const demoSecret = 'whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx'
const demoMerchants: Merchant[] = [
  { name: 'Boutique Démo', apiKey: 'sk_sandbox_demo_enterprise', webhookSecret: demoSecret },
  { name: 'Marché Témoin', apiKey: 'sk_sandbox_other_merchant', webhookSecret: demoSecret },
]

/** Starts PostgreSQL, lab, receiver and gateway processes, each a process of its own. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { seed, say, gateways: count = 2, labPace = 4 } = options
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-chaos-'))
  // PostgreSQL runs as another account than root, and must reach its files.
  await chmod(folder, 0o711)
  await makeFolders(join(folder, 'lab'))
  const ports = await freePorts(count + 2)
  const killer = openKiller(openJournal(join(folder, 'killer.ndjson')))
  const opened = new AsyncDisposableStack()
  try {
    const postgres =
      options.ownPostgres ?? (await startPostgres(options, folder, ports[count] ?? 0, opened))
    const lab = await startLab({ folder, port: ports[count + 1] ?? 0, seed, pace: labPace })
    opened.defer(lab.end)
    const receiver = startTalking(
      { name: 'receiver', file: 'receiver.ts' },
      {
        journalPath: join(folder, 'received.ndjson'),
      },
    )
    opened.defer(() => receiver.end('SIGTERM'))
    const { url: receiverUrl } = (await receiver.next()) as { url: string }
    const environment = {
      DATABASE_URL: postgres.url,
      LAB_PORT: new URL(lab.url).port,
      ...options.environment,
    }
    const gateways: GatewayProcess[] = []
    for (const [index, port] of ports.slice(0, count).entries()) {
      const own = { index, port, folder, environment, ...options.gatewayOptions }
      gateways.push(await createGateway(own))
    }
    opened.defer(async () => void (await Promise.all(gateways.map((one) => one.end('SIGKILL')))))
    const db = new pg.Pool({ connectionString: postgres.url, max: 3 })
    db.on('error', () => {})
    opened.defer(() => db.end())
    const merchants = [...demoMerchants]
    const parts = { folder, seed, gateways, receiver: { url: receiverUrl }, merchants, say, killer }
    const load = openLoad(parts, opened)
    const random = (first: number, second = 0) => seededRandom(seed, first, second)
    const world = { ...parts, ...load, postgres, lab, db, random }
    const close = (keepFolder = false) => closeWorld(opened, killer, folder, keepFolder)
    const startGateways = () => startAll(gateways, killer)
    await startGateways()
    const onClose = (end: () => Promise<void>) => opened.defer(end)
    return { ...world, onClose, startGateways, writeFacts: () => writeFacts(world), close }
  } catch (problem) {
    await closeWorld(opened, killer, folder, false)
    throw problem
  }
}

async function startPostgres(
  options: WorldOptions,
  folder: string,
  port: number,
  opened: AsyncDisposableStack,
): Promise<PostgresServer> {
  const { postgresFolder, postgresSettings, postgresHost, postgresPrefix } = options
  const postgres = await createPostgres({
    folder: postgresFolder ?? folder,
    port,
    ...(postgresHost !== undefined && { host: postgresHost }),
    ...(postgresSettings && { settings: postgresSettings }),
    ...(postgresPrefix && { prefix: postgresPrefix }),
  })
  opened.defer(async () => {
    postgres.signal('SIGCONT')
    await postgres.end('SIGQUIT')
  })
  await postgres.start()
  return postgres
}

async function startAll(gateways: GatewayProcess[], killer: Killer): Promise<void> {
  // One after the other: the first makes the schema.
  for (const gateway of gateways) {
    if (gateway.isRunning()) continue
    await gateway.start()
    killer.note('started', gateway.name, gateway.pid())
    await gateway.untilReady()
  }
  await Promise.all(gateways.map((gateway) => gateway.untilReady()))
}

async function writeFacts(world: Pick<World, 'folder' | 'postgres' | 'merchants' | 'lab'>) {
  const { folder, postgres, merchants, lab } = world
  const facts = { databaseUrl: postgres.url, merchants, labUrl: lab.url }
  await writeFile(join(folder, 'world.json'), JSON.stringify(facts))
}

async function closeWorld(
  opened: AsyncDisposableStack,
  killer: Killer,
  folder: string,
  keepFolder: boolean,
): Promise<void> {
  await opened.disposeAsync()
  killer.close()
  if (!keepFolder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Ports that are free now, below the range from which outgoing connections take theirs. */
async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  let port = 10_000 + Math.floor(Math.random() * 20_000)
  while (ports.length < count) {
    port += 1
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
