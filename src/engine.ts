import { readFile } from 'node:fs/promises'
import type { Clock } from './kit/clock.ts'
import type { Config } from './kit/config.ts'
import type { Db } from './kit/db.ts'
import type { Log } from './kit/log.ts'
import { Problem } from './kit/problem.ts'
import { knownLabUrl } from './lab.ts'
import type { Binding } from './providers/bindings.ts'
import { readBindings, sandboxBindings } from './providers/bindings.ts'
import { openPauses } from './providers/pauses.ts'
import { openProviders } from './providers/registry.ts'
import { callbackAddresses } from './transactions/callback-address.ts'
import type { Engine } from './transactions/engine.ts'
import { openEngine } from './transactions/engine.ts'
import type { Webhooks } from './webhooks/open.ts'
import { openWebhooks } from './webhooks/open.ts'

interface EngineOrder {
  config: Config
  db: Db
  clock: Clock
  log: Log
  /** Where providers reach us; known for certain only once we listen. */
  publicUrl?: () => string
  /** The lab of this sandbox, when this process started it. */
  labUrl?: string
}

/**
 * The engine of this installation, with its providers: the lab's in a sandbox, else the real ones.
 */
export async function openGatewayEngine(
  order: EngineOrder,
): Promise<{ engine: Engine; webhooks: Webhooks; close(): Promise<void> }> {
  const { config, db, clock, log, publicUrl = () => config.publicUrl } = order
  const bindings = await bindingsOf(config, order.labUrl)
  const pauses = await openPauses(db, log)
  const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
  const addresses = callbackAddresses(publicUrl, config.secretKey)
  const { mode, secretKey } = config
  const webhooks = openWebhooks({ db, clock, log, mode, secretKey })
  const { announce } = webhooks
  return {
    engine: openEngine({ db, clock, log, providers, addresses, announce }),
    webhooks,
    close: async () => {
      pauses.close()
      await webhooks.stop()
      await providers.close()
    },
  }
}

async function bindingsOf(config: Config, labUrl: string | undefined): Promise<Binding[]> {
  if (config.providersFile === null)
    return config.mode === 'live' ? [] : sandboxBindings(labUrl ?? (await knownLabUrl(config)))
  try {
    return readBindings(await readFile(config.providersFile, 'utf8'))
  } catch (problem) {
    if (problem instanceof Problem) throw problem
    throw new Problem(`PROVIDERS_FILE cannot be read: ${(problem as Error).message}.`)
  }
}
