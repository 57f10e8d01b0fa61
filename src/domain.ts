import { readFile } from 'node:fs/promises'
import type { PayBill } from './bills/pay.ts'
import { openBillPayments } from './bills/pay.ts'
import { freeBills } from './bills/record.ts'
import type { Maintenance } from './catalog/maintenance.ts'
import { watchMaintenance } from './catalog/maintenance.ts'
import type { Contract } from './clients/contract.ts'
import { watchContracts } from './clients/contract.ts'
import type { Config } from './config/config.ts'
import type { Db } from './db/db.ts'
import type { Clock } from './kit/clock.ts'
import type { Log } from './kit/log.ts'
import { Problem } from './kit/problem.ts'
import type { AnnounceLinks } from './links/end.ts'
import { followPayments } from './links/follow.ts'
import type { Links } from './links/open.ts'
import { openLinks } from './links/open.ts'
import type { Binding } from './providers/bindings.ts'
import { readBindings, sandboxBindings } from './providers/bindings.ts'
import { openPauses } from './providers/pauses.ts'
import type { Providers } from './providers/registry.ts'
import { openProviders } from './providers/registry.ts'
import { knownLabUrl } from './sandbox/lab.ts'
import type { SubMerchantBook } from './sub-merchants/book.ts'
import { openSubMerchants } from './sub-merchants/book.ts'
import type { CallbackAddresses } from './transactions/callback-address.ts'
import { callbackAddresses } from './transactions/callback-address.ts'
import type { Engine } from './transactions/open.ts'
import { openEngine } from './transactions/open.ts'
import type { Announce } from './transactions/outcomes.ts'
import { openTokenSafe } from './transactions/token-safe.ts'
import { endingOf, endingOfLink } from './webhooks/ending.ts'
import type { Webhooks } from './webhooks/open.ts'
import { openWebhooks } from './webhooks/open.ts'

interface EngineOrder {
  config: Config
  db: Db
  clock: Clock
  log: Log
  /** Where providers reach us; known for certain only once we listen. */
  publicUrl?: () => string
  /** Where payers find the page, likewise. */
  payUrl?: () => string
  /** The lab of this sandbox, when this process started it. */
  labUrl?: string
}

/**
 * The engine of this installation, with its providers: the lab's in a sandbox, else the real ones.
 */
export async function openGatewayEngine(
  order: EngineOrder,
): Promise<Domain & { close(): Promise<void> }> {
  const { config, db, clock, log, publicUrl = () => config.publicUrl } = order
  const { payUrl = () => config.payUrl } = order
  const bindings = await bindingsOf(config, order.labUrl)
  const pauses = await openPauses(db, log)
  const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
  const addresses = callbackAddresses(publicUrl, config.secretKey)
  const domain = openDomain({ config, db, clock, log, providers, addresses, payUrl })
  return {
    ...domain,
    close: async () => {
      pauses.close()
      await domain.webhooks.stop()
      providers.close()
    },
  }
}

interface DomainParts {
  config: Pick<Config, 'mode' | 'secretKey' | 'smtpUrl'>
  db: Db
  clock: Clock
  log: Log
  providers: Providers
  addresses: CallbackAddresses
  /** Where payers find the page; known for certain only once we listen. */
  payUrl(): string
}

/** Everything that moves money and everything that tells of it, put together. */
export interface Domain {
  engine: Engine
  payBill: PayBill
  links: Links
  announceLinks: AnnounceLinks
  webhooks: Webhooks
  contractOf(clientId: number): Promise<Contract>
  subMerchants: SubMerchantBook
  maintenance(): Promise<Maintenance>
}

/** Puts the domain together: what ends a transaction is written in one database transaction. */
export function openDomain({ config, payUrl, ...parts }: DomainParts): Domain {
  const { db, clock, log } = parts
  const { mode, secretKey } = config
  const webhooks = openWebhooks({ db, clock, log, mode, secretKey })
  const tokens = openTokenSafe(secretKey)
  const announceLinks: AnnounceLinks = (tx, ended, now) =>
    webhooks.announce(tx, ended.map(endingOfLink), now)
  const announce: Announce = async (tx, ended, now) => {
    await freeBills(tx, ended)
    const links = await followPayments(tx, ended, now)
    // A payment through a link is told of by the link.
    const own = ended.filter(({ linkId }) => linkId === null)
    const endings = [...own.map((one) => endingOf(one, tokens)), ...links.map(endingOfLink)]
    return webhooks.announce(tx, endings, now)
  }
  const engine = openEngine({ ...parts, announce, tokens })
  const maintenance = watchMaintenance(db)
  const contractOf = watchContracts(db)
  const subMerchants = openSubMerchants({ db, clock })
  return {
    engine,
    payBill: openBillPayments(engine),
    links: openLinks({
      engine,
      announceLinks,
      payUrl,
      contractOf,
      subMerchants,
      maintenance,
      hasSmtp: config.smtpUrl !== null,
    }),
    announceLinks,
    webhooks,
    contractOf,
    subMerchants,
    maintenance,
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
