import { openTokens, withToken } from '../bearer.ts'
import type { Attempt, Operation } from '../contract.ts'
import type { Reply } from '../http.ts'
import type { Send } from '../line.ts'
import { isAlive } from '../line.ts'
import type { Credentials } from '../protocol.ts'
import { meaningOf, usualCapability } from '../protocol.ts'
import { reasons } from './status.ts'
import { readError, readToken } from './wire.ts'

/** The requests of this protocol; the attempt's id is the order's name upstream. */
export interface RequestToPayClient {
  order(attempt: Attempt, body: unknown): Promise<Reply>
  read(attempt: Attempt): Promise<Reply>
}

type Product = 'collection' | 'disbursement'

const paths: Record<Product, string> = {
  collection: '/collection/v1_0/requesttopay',
  disbursement: '/disbursement/v1_0/transfer',
}

/** Speaks to the two products, each with a token of its own. */
export function openClient(send: Send, credentials: Credentials): RequestToPayClient {
  const { subscriptionKey = '', targetEnvironment = '' } = credentials
  const { deadlineMs } = usualCapability
  const headers = {
    'ocp-apim-subscription-key': subscriptionKey,
    'x-target-environment': targetEnvironment,
  }
  const sends: Record<Product, Send> = {
    collection: bearingTokens(send, 'collection', credentials),
    disbursement: bearingTokens(send, 'disbursement', credentials),
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
  }
}

function bearingTokens(send: Send, product: Product, credentials: Credentials): Send {
  const { subscriptionKey = '', apiUser = '', apiKey = '' } = credentials
  const basic = Buffer.from(`${apiUser}:${apiKey}`).toString('base64')
  const request = {
    path: `/${product}/token/`,
    headers: { authorization: `Basic ${basic}`, 'ocp-apim-subscription-key': subscriptionKey },
  }
  return withToken(send, openTokens(send, request, readToken))
}

function productOf(operation: Operation): Product {
  return operation === 'collect' ? 'collection' : 'disbursement'
}

/** A customer's mistake can come as a 500: the provider is none the worse for it. */
function isHealthy(reply: Reply): boolean {
  if (isAlive(reply)) return true
  return reply.kind === 'answered' && meaningOf(reasons, readError(reply.body)?.code) !== undefined
}
