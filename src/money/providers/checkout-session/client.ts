import { usualCapability } from '../capabilities.ts'
import type { Credentials } from '../contract.ts'
import type { Send } from '../gated-client.ts'
import type { Reply } from '../http-client.ts'

/** The requests of this protocol; `key` is the attempt's id, sent as idempotency key. */
export interface CheckoutClient {
  createSession(body: unknown): Promise<Reply>
  readSession(id: string): Promise<Reply>
  searchSessions(clientReference: string): Promise<Reply>
  expireSession(id: string): Promise<Reply>
  refund(id: string, key: string, body: unknown): Promise<Reply>
  readBalance(): Promise<Reply>
  createPayout(key: string, body: unknown): Promise<Reply>
  readPayout(id: string): Promise<Reply>
  searchPayouts(clientReference: string): Promise<Reply>
}

/** A client that authenticates with the account's API key as bearer token. */
export function openClient(send: Send, { apiKey = '' }: Credentials): CheckoutClient {
  const { deadlineMs } = usualCapability
  const authorization = `Bearer ${apiKey}`
  const get = (path: string) =>
    send({ method: 'GET', path, headers: { authorization }, deadlineMs })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send({
      method: 'POST',
      path,
      headers: { authorization, ...headers },
      body,
      deadlineMs,
      isOrder: true,
    })
  return {
    createSession: (body) => post('/v1/checkout/sessions', body),
    readSession: (id) => get(`/v1/checkout/sessions/${encodeURIComponent(id)}`),
    searchSessions: (reference) =>
      get(`/v1/checkout/sessions/search?client_reference=${encodeURIComponent(reference)}`),
    expireSession: (id) =>
      post(`/v1/checkout/sessions/${encodeURIComponent(id)}/expire`, undefined),
    refund: (id, key, body) =>
      post(`/v1/checkout/sessions/${encodeURIComponent(id)}/refund`, body, {
        'idempotency-key': key,
      }),
    readBalance: () => get('/v1/balance'),
    createPayout: (key, body) => post('/v1/payout', body, { 'idempotency-key': key }),
    readPayout: (id) => get(`/v1/payout/${encodeURIComponent(id)}`),
    searchPayouts: (reference) =>
      get(`/v1/payouts/search?client_reference=${encodeURIComponent(reference)}`),
  }
}
