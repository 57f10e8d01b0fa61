import type { Maintenance } from '../catalog/maintenance.ts'
import { Refusal } from '../catalog/refusal.ts'
import type { Service } from '../catalog/services.ts'
import type { Contract } from '../clients/contract.ts'
import { batched } from '../db/batch.ts'
import type { SubMerchantBook } from '../sub-merchants/book.ts'
import { serves } from '../sub-merchants/sub-merchant.ts'
import { confirmTransaction } from '../transactions/confirm.ts'
import { dropTransaction } from '../transactions/drop.ts'
import type { Engine } from '../transactions/open.ts'
import { findTransaction } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Checkout, ConfirmResult, WalletChoice } from './checkout.ts'
import type { LinkDraft, LinkOrder } from './create.ts'
import { confirmationOf, draftLink, recordLinks } from './create.ts'
import type { AnnounceLinks } from './end.ts'
import { expireLink, giveUpLink } from './end.ts'
import { paymentOf } from './find.ts'
import type { Link } from './link.ts'
import { isLinkId } from './link.ts'
import { payLink, walletsFor } from './pay.ts'
import { findLink, readVersions } from './store.ts'
import { viewOf, walletNameOf } from './view.ts'
import { openLinkWatch } from './watch.ts'

export interface LinkParts {
  engine: Engine
  announceLinks: AnnounceLinks
  /** Where payers find the page; known for certain only once we listen. */
  payUrl(): string
  contractOf(clientId: number): Promise<Contract>
  subMerchants: SubMerchantBook
  maintenance(): Promise<Maintenance>
  /** Whether mail can be sent; otherwise it is kept. */
  hasSmtp: boolean
}

/** A link on record, or the one that has its external id (undefined: something else has it). */
export type LinkCreated = { kind: 'created'; link: Link } | { kind: 'duplicate' }

/** Payment links: made by merchants, paid by whoever has them. */
export interface Links {
  /** Records a link and writes to its merchant, unless it is only there to be tried. */
  create(order: LinkOrder, isForShow?: boolean): Promise<LinkCreated>
  /** The address of a link's page. */
  urlOf(link: { id: string }): string
  checkout: Checkout
}

/** Puts the links' verbs together. */
export function openLinks(parts: LinkParts): Links {
  const { engine, contractOf, hasSmtp } = parts
  const { db, clock } = engine
  const record = batched((drafts: LinkDraft[]) =>
    db.transaction((tx) => recordLinks(tx, drafts, clock.now())),
  )
  return {
    create: async (order, isForShow = false) => {
      const link = draftLink(order, clock.now())
      const contract = await contractOf(link.clientId)
      const mail = isForShow ? null : confirmationOf(link, contract, urlOf(parts, link.id))
      const isNew = await record({ link, mail, hasSmtp })
      return isNew ? { kind: 'created', link } : { kind: 'duplicate' }
    },
    urlOf: ({ id }) => urlOf(parts, id),
    checkout: openCheckout(parts),
  }
}

function urlOf({ payUrl }: Pick<LinkParts, 'payUrl'>, id: string): string {
  return `${payUrl()}/process/${id}`
}

function openCheckout(parts: LinkParts): Checkout {
  const { engine, contractOf, announceLinks } = parts
  const { db, clock, log } = engine
  const find = async (id: string) => (isLinkId(id) ? findLink(db, id) : undefined)
  const ending = { ...engine, announceLinks }
  return {
    look: async (id) => {
      if (!isLinkId(id)) return undefined
      // Read before anything else: a page that shows less than its version says would never know.
      const version = (await readVersions(db, [id])).get(id)
      const link = version === undefined ? undefined : await find(id)
      if (version === undefined || link === undefined) return undefined
      const [payment, wallets] = await Promise.all([paymentOf(db, link), offerOf(parts, link)])
      return viewOf({ link, payment, wallets, version, stepOf: engine.payerStepOf }, clock.now())
    },
    pay: async (id, order) => {
      const link = await find(id)
      if (link === undefined) return { kind: 'refused', problems: ['not_open'] }
      const contract = await contractOf(link.clientId)
      const services = await walletsOf(parts, link)
      const closed = services.find(({ code }) => code === order.serviceCode)
      if (closed !== undefined && !(await isOffered(parts, closed)))
        return { kind: 'refused', problems: ['unavailable'] }
      return payLink(engine, link, order, { contract, services, pageUrl: urlOf(parts, id) })
    },
    confirm: async (id, code) => confirmCode(engine, await find(id), code),
    changeWallet: async (id) => {
      const link = await find(id)
      if (link === undefined) return 'too_late'
      if (link.openId === null) return link.status === 'PENDING' ? 'changed' : 'too_late'
      const dropped = await dropTransaction(engine, { clientId: link.clientId, id: link.openId })
      return dropped === 'dropped' ? 'changed' : 'too_late'
    },
    giveUp: async (id) => {
      const link = await find(id)
      if (link === undefined) return 'too_late'
      // Whose time is over has expired, whatever the payer wishes now.
      if (clock.now() >= link.expiresAt) await expireLink(ending, link)
      return (await giveUpLink(ending, link)) ? 'given_up' : 'too_late'
    },
    follow: openLinkWatch(db, log).follow,
  }
}

async function offerOf(parts: LinkParts, link: Link): Promise<WalletChoice[]> {
  const services = await walletsOf(parts, link)
  const choices = services.map(async (service): Promise<WalletChoice[]> => {
    const step = parts.engine.providers.find(service)?.connector.capabilities.collect?.payerStep
    if (step === undefined || step === 'none') return []
    const { code: serviceCode, country } = service
    const isAvailable = await isOffered(parts, service)
    return [{ serviceCode, name: walletNameOf(service), country, step, isAvailable }]
  })
  return (await Promise.all(choices)).flat()
}

/** What a link can be paid with: the client's wallets, where its shop sells. */
async function walletsOf(
  { contractOf, subMerchants }: LinkParts,
  { clientId, subMerchantId, amount }: Link,
): Promise<Service[]> {
  const contract = await contractOf(clientId)
  // Nobody pays a merchant whose account was closed meanwhile.
  const wallets = contract.merchantStatus === 'active' ? walletsFor(contract, amount) : []
  const shop = subMerchantId === null ? undefined : await subMerchants.find(clientId, subMerchantId)
  return shop === undefined ? wallets : wallets.filter(({ country }) => serves(shop, country))
}

async function isOffered({ engine, maintenance }: LinkParts, service: Service): Promise<boolean> {
  const { isClosed, closedServices } = await maintenance()
  const isUp = engine.providers.find(service)?.isAvailable() ?? false
  return isUp && !isClosed && !closedServices.has(service.code)
}

const confirmResults = new Map<string, ConfirmResult>([
  ['otp_invalid', 'wrong_code'],
  ['otp_expired', 'expired'],
  ['service_unavailable', 'unavailable'],
])

async function confirmCode(
  engine: Engine,
  link: Link | undefined,
  code: string,
): Promise<ConfirmResult> {
  if (link === undefined || link.openId === null) return 'not_waiting'
  if (!/^[0-9]{4,8}$/.test(code)) return 'wrong_code'
  const { clientId, openId: id } = link
  const transaction = await findTransaction(engine.db, { clientId, id })
  if (transaction === undefined || !isWaiting(transaction)) return 'not_waiting'
  if (engine.payerStepOf(transaction) !== 'otp') return 'not_waiting'
  // Nobody can have a code before the provider has the order.
  if (transaction.attemptState !== 'taken') return 'unavailable'
  try {
    await confirmTransaction(engine, transaction, code)
    return 'accepted'
  } catch (problem) {
    const result = problem instanceof Refusal ? confirmResults.get(problem.kind) : undefined
    if (result === undefined) throw problem
    // Another tab may have been quicker: then this code was never looked at.
    const now = await findTransaction(engine.db, transaction)
    return now !== undefined && isWaiting(now) ? result : 'not_waiting'
  }
}

function isWaiting({ completedAt, confirmedAt }: Transaction): boolean {
  return completedAt === null && confirmedAt === null
}
