import { access, constants } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { openServer } from './database.ts'
import {
  demoKey,
  ensureDemoData,
  makeDemoLink,
  refuseDemoData,
  refuseLiveData,
  writeDemoFile,
} from './demo.ts'
import { openGatewayEngine } from './engine.ts'
import { systemClock } from './kit/clock.ts'
import type { Config } from './kit/config.ts'
import { makeFolders } from './kit/folders.ts'
import { randomText } from './kit/ids.ts'
import { openLog } from './kit/log.ts'
import { Problem } from './kit/problem.ts'
import { startLab } from './lab.ts'
import { startWorker } from './worker.ts'

interface Gateway {
  /** Where it really listens: with PORT=0 the system chose. */
  url: string
  banner: string
  /** Tells whoever watches: as text in a sandbox, as a log line in live mode. */
  say(text: string): void
  /** Finishes what is under way, then ends everything. */
  stop(): Promise<void>
}

// Long enough for a load balancer's next look at /readyz to send new requests elsewhere.
const drainMs = { live: 2000, sandbox: 100 }

/** Starts everything: database, schema, demo data, provider lab, interface and workers. */
export async function startGateway(config: Config): Promise<Gateway> {
  const clock = systemClock
  const log = openLog(config.logLevel)
  // What was opened is closed in the opposite order, whether all of it or only the first part.
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const one of closers.toReversed()) await one()
  }
  try {
    const server = await openServer(config)
    closers.push(server.close)
    await prepareFolder(config.dataDir)
    await server.migrate()
    const db = await server.open()
    if (config.mode === 'live') await refuseDemoData(db)
    else {
      await refuseLiveData(db)
      await ensureDemoData(db, clock, config)
    }
    const lab = config.mode === 'sandbox' ? await startLab(config) : null
    if (lab !== null) closers.push(lab.stop)
    let publicUrl = config.publicUrl
    const { close: closeEngine, ...domain } = await openGatewayEngine({
      config,
      db,
      clock,
      log,
      publicUrl: () => publicUrl,
      payUrl: () => payUrlOf(config, publicUrl),
      ...(lab === null ? {} : { labUrl: lab.url }),
    })
    closers.push(closeEngine)
    const { webhooks } = domain
    const app = await buildApp({ config, db, clock, log, ...domain })
    closers.push(() => app.http.close())
    const url = await listen(app.http, config)
    publicUrl = publicUrlOf(config, url)
    if (config.mode === 'sandbox') await writeDemoFile(config, publicUrl)
    await lab?.sendWebhooksTo(`${publicUrl}/callbacks/checkout-session`)
    webhooks.sweep()
    const worker = startWorker({ ...domain, config, registry: app.registry })
    closers.push(worker.stop, async () => {
      app.drain()
      webhooks.feed.close()
      await sleep(drainMs[config.mode])
      await app.http.close()
    })
    const link = config.mode === 'sandbox' ? await makeDemoLink(db, clock, publicUrl) : undefined
    const linkUrl = link === undefined ? null : domain.links.urlOf(link)
    const labUrl = lab?.url ?? null
    const facts = { url, publicUrl, labUrl, linkUrl, isEmbedded: server.isEmbedded }
    const say = (text: string) => {
      if (config.mode === 'live') log.info(text)
      else process.stdout.write(`${text}\n`)
    }
    return { url, banner: bannerOf(config, facts), say, stop: close }
  } catch (problem) {
    await close()
    throw problem
  }
}

/** Also without an embedded database something is kept there: the ledger's anchors. */
async function prepareFolder(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir)
    await access(dataDir, constants.W_OK)
  } catch (problem) {
    throw new Problem(`The folder ${dataDir} cannot be written: set DATA_DIR to another.`, {
      cause: problem,
    })
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

/** Without PUBLIC_URL it is where we listen, and with PORT=0 that is known only now. */
function publicUrlOf({ port, publicUrl }: Config, url: string): string {
  return port === 0 && publicUrl.endsWith(':0') ? url : publicUrl
}

/** Without PAY_URL the page is a part of what callers reach. */
function payUrlOf(config: Config, publicUrl: string): string {
  return config.payUrl === `${config.publicUrl}/pay` ? `${publicUrl}/pay` : config.payUrl
}

interface Facts {
  url: string
  publicUrl: string
  labUrl: string | null
  /** A payment link to open. */
  linkUrl: string | null
  isEmbedded: boolean
}

function bannerOf(config: Config, facts: Facts): string {
  const { url, publicUrl, labUrl, linkUrl, isEmbedded } = facts
  const ready = `Passerelle is ready (${config.mode})`
  // One line among the JSON lines of a log.
  if (config.mode === 'live') return `${ready} at ${publicUrl}, listening on ${url}.`
  return [
    '',
    `${ready}.`,
    '',
    `  API        ${url}/api/v1`,
    `  Reference  ${url}/docs`,
    `  OpenAPI    ${url}/openapi.json`,
    `  Health     ${url}/livez  ${url}/readyz`,
    `  Metrics    ${url}/metrics`,
    ...(linkUrl === null ? [] : [`  Pay        ${linkUrl} (a link to try)`]),
    ...(publicUrl === url ? [] : [`  Public     ${publicUrl}`]),
    `  Database   ${isEmbedded ? `embedded, in ${config.dataDir}` : 'from DATABASE_URL'}`,
    `  Lab        ${labUrl} (plays the providers)`,
    `  Demo key   ${demoKey}`,
    '',
    'Collect 5,000 F CFA, then look it up a second later:',
    ...firstPayment(url),
    '',
  ].join('\n')
}

function firstPayment(url: string): string[] {
  // Another one at each start: an id that was used before is refused.
  const id = `try-${randomText(4)}`
  const body = {
    externalTransactionId: id,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 5000,
    number: '771234567',
    callBackURL: 'http://127.0.0.1:9000/webhooks',
    successUrl: 'http://127.0.0.1:9000/thanks',
    failureUrl: 'http://127.0.0.1:9000/sorry',
  }
  return [
    `  curl -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(body)}' \\`,
    `    ${url}/api/v1/transaction/init`,
    `  curl -H 'Authorization: Bearer ${demoKey}' ${url}/api/v1/transaction/${id}`,
  ]
}
