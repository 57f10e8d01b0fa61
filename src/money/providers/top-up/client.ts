import { withBearerToken } from '../bearer-auth.ts'
import { usualCapability } from '../capabilities.ts'
import type { Credentials } from '../contract.ts'
import type { Send } from '../gated-client.ts'
import type { Reply } from '../http-client.ts'

/** The requests of this protocol. */
export interface TopUpClient {
  order(body: unknown): Promise<Reply>
  readStatus(transactionId: string): Promise<Reply>
  search(customIdentifier: string): Promise<Reply>
  readSubscriber(billerId: string, account: string): Promise<Reply>
  readBalance(): Promise<Reply>
  pay(body: unknown): Promise<Reply>
  readPayment(id: string): Promise<Reply>
  searchPayment(referenceId: string): Promise<Reply>
}

/** A client that authenticates with a bearer token for this provider's `audience`. */
export function openClient(send: Send, credentials: Credentials): TopUpClient {
  const { clientId = '', clientSecret = '', audience = '' } = credentials
  const { deadlineMs } = usualCapability
  const sendWithToken = withBearerToken(send, {
    path: '/oauth/token',
    body: {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
      audience,
    },
  })
  const get = (path: string) => sendWithToken({ method: 'GET', path, deadlineMs })
  const order = (path: string, body: unknown) =>
    sendWithToken({ method: 'POST', path, body, deadlineMs, isOrder: true })
  return {
    order: (body) => order('/topups-async', body),
    readStatus: (id) => get(`/topups/${encodeURIComponent(id)}/status`),
    search: (identifier) =>
      get(`/topups/reports/transactions?customIdentifier=${encodeURIComponent(identifier)}`),
    readSubscriber: (billerId, account) =>
      get(`/billers/${encodeURIComponent(billerId)}/subscribers/${encodeURIComponent(account)}`),
    readBalance: () => get('/accounts/balance'),
    pay: (body) => order('/pay', body),
    readPayment: (id) => get(`/transactions/${encodeURIComponent(id)}`),
    searchPayment: (id) => get(`/transactions?referenceId=${encodeURIComponent(id)}`),
  }
}
