import { withBearerToken } from '../bearer-auth.ts'
import { usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, Credentials, Operation } from '../contract.ts'
import { isHealthyReply, type Send } from '../gated-client.ts'
import type { Reply } from '../http-client.ts'
import { reasons } from './status.ts'
import { readError } from './wire.ts'

/** The requests of this protocol; the provider identifies an order by the attempt's id. */
export interface RequestToPayClient {
  order(attempt: Attempt, body: unknown): Promise<Reply>
  read(attempt: Attempt): Promise<Reply>
  /** Of the account that transfers are paid from. */
  readBalance(): Promise<Reply>
}

type Product = 'collection' | 'disbursement'

const paths: Record<Product, string> = {
  collection: '/collection/v1_0/requesttopay',
  disbursement: '/disbursement/v1_0/transfer',
}

/** A client for both products, each with its own token. */
export function openClient(send: Send, credentials: Credentials): RequestToPayClient {
  const { subscriptionKey = '', targetEnvironment = '' } = credentials
  const { deadlineMs } = usualCapability
  const headers = {
    'ocp-apim-subscription-key': subscriptionKey,
    'x-target-environment': targetEnvironment,
  }
  const sends: Record<Product, Send> = {
    collection: withProductToken(send, 'collection', credentials),
    disbursement: withProductToken(send, 'disbursement', credentials),
  }
  return {
    order: (attempt, body) =>
      sends[productOf(attempt.operation)]({
        method: 'POST',
        path: paths[productOf(attempt.operation)],
        headers: {
          ...headers,
          'x-reference-id': attempt.id,
          'x-callback-url': attempt.callbackUrl,
        },
        body,
        deadlineMs,
        isOrder: true,
        isHealthy,
      }),
    read: ({ operation, id }) =>
      sends[productOf(operation)]({
        method: 'GET',
        path: `${paths[productOf(operation)]}/${id}`,
        headers,
        deadlineMs,
      }),
    readBalance: () =>
      sends.disbursement({
        method: 'GET',
        path: '/disbursement/v1_0/account/balance',
        headers,
        deadlineMs,
      }),
  }
}

function withProductToken(send: Send, product: Product, credentials: Credentials): Send {
  const { subscriptionKey = '', apiUser = '', apiKey = '' } = credentials
  const basic = Buffer.from(`${apiUser}:${apiKey}`).toString('base64')
  return withBearerToken(send, {
    path: `/${product}/token/`,
    headers: { authorization: `Basic ${basic}`, 'ocp-apim-subscription-key': subscriptionKey },
  })
}

function productOf(operation: Operation): Product {
  return operation === 'collect' ? 'collection' : 'disbursement'
}

/** Some declines come with HTTP 500; a listed code shows that the provider works. */
function isHealthy(reply: Reply): boolean {
  if (isHealthyReply(reply)) return true
  return reply.kind === 'answered' && meaningOf(reasons, readError(reply.body)?.code) !== undefined
}
