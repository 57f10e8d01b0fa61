import { openApprovals } from '#backoffice/approvals/open.ts'
import { openBatches, usualLinesPerSecond } from '#backoffice/batches/open.ts'
import { decisionsOf } from '#backoffice/recon/decisions.ts'
import { openRecon, type Recon } from '#backoffice/recon/open.ts'
import { openReports } from '#backoffice/reports/open.ts'
import { endingOfLink, endingOfTransaction } from '#backoffice/webhooks/ending.ts'
import { openWebhooks, type Webhooks } from '#backoffice/webhooks/open.ts'
import type { Config } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import type { Log } from '#base/log/log.ts'
import { openPseudonyms } from '#base/sealing/pseudonym.ts'
import type { Traces } from '#base/traces/open.ts'
import type { DbParts } from '#data/db/db.ts'
import { OutcomeFigures } from '#edge/wire/outcome-figures.ts'
import { openSubMerchants } from '#merchants/sub-merchants/open.ts'
import { openBills } from '#money/bills/open.ts'
import { freeBills } from '#money/bills/record.ts'
import { openFloats } from '#money/float/open.ts'
import { linksBehind } from '#money/links/behind.ts'
import type { AnnounceLinks } from '#money/links/context.ts'
import { type EndedLink, followPayments } from '#money/links/follow.ts'
import { openLinks } from '#money/links/open.ts'
import { type Binding, readBindingsFile, sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders, type Providers } from '#money/providers/open.ts'
import { watchPauses } from '#money/providers/watch-pauses.ts'
import { callbackAddresses } from '#money/transactions/callback-address.ts'
import { openTransactions } from '#money/transactions/open.ts'
import { openTokenSafe, type TokenSafe } from '#money/transactions/token-safe.ts'
import { stepAttributes, type Transaction } from '#money/transactions/transaction.ts'
import type { Announce } from '#money/transactions/write-effects.ts'
import { openAlerts } from '#operations/alerts/open.ts'
import { openHealth } from '#operations/health/open.ts'
import { forgettingWith, openNumbers } from '#operations/retention/numbers.ts'
import { openRetention } from '#operations/retention/open.ts'
import { withKeptKeys } from '#operations/secrets/kept-keys.ts'
import { knownLabUrl } from '#program/sandbox/lab.ts'
import { openRecords } from './records.ts'

interface DomainParts extends DbParts {
  config: Pick<
    Config,
    | 'mode'
    | 'cell'
    | 'webhookRules'
    | 'secretKey'
    | 'smtpUrl'
    | 'approvalAbove'
    | 'approverAge'
    | 'retention'
    | 'alertmanagerUrl'
  >
  log: Log
  providers: Providers
  /** Left out: no spans are made. */
  traces?: Traces | undefined
  /** Asked for the hosts of webhooks; left out: the system's. */
  dnsServers?: string[]
  /** Of a batch of payouts, at most; left out: the usual. */
  linesPerSecond?: number
  /** The base address of provider callbacks; final only once the gateway listens. */
  publicUrl(): string
  /** The base address of the payment page; final only once the gateway listens. */
  payUrl(): string
}

/** Every room that moves money or reports on it, opened. */
export type Domain = ReturnType<typeof openDomain>

/**
 * Opens the rooms in their order. The end of a transaction, of its bill and of its link, and the
 * events about them are written in one database transaction.
 */
export function openDomain({ config, payUrl, publicUrl: baseUrl, ...parts }: DomainParts) {
  // Of callbacks and of the dashboard's pages in mails.
  const publicUrl = () => addressOfCell(baseUrl(), config.cell)
  const { db, clock, providers } = parts
  const { webhookRules: mode, secretKey } = config
  const webhooks = openWebhooks({ ...parts, mode, secretKey })
  const tokens = openTokenSafe(secretKey)
  const outcomes = new OutcomeFigures()
  const { announce, announceLinks } = announcements({ webhooks, tokens, outcomes, ...parts })
  const records = openRecords({ ...parts, config, publicUrl })
  const { catalog, clients, people, limits } = records
  const hasSmtp = config.smtpUrl !== null
  const subMerchants = openSubMerchants({ db, clock })
  const addresses = callbackAddresses(publicUrl, secretKey)
  const floats = openFloats(parts)
  const pseudonymOf = openPseudonyms(secretKey)
  const rooms = { clients, limits, floats, addresses, announce, tokens, pseudonymOf }
  const transactions = openTransactions({ ...parts, ...rooms })
  const bills = openBills({ ...parts, transactions })
  const shared = { ...parts, catalog, clients, subMerchants, transactions }
  const links = openLinks({ ...shared, announceLinks, pseudonymOf, payUrl, hasSmtp })
  const batches = openBatches({
    linesPerSecond: usualLinesPerSecond,
    ...shared,
    publicUrl,
    hasSmtp,
  })
  const approvals = openApprovals({
    ...config,
    db,
    clock,
    transactions,
    people,
    publicUrl,
    hasSmtp,
    ...decisionsOf({ clock, pseudonymOf }),
    proveApproved: () => recon.proveApproved(),
    takeBack: () => recon.resume(),
    recordForgetting: forgettingWith({ clock, secretKey }),
  })
  const recon: Recon = openRecon({ ...parts, transactions, approvals, pseudonymOf })
  return {
    ...records,
    subMerchants,
    floats,
    providers,
    transactions,
    bills,
    links,
    batches,
    approvals,
    recon,
    webhooks,
    reports: openReports({ ...parts, catalog, transactions }),
    numbers: openNumbers({ db, clock, secretKey, approvals }),
    retention: openRetention({ ...parts, secretKey, settings: config.retention }),
    alerts: openAlerts({ url: config.alertmanagerUrl, clock, publicUrl }),
    health: openHealth({ ...config, ...parts, hasSmtp }),
    /** How the transactions that this process ended have ended; for metrics. */
    outcomes,
  }
}

/** How the ends of transactions and links become events, in the database transaction of the end. */
function announcements(parts: {
  webhooks: Webhooks
  tokens: TokenSafe
  outcomes: OutcomeFigures
  traces?: Traces | undefined
}): { announce: Announce; announceLinks: AnnounceLinks } {
  const { webhooks, tokens, outcomes, traces } = parts
  const announceLinks: AnnounceLinks = async (tx, ended, now) => {
    const deliver = await webhooks.announce(tx, ended.map(endingOfLink), now)
    if (traces === undefined) return deliver
    return () => {
      traceEnds(traces, [], ended)
      deliver()
    }
  }
  const announce: Announce = async (tx, ended, now, tokened) => {
    await freeBills(tx, ended)
    const endedLinks = await followPayments(tx, ended, now)
    // A payment through a link has no event of its own: the link's event reports it.
    const withoutLink = ended.filter(({ linkId }) => linkId === null)
    // A refund of such a payment names the link.
    const links = await linksBehind(tx, withoutLink)
    const endings = [
      ...withoutLink.map((one) => endingOfTransaction(one, tokens, links.get(one.id))),
      ...endedLinks.map(endingOfLink),
    ]
    const late = tokened.map(({ clientId, id: recordId, callbackUrl, ...one }) => ({
      clientId,
      recordId,
      callbackUrl,
      token: tokens.open({ ...one, clientId, id: recordId }) ?? '',
    }))
    const deliver = await webhooks.announce(tx, endings, now, late)
    return () => {
      outcomes.count(ended)
      if (traces !== undefined) traceEnds(traces, ended, endedLinks)
      deliver()
    }
  }
  return { announce, announceLinks }
}

/** The spans of whole payments and links. */
function traceEnds(traces: Traces, ended: Transaction[], endedLinks: EndedLink[]): void {
  for (const one of ended) {
    const attributes = { ...stepAttributes(one), 'passerelle.status': one.status }
    const details = { name: 'payment', kind: 'internal' as const, attributes }
    traces.life(one, one.completedAt ?? one.createdAt, details)
  }
  for (const { link } of endedLinks) {
    const attributes = { 'passerelle.client_id': link.clientId, 'passerelle.status': link.status }
    const details = { name: 'link', kind: 'internal' as const, attributes }
    traces.life(link, link.completedAt ?? link.createdAt, details)
  }
}

interface InstallationParts extends DbParts {
  config: Config
  log: Log
  /** Left out: no spans are made. */
  traces?: Traces | undefined
  publicUrl?: () => string
  payUrl?: () => string
  /** The lab's address, in a sandbox whose lab is started; else it is read from lab.json. */
  labUrl?: string
}

/**
 * Opens the domain with the providers of this installation: those of PROVIDERS_FILE, else the lab's
 * in a sandbox and none in live mode.
 */
export async function openInstalledDomain(
  parts: InstallationParts,
): Promise<Domain & { close(): Promise<void> }> {
  const { config, db, clock, log, traces } = parts
  const { publicUrl = () => config.publicUrl, payUrl = () => config.payUrl } = parts
  const bindings = await bindingsOf(config, parts.labUrl)
  const pauses = await watchPauses(db, log, (name) => providers.announceBack(name))
  const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
  const secretKey = await withKeptKeys(db, config.secretKey)
  const own = { ...config, secretKey }
  const domain = openDomain({ config: own, db, clock, log, traces, providers, publicUrl, payUrl })
  return {
    ...domain,
    close: async () => {
      pauses.close()
      await domain.webhooks.stop()
      providers.close()
    },
  }
}

async function bindingsOf(config: Config, labUrl: string | undefined): Promise<Binding[]> {
  const bindings = config.providersFile ? await readBindingsFile(config.providersFile) : []
  if (bindings.length > 0 || config.mode === 'live') return bindings
  return sandboxBindings(labUrl ?? (await knownLabUrl(config)))
}
