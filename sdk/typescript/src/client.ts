import { type Confirmation, confirmCode } from './confirm.ts'
import { connect, type Line, type OpenStream, part } from './exchange.ts'
import type {
  Balance,
  BalanceAnswer,
  Bill,
  EventList,
  FeedEvent,
  InquiryAnswer,
  InquiryRequest,
  LinkDetailAnswer,
  LinkFilter,
  LinkList,
  PaymentFilter,
  ReplayAnswer,
  ReplayedDelivery,
  Service,
  ServiceList,
  SubMerchant,
  SubMerchantAnswer,
  SubMerchantChange,
  SubMerchantDetail,
  SubMerchantList,
  SubMerchantRequest,
  TransactionList,
} from './interface.ts'
import {
  type BillOrder,
  billOrder,
  type LinkOrder,
  linkOrder,
  type RefundOrder,
  refundOrder,
  type WalletOrder,
  walletOrder,
} from './orders.ts'
import { type CallOptions, type OrderOptions, placeOrder } from './place-order.ts'
import { items, lookUpPayment, onlyOnce, type Page, read } from './read.ts'
import { fromDetail, fromLinkDetail, type Link, type Payment } from './records.ts'
import { follow } from './stream.ts'
import { type WaitOptions, waitUntilFinal } from './wait.ts'

export interface ClientOptions {
  /** Your API key, `sk_…`. It is kept out of errors and of the text of the client. */
  apiKey: string
  /** Where the gateway is, without `/api/v1`. */
  baseUrl: string
  /** How long one request may take; 20 s if left out. */
  timeoutMs?: number
  /** How often an order is tried or looked for, and a read repeated; 5 if left out. */
  tries?: number
  /** The language of messages. */
  language?: 'fr' | 'en'
  /** Another way to send requests, as a test or a proxy needs it. */
  fetch?: typeof globalThis.fetch
}

const feedPageMax = 100
const subMerchantPageMax = 100

/** A gateway, called with one key. Every order is carried out once, whatever the network loses. */
export class Passerelle {
  readonly #line: Line
  readonly #openStream: OpenStream

  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, timeoutMs = 20_000, tries = 5, language } = options
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey is empty or has other signs')
    if (!/^https?:\/\/[^\s]+$/.test(baseUrl)) throw new TypeError('baseUrl must be http(s)')
    if (!/^[\w-]*$/.test(language ?? '')) throw new TypeError('language must be fr or en')
    // Called as a function of its own: some platforms refuse it as a method.
    const { fetch = (input, init) => globalThis.fetch(input, init) } = options
    const address = baseUrl.replace(/\/+$/, '')
    const way = connect({ apiKey, baseUrl: address, timeoutMs, language, fetch })
    this.#openStream = way.openStream
    this.#line = { exchange: way.exchange, tries }
  }

  /** Collects from a customer's wallet. */
  async collect(order: WalletOrder, options: OrderOptions = {}): Promise<Payment> {
    return placeOrder(this.#line, walletOrder(order, 'CASHOUT'), options)
  }

  /** Pays out to a customer's wallet. */
  async payOut(order: WalletOrder, options: OrderOptions = {}): Promise<Payment> {
    return placeOrder(this.#line, walletOrder(order, 'CASHIN'), options)
  }

  /** Recharges a customer's phone. */
  async sellAirtime(order: WalletOrder, options: OrderOptions = {}): Promise<Payment> {
    return placeOrder(this.#line, walletOrder(order, 'AIRTIME'), options)
  }

  /** Pays a bill, or tops a prepaid meter up. */
  async payBill(order: BillOrder, options: OrderOptions = {}): Promise<Payment> {
    return placeOrder(this.#line, billOrder(order), options)
  }

  /** Sends a successful collection back, in whole or in part. */
  async refund(id: string, order: RefundOrder = {}, options: OrderOptions = {}): Promise<Payment> {
    return placeOrder(this.#line, refundOrder(id, order), options)
  }

  /** Creates a payment link. */
  async createLink(order: LinkOrder, options: OrderOptions = {}): Promise<Link> {
    return placeOrder(this.#line, linkOrder(order), options)
  }

  /** Hands on the customer's one-time code. After a lost answer only a PENDING payment needs it. */
  async confirmCode(
    transactionId: string,
    otp: string,
    { signal }: CallOptions = {},
  ): Promise<Confirmation> {
    return confirmCode(this.#line, { transactionId, otp }, signal)
  }

  /** Looks a payment up, by our id or yours. */
  async getPayment(id: string, { signal }: CallOptions = {}): Promise<Payment> {
    return lookUpPayment(this.#line, id, signal)
  }

  /** Waits until a payment has ended: told by the stream of events, else by looking it up. */
  async waitForFinal(id: string, options: WaitOptions = {}): Promise<Payment> {
    part(id)
    const once = { ...this.#line, tries: 1 }
    const lookUp = (signal: AbortSignal) => lookUpPayment(once, id, signal)
    return waitUntilFinal(id, { openStream: this.#openStream, lookUp }, options)
  }

  /** One page of payments, newest first. A page may be short, even empty, and have a next one. */
  async pagePayments(
    filter: PaymentFilter = {},
    { signal }: CallOptions = {},
  ): Promise<Page<Payment>> {
    return this.#get('/transaction', filter, paymentsOf, signal)
  }

  /** All payments that pass a filter, newest first, page by page as they are needed. */
  listPayments(filter: PaymentFilter = {}, options: CallOptions = {}): AsyncIterable<Payment> {
    return items(filter, (page) => this.pagePayments(page, options))
  }

  /** Looks a link up, by our id or yours. */
  async getLink(id: string, { signal }: CallOptions = {}): Promise<Link> {
    return this.#get(`/merchant/${part(id)}`, undefined, linkOf, signal)
  }

  /** One page of links, newest first. */
  async pageLinks(filter: LinkFilter = {}, { signal }: CallOptions = {}): Promise<Page<Link>> {
    return this.#get('/transaction/merchant', filter, linksOf, signal)
  }

  /** All links that pass a filter, newest first. */
  listLinks(filter: LinkFilter = {}, options: CallOptions = {}): AsyncIterable<Link> {
    return items(filter, (page) => this.pageLinks(page, options))
  }

  /** What a biller's customer owes, or whose a meter is. Changes nothing. */
  async inquireBills(
    customer: InquiryRequest,
    { signal }: CallOptions = {},
  ): Promise<{ referenceClient: string; bills: Bill[] }> {
    const request = { method: 'POST', path: '/billing/inquiry', body: customer } as const
    return read(this.#line, request, billsOf, signal)
  }

  /** What you can spend. */
  async getBalance({ signal }: CallOptions = {}): Promise<Balance> {
    const path = '/api-services/balance'
    return this.#get(path, undefined, ({ balance }: BalanceAnswer) => balance, signal)
  }

  /** The services that you may use. */
  async listServices({ signal }: CallOptions = {}): Promise<Service[]> {
    const path = '/api-services/services'
    return this.#get(path, undefined, ({ services }: ServiceList) => services, signal)
  }

  /** Creates a sub-merchant, once. */
  async createSubMerchant(
    shop: SubMerchantRequest,
    { signal }: CallOptions = {},
  ): Promise<SubMerchant> {
    const request = { method: 'POST', path: '/sub-merchant', body: shop, ...onlyOnce() } as const
    return read(this.#line, request, dataOf, signal)
  }

  /** One sub-merchant with its details. */
  async getSubMerchant(id: string, { signal }: CallOptions = {}): Promise<SubMerchantDetail> {
    const path = `/sub-merchant/${part(id)}`
    return this.#get(path, undefined, dataOf, signal)
  }

  /** Changes what `changes` names. */
  async updateSubMerchant(
    id: string,
    changes: SubMerchantChange,
    { signal }: CallOptions = {},
  ): Promise<SubMerchantDetail> {
    const path = `/sub-merchant/${part(id)}`
    const request = { method: 'PATCH', path, body: changes } as const
    return read(this.#line, request, dataOf, signal)
  }

  /** Deactivates a sub-merchant; it can still be read. */
  async deactivateSubMerchant(
    id: string,
    { signal }: CallOptions = {},
  ): Promise<SubMerchantDetail> {
    const request = { method: 'DELETE', path: `/sub-merchant/${part(id)}` } as const
    return read(this.#line, request, dataOf, signal)
  }

  /** All sub-merchants, oldest first. */
  async *listSubMerchants({ signal }: CallOptions = {}): AsyncGenerator<SubMerchant> {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const query = { page, limit: subMerchantPageMax }
      const answer = await this.#get('/sub-merchant', query, shopsOf, signal)
      pages = answer.totalPages
      yield* answer.data
    }
  }

  /** Events after a cursor, from the beginning without one; `next` is the cursor to keep. */
  async pageEvents(
    after?: string | null,
    limit?: number,
    { signal }: CallOptions = {},
  ): Promise<{ events: FeedEvent[]; next: string }> {
    return this.#get('/events', { after, limit }, eventsOf, signal)
  }

  /** All events until now, in order. Keep the `cursor` of the last one that you have handled. */
  async *listEvents(after?: string | null, options: CallOptions = {}): AsyncGenerator<FeedEvent> {
    for (let cursor = after; ; ) {
      const { events, next } = await this.pageEvents(cursor, feedPageMax, options)
      if (events.length === 0) return
      yield* events
      cursor = next
    }
  }

  /** Events as they come: from now on, after a cursor, or all with `start`. */
  streamEvents(after?: string | null, { signal }: CallOptions = {}): AsyncGenerator<FeedEvent> {
    const { tries } = this.#line
    return follow({ openStream: this.#openStream, tries, after: after ?? undefined, signal })
  }

  /** Sends the webhook of an event once more, and tells what your address answered. */
  async replayEvent(id: string, { signal }: CallOptions = {}): Promise<ReplayedDelivery> {
    const request = { method: 'POST', path: `/events/${part(id)}/replay`, ...onlyOnce() } as const
    return read(this.#line, request, ({ delivery }: ReplayAnswer) => delivery, signal)
  }

  #get<Item>(
    path: string,
    query: object | undefined,
    pick: (body: never) => Item | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Item> {
    return read(this.#line, { method: 'GET', path, query }, pick, signal)
  }
}

// What is wanted of an answer. Undefined, or a TypeError, where it is not there: asked again.

function paymentsOf({ transactions, next }: TransactionList): Page<Payment> {
  return { items: transactions.map((one) => fromDetail(one, 'answer')), next: next ?? undefined }
}

function linkOf({ transaction }: LinkDetailAnswer): Link {
  return fromLinkDetail(transaction, 'answer')
}

function linksOf({ links, next }: LinkList): Page<Link> {
  return { items: links.map((one) => fromLinkDetail(one, 'answer')), next: next ?? undefined }
}

function billsOf({ referenceClient, bills }: InquiryAnswer) {
  return bills && { referenceClient, bills }
}

function dataOf({ data }: SubMerchantAnswer) {
  return data
}

function shopsOf(answer: SubMerchantList) {
  return answer.data && answer
}

function eventsOf({ events, next }: EventList) {
  return events && { events, next }
}
