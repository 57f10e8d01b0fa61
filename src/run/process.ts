import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Registry } from '@prometheus-io/client'
import { buildApp, buildProbes } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { openGatewayEngine } from '../domain.ts'
import type { PeerProcesses } from '../http/peer-processes.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { makeDemoLink } from '../sandbox/demo.ts'
import { listenAt, payUrlOf, publicUrlOf } from './listen.ts'
import type { Role } from './role.ts'
import { startWorker, watchProviders } from './worker.ts'

interface MemberParts {
  config: Config
  role: Role
  db: Db
  clock: Clock
  log: Log
  /** Null: not a sandbox. */
  labUrl: string | null
  /** The other processes behind the same port. */
  peers?: PeerProcesses
}

/** One process of the gateway at work. */
export interface Member {
  /** Where it really listens: with PORT=0 the system chose. */
  url: string
  publicUrl: string
  registry: Registry
  /** A payment link to try, in a sandbox. */
  makeLink(): Promise<string | null>
}

// Long enough for a load balancer's next look at /readyz to send new requests elsewhere, and for
// callers at work to be told on their connections that these close.
const drainMs = { live: 2000, sandbox: 250 }

/** Starts a process's part on ground that is prepared; `opened` finishes and ends it. */
export async function startMember(
  parts: MemberParts,
  opened: AsyncDisposableStack,
): Promise<Member> {
  const { config, role, db, clock, log, labUrl, peers } = parts
  let publicUrl = config.publicUrl
  const { close: closeEngine, ...domain } = await openGatewayEngine({
    config,
    db,
    clock,
    log,
    publicUrl: () => publicUrl,
    payUrl: () => payUrlOf(config, publicUrl),
    ...(labUrl === null ? {} : { labUrl }),
  })
  opened.defer(closeEngine)
  const build = role === 'worker' ? buildProbes : buildApp
  const together = peers === undefined ? {} : { peers }
  const app = await build({ config, db, clock, log, ...domain, ...together })
  opened.defer(() => app.http.close())
  watchProviders(domain.engine.providers, app.registry)
  const url = await listenAt(app.http, config)
  publicUrl = publicUrlOf(config, url)
  if (role !== 'api') {
    domain.webhooks.sweep()
    const worker = startWorker({ ...domain, config, registry: app.registry })
    opened.defer(worker.stop)
  }
  opened.defer(async () => {
    app.drain()
    domain.webhooks.feed.close()
    await sleep(drainMs[config.mode])
    // What has arrived but was not read yet would be cut off with the connections that rest.
    await turn()
    await app.http.close()
  })
  const hasPage = config.mode === 'sandbox' && role !== 'worker'
  const makeLink = async () => {
    const link = hasPage ? await makeDemoLink(db, clock, publicUrl) : undefined
    return link === undefined ? null : domain.links.urlOf(link)
  }
  return { url, publicUrl, registry: app.registry, makeLink }
}
