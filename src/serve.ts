import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { openServer } from './database.ts'
import { demoKey, ensureDemoData, refuseDemoData } from './demo.ts'
import { systemClock } from './kit/clock.ts'
import type { Config } from './kit/config.ts'
import { openLog } from './kit/log.ts'
import { Problem } from './kit/problem.ts'
import { startWorker } from './worker.ts'

interface Gateway {
  /** Where it really listens: with PORT=0 the system chose. */
  url: string
  banner: string
  /** Finishes what is under way, then ends everything. */
  stop(): Promise<void>
}

// Long enough for a load balancer's next look at /readyz to send new requests elsewhere.
const drainMs = { live: 2000, sandbox: 100 }

/** Starts everything: database, schema, demo data, interface and workers. */
export async function startGateway(config: Config): Promise<Gateway> {
  const clock = systemClock
  const log = openLog(config.logLevel)
  const server = await openServer(config)
  try {
    await server.migrate()
    const db = server.open()
    if (config.mode === 'live') await refuseDemoData(db)
    else await ensureDemoData(db, clock, config)
    const app = await buildApp({ config, db, clock, log })
    const url = await listen(app.http, config)
    const worker = startWorker({ db, clock, log, dataDir: config.dataDir, registry: app.registry })
    return {
      url,
      banner: bannerOf(config, url, server.isEmbedded),
      stop: async () => {
        app.drain()
        await sleep(drainMs[config.mode])
        await app.http.close()
        await worker.stop()
        await server.close()
      },
    }
  } catch (problem) {
    await server.close()
    throw problem
  }
}

async function listen(
  http: { listen(at: { host: string; port: number }): Promise<string> },
  { host, port }: Config,
): Promise<string> {
  try {
    return await http.listen({ host, port })
  } catch (problem) {
    const { code } = problem as { code?: string }
    if (code === 'EADDRINUSE')
      throw new Problem(`Port ${port} is taken: stop the other program, or set PORT to another.`)
    if (code === 'EACCES')
      throw new Problem(`Port ${port} is not allowed for this account: set PORT to another.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Problem(`HOST=${host} is not an address of this machine.`)
    throw problem
  }
}

function bannerOf(config: Config, url: string, isEmbedded: boolean): string {
  const lines = [
    '',
    `Passerelle is ready (${config.mode}).`,
    '',
    `  API        ${url}/api/v1`,
    `  Reference  ${url}/docs`,
    `  OpenAPI    ${url}/openapi.json`,
    `  Health     ${url}/livez  ${url}/readyz`,
    `  Metrics    ${url}/metrics`,
    `  Database   ${isEmbedded ? `embedded, in ${config.dataDir}` : 'from DATABASE_URL'}`,
  ]
  if (config.mode === 'sandbox')
    lines.push(
      `  Demo key   ${demoKey}`,
      '',
      'Try it:',
      `  curl -H 'Authorization: Bearer ${demoKey}' ${url}/api/v1/api-services/balance`,
    )
  return [...lines, ''].join('\n')
}
