import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { after } from 'node:test'
import { type Ending, endingOfTransaction } from '#backoffice/webhooks/ending.ts'
import type { Webhooks } from '#backoffice/webhooks/open.ts'
import { newId, newIdVersion4 } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { openTokenSafe } from '#money/transactions/token-safe.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { listen } from './listen.ts'
import { eventually } from './wait.ts'

export interface Received {
  at: Date
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Answer = (got: Received, response: ServerResponse, count: number) => unknown

/** A merchant's server: records requests and answers them with `answer`, by default with 200. */
export async function openReceiver(answer: Answer = (_got, response) => response.end('ok')) {
  const receiver = {
    url: '',
    got: [] as Received[],
    connections: 0,
    answer,
    /** Waits for as many requests, and returns all of them. */
    has: async (count: number): Promise<Received[]> => {
      await eventually(`${count} webhooks`, () => receiver.got.length >= count)
      return receiver.got
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString('utf8')
    const got = { at: new Date(), path: request.url ?? '', headers: request.headers, body }
    receiver.got.push(got)
    await receiver.answer(got, response, receiver.got.length)
  }
  server.on('connection', () => {
    receiver.connections += 1
  })
  receiver.url = await listen(server)
  after(receiver.close)
  return receiver
}

/** A transaction that has just ended, as `announce` of the webhooks takes it. */
export function endedTransaction(change: Partial<Transaction> & { clientId: number }): Ending {
  const now = new Date()
  const transaction: Transaction = {
    id: newId(now),
    keyId: newId(now),
    externalId: 'order',
    operation: 'CASHOUT',
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 5000,
    fee: 100,
    phone: '771234567',
    payeeName: '',
    subMerchantId: null,
    linkId: null,
    billReference: null,
    customData: null,
    callbackUrl: null,
    successUrl: 'https://shop.test/ok',
    failureUrl: 'https://shop.test/no',
    reason: null,
    originalId: null,
    lateReference: null,
    refunded: 0,
    status: 'SUCCESS',
    attemptId: newIdVersion4(now),
    attemptNumber: 1,
    attemptState: 'taken',
    attemptedAt: now,
    reference: 'reference',
    sealedToken: null,
    failure: null,
    paymentUrl: null,
    polls: 0,
    otpTries: 0,
    otpWrong: 0,
    confirmedAt: null,
    holdId: null,
    balanceBefore: 0,
    balanceAfter: 4900,
    createdAt: now,
    completedAt: now,
    dueAt: null,
    version: 0,
    ...change,
  }
  return endingOfTransaction(transaction, openTokenSafe(Buffer.alloc(32)))
}

/** Commits the events of transactions that have ended, and starts their delivery. */
export async function announce(
  { db, webhooks }: { db: Db; webhooks: Webhooks },
  ended: Ending[],
  now = new Date(),
): Promise<void> {
  const afterCommit = await db.transaction((tx) => webhooks.announce(tx, ended, now))
  afterCommit()
}
