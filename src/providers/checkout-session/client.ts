import type { Reply } from '../http.ts'
import type { Send } from '../line.ts'
import type { Credentials } from '../protocol.ts'
import { usualCapability } from '../protocol.ts'

/** The requests of this protocol; `key` is the attempt's id, which makes repeating safe. */
export interface CheckoutClient {
  createSession(body: unknown): Promise<Reply>
  readSession(id: string): Promise<Reply>
  searchSessions(clientReference: string): Promise<Reply>
  expireSession(id: string): Promise<Reply>
  refund(id: string, key: string, body: unknown): Promise<Reply>
  createPayout(key: string, body: unknown): Promise<Reply>
  readPayout(id: string): Promise<Reply>
  searchPayouts(clientReference: string): Promise<Reply>
}

/** Speaks with the account's key as bearer. */
export function openClient(send: Send, { apiKey = '' }: Credentials): CheckoutClient {
  const { deadlineMs } = usualCapability
  const access = { authorization: `Bearer ${apiKey}` }
  const get = (path: string) => send({ method: 'GET', path, headers: access, deadlineMs })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send({
      method: 'POST',
      path,
      headers: { ...access, ...headers },
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
    createPayout: (key, body) => post('/v1/payout', body, { 'idempotency-key': key }),
    readPayout: (id) => get(`/v1/payout/${encodeURIComponent(id)}`),
    searchPayouts: (reference) =>
      get(`/v1/payouts/search?client_reference=${encodeURIComponent(reference)}`),
  }
}
