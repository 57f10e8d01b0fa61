import { Refusal } from '#base/kit/refusal.ts'
import { closureOf } from '#merchants/catalog/maintenance.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { serves } from '#merchants/sub-merchants/sub-merchant.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Checkout, ConfirmResult, PayerView, PayResult, WalletChoice } from './checkout.ts'
import type { LinkContext } from './context.ts'
import { expireLink, giveUpLink } from './end.ts'
import { paymentOf } from './find.ts'
import { attemptsMax, idsOfShort, isLinkId, type Link, linkUrl } from './link.ts'
import { isOpen, type PayerOrder, payLink, walletsFor } from './pay.ts'
import { findLink, findOnlyId, readVersions } from './store.ts'
import { viewOf, walletNameOf } from './view.ts'
import { openLinkWatch } from './watch.ts'

/** Opens the payer's side of links. */
export function openCheckout(context: LinkContext): Checkout {
  const { db, clock, log, clients, transactions } = context
  const find = async (id: string) => (isLinkId(id) ? findLink(db, id) : undefined)
  return {
    look: async (id) => {
      if (!isLinkId(id)) return undefined
      // The version is read first: a page that is older than its version would never be refreshed.
      const version = (await readVersions(db, [id])).get(id)
      const link = version === undefined ? undefined : await find(id)
      if (version === undefined || link === undefined) return undefined
      const [payment, wallets, brand] = await Promise.all([
        paymentOf(db, link),
        walletChoices(context, link),
        clients.brandOf(link.clientId),
      ])
      const maintenance = await noticeFor(context, wallets)
      const stepOf = transactions.payerStepOf
      const parts = { link, payment, wallets, brand, maintenance, version, stepOf }
      return viewOf(parts, clock.now())
    },
    idOfShort: async (short) => {
      const ids = idsOfShort(short)
      return ids && findOnlyId(db, ids)
    },
    logoOf: clients.logoOf,
    pay: async (id, order) => {
      const link = await find(id)
      return link === undefined
        ? { kind: 'refused', problems: ['not_open'] }
        : payWith(context, link, order)
    },
    newCode: async (id, triesLeft) => {
      const link = await find(id)
      return link === undefined ? 'too_late' : sendNewCode(context, link, triesLeft)
    },
    confirm: async (id, code) => confirmCode(transactions, await find(id), code),
    changeWallet: async (id) => {
      const link = await find(id)
      if (link === undefined) return 'too_late'
      if (link.openId === null) return link.status === 'PENDING' ? 'changed' : 'too_late'
      const dropped = await transactions.drop({ clientId: link.clientId, id: link.openId })
      return dropped === 'dropped' ? 'changed' : 'too_late'
    },
    giveUp: async (id) => {
      const link = await find(id)
      if (link === undefined) return 'too_late'
      // A link past its lifetime has expired, even if the payer gives up now.
      if (clock.now() >= link.expiresAt) await expireLink(context, link)
      return (await giveUpLink(context, link)) ? 'given_up' : 'too_late'
    },
    follow: openLinkWatch(db, log).follow,
  }
}

async function payWith(context: LinkContext, link: Link, order: PayerOrder): Promise<PayResult> {
  const contract = await context.clients.contractOf(link.clientId)
  const services = await walletsOf(context, link)
  const chosen = services.find(({ code }) => code === order.serviceCode)
  if (chosen !== undefined && !(await isOffered(context, chosen)))
    return { kind: 'refused', problems: ['unavailable'] }
  // The wallet redirects its payer to it.
  const pageUrl = `${linkUrl(context.payUrl(), link.id)}?payer=1`
  return payLink(context, link, order, { contract, services, pageUrl })
}

/**
 * Another payment with the same wallet and number. The one before is cancelled first, which is
 * refused once a code was sent that may be right: so at most one of them can be charged.
 */
async function sendNewCode(
  context: LinkContext,
  link: Link,
  triesLeft: number,
): Promise<'started' | 'unavailable' | 'too_late'> {
  const { transactions, clock } = context
  const { clientId, openId, attempts } = link
  // Another click or tab was faster: it has begun the new payment, or is about to.
  if (openId === null || attemptsMax - attempts !== triesLeft) return 'started'
  // Without a try left, cancelling would end the link.
  if (!isOpen(link, clock.now())) return 'too_late'
  const payment = await transactions.findById({ clientId, id: openId })
  if (payment === undefined || transactions.payerStepOf(payment).step !== 'otp') return 'too_late'
  const { serviceCode, phone } = payment
  const service = (await walletsOf(context, link)).find(({ code }) => code === serviceCode)
  if (service === undefined || !(await isOffered(context, service))) return 'unavailable'
  if ((await transactions.drop({ clientId, id: openId })) !== 'dropped') {
    const now = await transactions.findById(payment)
    // It has ended in the meantime, by another click or otherwise.
    return now !== undefined && now.completedAt !== null ? 'started' : 'too_late'
  }
  const result = await payWith(context, link, { serviceCode, phone })
  return result.kind === 'started' ? 'started' : 'too_late'
}

async function walletChoices(context: LinkContext, link: Link): Promise<WalletChoice[]> {
  const services = await walletsOf(context, link)
  const choices = services.map(async (service): Promise<WalletChoice[]> => {
    const step = context.providers.find(service)?.connector.capabilities.collect?.payerStep
    if (step === undefined || step === 'none') return []
    const { code: serviceCode, country } = service
    const isAvailable = await isOffered(context, service)
    return [{ serviceCode, name: walletNameOf(service), country, step, isAvailable }]
  })
  return (await Promise.all(choices)).flat()
}

/** The wallets of the client's contract, in the countries that the link's sub-merchant serves. */
async function walletsOf(
  { clients, subMerchants }: LinkContext,
  { clientId, subMerchantId, amount }: Link,
): Promise<Service[]> {
  if (!(await clients.mayBegin(clientId, 'CASHOUT'))) return []
  const wallets = walletsFor(await clients.contractOf(clientId), amount)
  const shop = subMerchantId === null ? undefined : await subMerchants.find(clientId, subMerchantId)
  return shop === undefined ? wallets : wallets.filter(({ country }) => serves(shop, country))
}

/** What payers are told of maintenance that closes one of these wallets. */
async function noticeFor(
  { catalog }: LinkContext,
  wallets: WalletChoice[],
): Promise<PayerView['maintenance']> {
  const maintenance = await catalog.maintenance()
  const closures = wallets.map(({ serviceCode }) => closureOf(maintenance, serviceCode))
  const closure = closures.find((one) => one !== undefined)
  return closure === undefined ? null : { notice: closure.notice, until: closure.until }
}

async function isOffered(
  { catalog, transactions }: LinkContext,
  service: Service,
): Promise<boolean> {
  const { closedServices } = await catalog.maintenance()
  return transactions.isAvailable(service) && !closedServices.has(service.code)
}

const confirmResults = new Map<string, ConfirmResult>([
  ['otp_invalid', 'wrong_code'],
  ['otp_expired', 'expired'],
  ['service_unavailable', 'unavailable'],
])

async function confirmCode(
  transactions: Transactions,
  link: Link | undefined,
  code: string,
): Promise<ConfirmResult> {
  if (link === undefined || link.openId === null) return 'not_waiting'
  if (!/^[0-9]{4,8}$/.test(code)) return 'wrong_code'
  const { clientId, openId: id } = link
  const transaction = await transactions.findById({ clientId, id })
  if (transaction === undefined || !isWaiting(transaction)) return 'not_waiting'
  const { step, obstacle } = transactions.payerStepOf(transaction)
  if (step !== 'otp') return 'not_waiting'
  if (obstacle === 'code_spent') return 'expired'
  // The provider sends a code only once it has the order.
  if (transaction.attemptState !== 'taken') return 'unavailable'
  try {
    await transactions.confirmFound(transaction, code)
    return 'accepted'
  } catch (problem) {
    const result = problem instanceof Refusal ? confirmResults.get(problem.kind) : undefined
    if (result === undefined) throw problem
    // Another tab may have confirmed first: then this code was never checked.
    const now = await transactions.findById(transaction)
    return now !== undefined && isWaiting(now) ? result : 'not_waiting'
  }
}

function isWaiting({ completedAt, confirmedAt }: Transaction): boolean {
  return completedAt === null && confirmedAt === null
}
